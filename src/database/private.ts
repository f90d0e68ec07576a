import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** What the service keeps in a data directory or a backup, beside its socket. */
const ours = /^(postgres|lock([.-].*)?|api-key|unfinished|backup\.json)$/

/**
 * Refuses a directory of another user, who can read and change all that is in it.
 * @throws Error with a remedy
 */
export function checkOwner(directory: string): void {
  const { uid } = statSync(directory)
  const self = process.getuid?.() // absent on Windows
  if (self === undefined || uid === self) return
  throw new Error(
    `The directory ${directory} belongs to another user (${uid}) than this process (${self}): run ` +
      `\`chown -R ${userInfo().username} ${directory}\`, or set DATA_DIR to another directory`,
  )
}

/** Keeps others than the owner from all that the service has in a directory, and from that itself where it holds nothing else. */
export function makePrivate(directory: string): void {
  const names = readdirSync(directory)
  if (names.every(name => ours.test(name) || name === 'socket')) mend(directory)
  for (const name of names) if (ours.test(name)) mendAll(join(directory, name))
}

/** Does that for a path and for all below it. */
export function mendAll(path: string): void {
  if (!mend(path)) return
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    if (!entry.isSymbolicLink()) mend(join(entry.parentPath, entry.name))
}

/** @returns whether it is a directory */
function mend(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (!entry || entry.isSymbolicLink()) return false // what a link leads to is somebody else's
  const mode = entry.isDirectory() ? 0o700 : 0o600
  if ((entry.mode & 0o777) !== mode) chmodSync(path, mode)
  return entry.isDirectory()
}
