import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type PostgresServer, startPostgres } from '../../scripts/local/postgres.ts'
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../../src/database/connect.ts'
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
  [Symbol.asyncDispose](): Promise<void>
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
    return { ...database, config, close, cut, [Symbol.asyncDispose]: close }
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
  return { ...database, config, close, cut, [Symbol.asyncDispose]: close }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** A new database of a file of tests for PostgreSQL alone. */
export async function freshPostgres(): Promise<TestDatabase & { config: PostgresConfig }> {
  const { config, ...database } = await freshDatabase()
  if (config.kind !== 'postgres') throw new Error('These tests are for PostgreSQL')
  return { ...database, config }
}

/** A replica of the PostgreSQL that the tests run on. */
export function startFollower(): Promise<PostgresServer> {
  const source = inject('database')
  if (source.kind !== 'postgres') throw new Error('These tests are for PostgreSQL')
  return startPostgres(undefined, source)
}
export type PostgresConfig = DatabaseConfig & { kind: 'postgres' }
