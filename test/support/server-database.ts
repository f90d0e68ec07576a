import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataDirectory } from './data-directory.ts'
import { databaseKind, freshDatabase } from './database.ts'
import { issueKey } from './store.ts'

/** A database for a server in a process of its own. */
export interface ServerDatabase {
  /** the setting that leads a server to it */
  env: Record<string, string>
  /** A key with every scope and the plan Business; to be asked for once a server has started. */
  firstKey(): Promise<string>
  /** Removes it; no server may run on it any more. */
  close(): Promise<void>
}

/** A new database, on what the tests run on this time; embedded, a server fills it with the sample store. */
export async function serverDatabase(): Promise<ServerDatabase> {
  if (databaseKind === 'pglite') {
    const directory = await dataDirectory()
    return {
      env: { DATA_DIR: directory },
      firstKey: async () => (await readFile(join(directory, 'api-key'), 'utf8')).trim(),
      close: () => rm(directory, { recursive: true }),
    }
  }
  const { db, config, close } = await freshDatabase()
  if (config.kind !== 'postgres') throw new Error('There are two kinds of databases')
  return { env: { DATABASE_URL: config.url }, firstKey: () => issueKey(db, { plan: 'Business' }), close }
}
