import { execFile } from 'node:child_process'
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { temporaryDirectory } from './temporary.ts'

/**
 * A tar archive of an embedded database as `src/database/connect.ts` has PGlite create it, without a table. That takes
 * PGlite two seconds, so it happens once for each version of PGlite on a machine.
 */
export async function newlyCreatedDatabase(): Promise<string> {
  const { version } = JSON.parse(await readFile('node_modules/@electric-sql/pglite/package.json', 'utf8'))
  const file = join(tmpdir(), `petstore-pglite-${version}.tar`)
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    const pglite = await PGlite.create()
    const contents = Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer())
    await pglite.close()
    // Under its name it is always whole, whoever else is making one.
    const unfinished = `${file}.${process.pid}`
    await writeFile(unfinished, contents)
    await rename(unfinished, file)
  }
  return file
}

/**
 * Makes a directory for a server's `DATA_DIR`, with a newly created database: the first start migrates and fills it, and
 * saves only the creation.
 * @param directory is made where it is missing; whoever calls removes it
 * @returns the same
 */
export async function dataDirectory(directory = temporaryDirectory()): Promise<string> {
  const database = join(directory, 'postgres') // where src/database/connect.ts keeps it
  await mkdir(database, { recursive: true })
  await promisify(execFile)('tar', ['-xf', await newlyCreatedDatabase(), '-C', database])
  return directory
}
