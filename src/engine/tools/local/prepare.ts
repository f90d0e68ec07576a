import { readFile, rm } from 'node:fs/promises'
import { keyForm } from '../../service/callers/api-key.ts'
import { leaveFirstKey } from '../../service/callers/first-key.ts'
import { unsealed } from '../../service/callers/seal.ts'
import { openDatabase } from '../../service/database/connect.ts'
import { migrateToLatest } from '../../service/database/migrate.ts'
import type { Database } from '../../service/database/tables.ts'
import { loadService, ownContract } from '../command/project.ts'
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
