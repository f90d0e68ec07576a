import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Gives a copy of the project its packages. Links stay links, so that those of the project lead into the copy. */
export function linkPackages(copy: string): void {
  for (const folder of ['node_modules', 'node_modules/.bin']) {
    mkdirSync(join(copy, folder), { recursive: true })
    for (const name of readdirSync(folder)) {
      if (name === '.bin' || name === '.cache') continue
      const there = join(folder, name)
      const target = lstatSync(there).isSymbolicLink() ? readlinkSync(there) : resolve(there)
      symlinkSync(target, join(copy, there))
    }
  }
}
