import { createHash } from 'node:crypto'
import { constants, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import service from '../../../server.ts'
import { openMigrated } from '../../service/database/connect.ts'
import { temporaryDirectory } from '../../tools/local/temporary.ts'

let template: Promise<string> | undefined

/**
 * The migrated database that tests copy: to copy it takes a fiftieth of the time. It is kept for later runs, under a
 * name that changes with what makes it.
 */
export function databaseTemplate(): Promise<string> {
  template ??= findOrMake()
  return template
}

async function findOrMake(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync('package-lock.json'))
  for (const directory of [
    'migrations',
    'src/engine/service/database',
    'src/engine/service/database/migrations',
  ])
    for (const name of readdirSync(directory)
      .filter(name => name.endsWith('.ts'))
      .sort())
      hash.update(readFileSync(join(directory, name)))
  const kept = join(tmpdir(), `petstore-database-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(kept)) return kept
  const made = temporaryDirectory()
  const { close } = await openMigrated({ kind: 'embedded', dataDir: made }, service.migrations)
  await close()
  try {
    renameSync(made, kept) // whole, or not at all
  } catch {
    rmSync(made, { recursive: true }) // another process was first
  }
  return kept
}

/**
 * Makes a directory for a server's `DATA_DIR`, with a migrated database: the first start fills it.
 * @param directory is made where it is missing; whoever calls removes it
 * @returns the same
 */
export async function dataDirectory(directory = temporaryDirectory()): Promise<string> {
  const database = 'postgres' // where src/engine/service/database/directory.ts keeps it
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE }
  cpSync(join(await databaseTemplate(), database), join(directory, database), options)
  return directory
}
