import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY: another connection has the lock. Source: sqlite.org/rescode.html */
const busy = 5

/** Two processes in one embedded database would destroy it. */
export class DirectoryInUse extends Error {
  constructor(directory: string, holder: string) {
    super(
      `${directory} is in use by another process${holder && ` (${holder})`}: stop it, or set DATA_DIR to another ` +
        'directory, or DATABASE_URL to a PostgreSQL that several processes may share',
    )
    this.name = 'DirectoryInUse'
  }
}

/**
 * Takes the directory for this process alone. SQLite's exclusive lock is the operating system's: it ends with the
 * process, however that ends, so there is no stale lock to guess about.
 * @returns what gives it free again
 * @throws DirectoryInUse
 */
export function lockDirectory(directory: string): () => void {
  const holderFile = join(directory, 'lock.pid')
  const lock = new DatabaseSync(join(directory, 'lock'))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: unknown }).errcode !== busy) throw error // what node:sqlite's errors carry
    throw new DirectoryInUse(directory, readHolder(holderFile))
  }
  writeFileSync(holderFile, `process ${process.pid}`)
  return () => lock.close()
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
