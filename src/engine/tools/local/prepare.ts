import { readFile, rm } from 'node:fs/promises'
import { keyForm } from 'spec-served/internal/callers/api-key'
import { leaveFirstKey } from 'spec-served/internal/callers/first-key'
import { unsealed } from 'spec-served/internal/callers/seal'
import { loadService, ownContract } from 'spec-served/internal/command/project'
import { openDatabase } from 'spec-served/internal/database/connect'
import { migrateToLatest } from 'spec-served/internal/database/migrate'
import type { Database } from 'spec-served/internal/database/tables'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'

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
