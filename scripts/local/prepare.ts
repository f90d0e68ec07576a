import { readFile, rm } from 'node:fs/promises'
import { readContract } from '../../src/contract.ts'
import { openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import { leaveFirstKey } from '../../src/first-key.ts'
import { unsealed } from '../../src/keys/seal.ts'
import { temporaryDirectory } from './temporary.ts'

/** Migrates a PostgreSQL database and makes its first key. */
export async function prepare(url: string): Promise<string> {
  const config = { kind: 'postgres', url, poolSize: 3, connectTimeoutMs: 5_000 } as const
  const { db, close } = await openDatabase({ ...config, statementTimeoutMs: 30_000 })
  const directory = temporaryDirectory()
  try {
    await migrateToLatest(db)
    const file = await leaveFirstKey(db, directory, new Date(), unsealed, await readContract())
    return (await readFile(file ?? '', 'utf8')).trim()
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
}
