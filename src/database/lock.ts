import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from './directory.ts'

/** SQLITE_BUSY: another connection has the lock. SQLITE_NOTADB: the file is something else. Source: sqlite.org/rescode.html */
const busy = 5
const noDatabase = 26

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
 * @throws Error with a remedy when the lock is no lock, or can't be written
 */
export function lockDirectory(directory: string): () => void {
  const file = join(directory, 'lock')
  const holderFile = join(directory, 'lock.pid')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file)
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    writeFileSync(holderFile, `process ${process.pid}`)
  } catch (error) {
    lock?.close()
    const { errcode, path = file } = error as { errcode?: unknown; path?: string } // what SQLite's and the system's errors carry
    if (errcode === busy) throw new DirectoryInUse(directory, readHolder(holderFile))
    const remedy =
      errcode === noDatabase
        ? 'If no server runs on this directory, remove that file'
        : 'Let this process write there, or set DATA_DIR to another directory'
    throw new Error(`${path} can't be written: ${reasonOf(error)}. ${remedy}`, { cause: error })
  }
  return () => lock.close()
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
