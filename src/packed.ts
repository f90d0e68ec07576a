import { accessSync, constants, readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Wherever it is installed: beside this project, or above it.
const kysely = dirname(dirname(createRequire(import.meta.url).resolve('kysely')))
const { version } = JSON.parse(readFileSync(join(kysely, 'package.json'), 'utf8'))

/** Where Kysely is when it is packed. */
export const packedAt = join(import.meta.dirname, '../node_modules/.cache/packed', `kysely-${version}`)

/** Its files, by the names that Kysely is imported by. */
export const packedFiles = { kysely: 'kysely.mjs', 'kysely/migration': 'migration.mjs' } as const

const paths = new Map<string, string>(
  Object.entries(packedFiles).map(([name, file]) => [name, join(packedAt, file)]),
)

// Loaded one by one, Kysely's 257 files take a sixth of a start and a twentieth of the memory. `scripts/start/pack.ts` makes
// a few of them after an install; where that was not done, they are loaded as they are.
registerHooks({
  resolve(name, context, next) {
    const path = paths.get(name)
    return path !== undefined && isReadable(path)
      ? { url: pathToFileURL(path).href, format: 'module', shortCircuit: true }
      : next(name, context)
  },
})

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
