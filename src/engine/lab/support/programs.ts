import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's packages of the programs that tests need and npm does not bring. */
const packages = { 'redis-server': 'redis-server', haproxy: 'haproxy', promtool: 'prometheus' }
type Program = keyof typeof packages

/** Whether this machine has a program; tests that need it are skipped without. */
export const has = (program: Program): boolean =>
  (process.env.PATH ?? '').split(delimiter).some(directory => existsSync(join(directory, program)))

/** Which tests are skipped here, and how to have them run; undefined where none are. */
export function skipped(): string | undefined {
  const missing = Object.keys(packages).filter(program => !has(program as Program)) // the literal's own keys
  if (missing.length === 0) return undefined
  const wanted = missing.map(program => packages[program as Program]).join(' ')
  return `Tests that need ${missing.join(', ')} are skipped, as it is not in the PATH: apt-get install ${wanted}`
}
