import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { openDatabase } from '../../../src/database/connect.ts'
import type { migrateToLatest } from '../../../src/database/migrate.ts'
import type { contractOf } from '../../../src/engine/contract.ts'
import type { openResources } from '../../../src/resources.ts'
import type { buildServer } from '../../../src/server.ts'

/** The parts of a service that the check starts, of code with one file changed. */
export interface LoadedCode {
  buildServer: typeof buildServer
  openResources: typeof openResources
  openDatabase: typeof openDatabase
  migrateToLatest: typeof migrateToLatest
  contractOf: typeof contractOf
}

/**
 * Prepares to load the project's code beside itself, with the text of one file changed. Each loading is one of its own;
 * what it has loaded stays in memory until the process ends.
 */
export function openLoader(): (file: string, text: string) => Promise<LoadedCode> {
  const root = pathToFileURL('./').href
  let changed: { url: string; text: string } | undefined
  let count = 0
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const mark = /\?mutant=\d+$/.exec(context.parentURL ?? '')?.[0]
      const isOurs = found.url.startsWith(root) && !found.url.includes('/node_modules/')
      return mark && isOurs ? { ...found, url: found.url + mark } : found
    },
    load(url, context, next) {
      if (url !== changed?.url) return next(url, context)
      return { format: 'module-typescript', source: changed.text, shortCircuit: true }
    },
  })
  return async (file, text) => {
    count += 1
    const mark = `?mutant=${count}`
    changed = { url: `${root}${file}${mark}`, text }
    const module = (name: string) => import(`${root}src/${name}${mark}`)
    const loaded = await Promise.all(
      ['server.ts', 'resources.ts', 'database/connect.ts', 'database/migrate.ts', 'engine/contract.ts'].map(
        module,
      ),
    )
    return Object.assign({}, ...loaded)
  }
}
