import { loadEnvFile, readConfig } from '../src/config.ts'
import { openMigrated } from '../src/database/open.ts'
import type { Database } from '../src/database/tables.ts'

/** Runs on the database that the environment names, migrated, and closes it. */
export async function withDatabase<T>(run: (db: Database) => Promise<T>): Promise<T> {
  loadEnvFile()
  const { db, close } = await openMigrated(readConfig(process.env).database)
  try {
    return await run(db)
  } finally {
    await close()
  }
}
