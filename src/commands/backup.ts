import { mkdir, rm } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { type Content, copyDatabase } from '../database/backup.ts'
import { reasonOf } from '../database/directory.ts'
import { Misuse } from './failures.ts'
import type { Command } from './tools.ts'

/** Longest path, in bytes. Source: Linux, PATH_MAX. */
const longestPath = 4_096

/** Copies the embedded database into a directory that is not there yet. Whoever asks reads the copy back. */
export const backup: Command<{ directory: string }, Content & { waitedMs: number }> = {
  opensAsIs: true,
  check(input) {
    const { directory } = (input ?? {}) as { directory?: unknown } // looked at here
    if (typeof directory !== 'string' || !isAbsolute(directory) || Buffer.byteLength(directory) > longestPath)
      throw new Misuse('A backup goes to the absolute path of a directory')
    return { directory }
  },
  async run({ directory }, { db, dataDir, settle }) {
    if (dataDir == null) throw new Error('Only an embedded database in a directory can be backed up so')
    await settle()
    await mkdir(directory, { mode: 0o700 }).catch(error => {
      throw new Error(`${directory} can’t be made: ${mkdirReasons[error.code] ?? reasonOf(error)}`, {
        cause: error,
      })
    })
    try {
      return await copyDatabase(db, dataDir, directory)
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw new Error(`The database can’t be copied to ${directory}: ${reasonOf(error)}`, { cause: error })
    }
  },
}

/** What the system's refusals mean where one directory is to be made. */
const mkdirReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already, and a backup overwrites nothing',
  ENOENT: 'the directory that it would be in is not there',
}
