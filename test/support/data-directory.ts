import { join } from 'node:path'
import { templateDatabase } from '../../src/database/template.ts'
import { temporaryDirectory } from './temporary.ts'

/**
 * Makes a directory for a server's `DATA_DIR`, with a migrated database: the first start fills it.
 * @param directory is made where it is missing; whoever calls removes it
 * @returns the same
 */
export async function dataDirectory(directory = temporaryDirectory()): Promise<string> {
  const database = join(directory, 'postgres') // where src/database/directory.ts keeps it
  if (!(await templateDatabase().copyTo(database))) throw new Error(`No database can be made in ${directory}`)
  return directory
}
