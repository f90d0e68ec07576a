import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../../src/database/connect.ts'
import type { Db } from '../../src/database/tables.ts'
import { dataDirectory } from './data-directory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { kind: 'pglite' } | { kind: 'postgres'; url: string }
  }
}

/** Which database the tests run on this time. */
export const databaseKind = inject('database').kind

export interface TestDatabase extends OpenDatabase {
  config: DatabaseConfig
  /** Makes the database unreachable, as an outage would. */
  cut(): Promise<void>
}

/** A migrated, empty database that belongs to the caller alone; closing it removes it. */
export async function freshDatabase(): Promise<TestDatabase> {
  const source = inject('database')
  if (source.kind === 'pglite') {
    const dataDir = await dataDirectory()
    const config: DatabaseConfig = { kind: 'embedded', dataDir }
    const database = await openDatabase(config)
    const close = async () => {
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    }
    const cut = async () => {
      await sql`select 1`.execute(database.db)
      await database.db.destroy()
    }
    return { ...database, config, close, cut }
  }
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(source.url, `create database ${name} template template_migrated`)
  const config: DatabaseConfig = {
    kind: 'postgres',
    url: `${source.url}/${name}`,
    poolSize: 10,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
  }
  const database = await openDatabase(config)
  const close = async () => {
    await database.close()
    await administer(source.url, `drop database ${name} with (force)`)
  }
  const cut = async () => {
    await administer(source.url, `alter database ${name} allow_connections false`)
    await administer(
      source.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
  }
  return { ...database, config, close, cut }
}

/** Removes every row and starts the identifiers again at 1. */
export async function emptyTables(db: Db): Promise<void> {
  await sql`truncate orders, pets, categories restart identity`.execute(db)
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
