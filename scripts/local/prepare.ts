import { readFile, rm } from 'node:fs/promises'
import { openDatabase } from '../../src/engine/database/connect.ts'
import { migrateToLatest } from '../../src/engine/database/migrate.ts'
import type { Database } from '../../src/engine/database/tables.ts'
import { keyForm } from '../../src/engine/keys/api-key.ts'
import { leaveFirstKey } from '../../src/engine/keys/first-key.ts'
import { unsealed } from '../../src/engine/keys/seal.ts'
import { loadService, ownContract } from '../project.ts'
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
    const { name, migrations } = await loadService()
    await migrateToLatest(db, migrations)
    const tools = { seal: unsealed, form: keyForm(name) }
    const file = await leaveFirstKey(db, directory, new Date(), tools, await ownContract())
    return (await readFile(file ?? '', 'utf8')).trim()
  }).finally(() => rm(directory, { recursive: true }))
}
