import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from './directory.ts'

/** SQLITE_BUSY: another connection has the lock. SQLITE_NOTADB: it is no database. Source: sqlite.org/rescode.html */
const busy = 5
const noDatabase = 26

/** How long a look at the lock file counts, in ms: whoever is about to write looks before. */
const seenFor = 100
/** How often the lock file is looked at though nobody writes, in ms. */
const lookEvery = 1_000
/** How long to wait for the holder of a lock file that was removed, in ms: it stops at its next look. */
export const noticedWithin = 2 * lookEvery

/** Thrown when another process has the database open. Two processes in one embedded database would destroy it. */
export class DirectoryInUse extends Error {
  constructor(directory: string, holder: string) {
    super(
      `${directory} is in use by another process${holder && ` (${holder})`}: stop it, or set DATA_DIR to another ` +
        'directory, or DATABASE_URL to a PostgreSQL that several processes may share',
    )
    this.name = 'DirectoryInUse'
  }
}

/** This process may not write to the database any more. The code is PostgreSQL's for missing files. */
class LockLost extends Error {
  readonly code = '58P01'
}

/** A directory that this process alone may write to, as long as its lock file is there. */
export interface DirectoryLock {
  /** whether there was another lock file before: the process that made it may still run */
  readonly isReplaced: boolean
  /** Returns why nothing may be written or acknowledged now; undefined: it may be. */
  faultOf(): Error | undefined
  unlock(): void
}

/**
 * Locks the directory for this process. SQLite's exclusive lock is the operating system's: it ends with the process. It
 * is on a file, and not on the name, so a file that somebody removes locks nobody out any more. Hence its holder looks
 * before it writes, and whoever finds another file than the last holder's is to wait until that has looked.
 * @param onLost called once if the lock file was removed or replaced: this process may never write again
 * @throws DirectoryInUse, or Error with a remedy when the lock file is invalid or can't be written
 */
export function lockDirectory(directory: string, onLost: (error: Error) => void = () => {}): DirectoryLock {
  const file = join(directory, 'lock')
  const holderFile = join(directory, 'lock.pid')
  let lock: DatabaseSync | undefined
  let content: string | undefined
  let before: string | undefined
  try {
    lock = new DatabaseSync(file)
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    content = identityOf(file)
    before = readHolder(holderFile)?.lock
    fs.writeFileSync(holderFile, `process ${process.pid}\nlock ${content}\n`)
  } catch (error) {
    lock?.close()
    const { errcode, path = file } = error as { errcode?: unknown; path?: string } // properties of SQLite's and the system's errors
    if (errcode === busy) throw new DirectoryInUse(directory, readHolder(holderFile)?.process ?? '')
    const remedy =
      errcode === noDatabase
        ? 'If no server runs on this directory, remove that file'
        : 'Let this process write there, or set DATA_DIR to another directory'
    throw new Error(`${path} can't be written: ${reasonOf(error)}. ${remedy}`, { cause: error })
  }
  const held = lock
  // To be closed after the lock: closing any file of that name would release it (POSIX, fcntl).
  const opened = fs.openSync(file, 'r')
  let fault: Error | undefined
  let seenAt = performance.now()

  function look(): void {
    if (fault) return
    seenAt = performance.now()
    const found = identityOf(file)
    // A directory that somebody moves keeps its lock; a file without a name is removed.
    const isMoved = found === undefined && !fs.existsSync(directory) && fs.fstatSync(opened).nlink > 0
    if (found === content || isMoved) return
    fault = new LockLost(`${file} was removed or replaced, so another process may open the database`)
    onLost(fault)
  }
  const looking = setInterval(look, lookEvery).unref()

  return {
    isReplaced: before !== content,
    faultOf() {
      if (performance.now() - seenAt > seenFor) look()
      return fault
    },
    unlock() {
      clearInterval(looking)
      held.close()
      fs.closeSync(opened)
    },
  }
}

/** Returns what no other file has while this one is open or there; undefined: there is none. */
function identityOf(file: string): string | undefined {
  const found = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}-${found.ino}`
}

/** Returns the last holder of the lock, and the lock file that it had. */
function readHolder(file: string): { process: string; lock: string | undefined } | undefined {
  if (!fs.existsSync(file)) return undefined
  const [process = '', lock] = fs.readFileSync(file, 'utf8').split('\n')
  return { process, lock: lock?.replace('lock ', '') }
}
