import { readFile, rm } from 'node:fs/promises'
import { readContract } from '../../src/contract.ts'
import { openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/tables.ts'
import { leaveFirstKey } from '../../src/first-key.ts'
import { unsealed } from '../../src/keys/seal.ts'
import { temporaryDirectory } from './temporary.ts'

/** Opens a PostgreSQL database for a while. */
export async function onDatabase<T>(url: string, run: (db: Database) => Promise<T>): Promise<T> {
  const config = { kind: 'postgres', url, poolSize: 3, connectTimeoutMs: 5_000 } as const
  const { db, close } = await openDatabase({ ...config, statementTimeoutMs: 300_000 })
  return run(db).finally(close)
}

/** Migrates a PostgreSQL database and makes its first key. */
export function prepare(url: string): Promise<string> {
  const directory = temporaryDirectory()
  return onDatabase(url, async db => {
    await migrateToLatest(db)
    const file = await leaveFirstKey(db, directory, new Date(), unsealed, await readContract())
    return (await readFile(file ?? '', 'utf8')).trim()
  }).finally(() => rm(directory, { recursive: true }))
}
