import { join } from 'node:path'
import { copyTemplate, templateFor } from 'spec-served/internal/database/template'
import { keepTemplate } from 'spec-served/internal/testing/template'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { service } from './petstore.ts'

/**
 * Makes a directory for a server's `DATA_DIR`, with a migrated database: the first start fills it.
 * @param directory is made where it is missing; whoever calls removes it
 * @returns the same
 */
export async function dataDirectory(directory = temporaryDirectory()): Promise<string> {
  await keepTemplate(service.migrations)
  const database = 'postgres' // where src/engine/service/database/directory.ts keeps it
  copyTemplate(templateFor(service.migrations), join(directory, database))
  return directory
}
