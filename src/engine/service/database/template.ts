import { createHash } from 'node:crypto'
import { constants, cpSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Migrations } from './migration.ts'

/** The form of templates; another one is made where `embedded.ts` makes databases otherwise. */
const form = 'one database'

/**
 * Returns the place of a template: an embedded database without rows that some migrations have made, beside the
 * packages. Its name changes with PGlite and with the code of the migrations. `npm ci` makes it.
 */
export function templateFor(migrations: Migrations): string {
  const pglite = new URL('../', import.meta.resolve('@electric-sql/pglite'))
  const hash = createHash('sha256')
    .update(form)
    .update(readFileSync(new URL('package.json', pglite)))
  for (const [name, { up }] of Object.entries(migrations)) hash.update(`${name} ${up}`)
  const folder = new URL('../../.cache/embedded-database/', pglite)
  return fileURLToPath(new URL(hash.digest('hex').slice(0, 16), folder))
}

/**
 * Copies a template to the place of a new database, if there is one. Making it takes several times as long.
 * @returns whether there is one
 */
export function copyTemplate(template: string, directory: string): boolean {
  if (!existsSync(template)) return false
  cpSync(template, directory, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return true
}
