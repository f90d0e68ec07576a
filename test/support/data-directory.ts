import { constants, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../../scripts/local/temporary.ts'
import { openMigrated } from '../../src/database/connect.ts'

let made: Promise<string> | undefined

/** Makes the database that this process copies: to copy it takes a fiftieth of the time. */
async function make(): Promise<string> {
  const directory = temporaryDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const { close } = await openMigrated({ kind: 'embedded', dataDir: directory })
  await close()
  return directory
}

/**
 * Makes a directory for a server's `DATA_DIR`, with a migrated database: the first start fills it.
 * @param directory is made where it is missing; whoever calls removes it
 * @returns the same
 */
export async function dataDirectory(directory = temporaryDirectory()): Promise<string> {
  made ??= make()
  const database = 'postgres' // where src/database/directory.ts keeps it
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE }
  cpSync(join(await made, database), join(directory, database), options)
  return directory
}
