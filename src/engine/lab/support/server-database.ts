import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataDirectory } from './data-directory.ts'
import { databaseKind, freshPostgres } from './database.ts'
import { issueKey } from './store.ts'

/** A database for servers in processes of their own. */
export interface ServerDatabase {
  /** the setting that leads a server to it */
  env: Record<string, string>
  /** A key with every scope and the plan Business; to be asked for once a server has started. */
  firstKey(): Promise<string>
  /** Removes it; no server may run on it any more. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A new database, on what the tests run on this time; embedded, a server fills it with the sample store. */
export async function serverDatabase(): Promise<ServerDatabase> {
  if (databaseKind === 'pglite') {
    const directory = await dataDirectory()
    return {
      env: { DATA_DIR: directory },
      firstKey: async () => (await readFile(join(directory, 'api-key'), 'utf8')).trim(),
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
    }
  }
  const { db, config, close } = await freshPostgres()
  return {
    env: { DATABASE_URL: config.url },
    firstKey: () => issueKey(db, { plan: 'Business' }),
    [Symbol.asyncDispose]: close,
  }
}
