import { rm } from 'node:fs/promises'
import pg from 'pg'
import type { DatabaseConfig } from 'spec-served/internal/database/connect'
import { type PostgresServer, startPostgres } from 'spec-served-cli/internal/local/postgres'
import { inject } from 'vitest'
import { dataDirectory } from './data-directory.ts'
import { type OpenStore, openStore } from './tables.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { kind: 'pglite' } | { kind: 'postgres'; url: string }
  }
}

/** Which database the tests run on this time. */
export const databaseKind = inject('database').kind

export interface TestDatabase extends OpenStore {
  config: DatabaseConfig
  /** Makes the database unreachable, as an outage would. */
  cut(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A migrated, empty database that belongs to the caller alone, and is open nowhere. It is removed at the end. */
export async function closedDatabase(): Promise<{ config: DatabaseConfig } & AsyncDisposable> {
  const source = inject('database')
  if (source.kind === 'pglite') {
    const dataDir = await dataDirectory()
    const remove = () => rm(dataDir, { recursive: true, force: true })
    return { config: { kind: 'embedded', dataDir }, [Symbol.asyncDispose]: remove }
  }
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(source.url, `create database ${name} template template_migrated`)
  const url = `${source.url}/${name}`
  return {
    config: { kind: 'postgres', url, poolSize: 10, connectTimeoutMs: 60_000, statementTimeoutMs: 120_000 },
    [Symbol.asyncDispose]: () => administer(source.url, `drop database ${name} with (force)`),
  }
}

/** The same, opened; closing it removes it. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { config, [Symbol.asyncDispose]: remove } = await closedDatabase()
  const database = await openStore(config)
  const close = async () => {
    await database.close()
    await remove()
  }
  return { ...database, config, close, cut: () => cut(config, database), [Symbol.asyncDispose]: close }
}

async function cut(config: DatabaseConfig, database: OpenStore): Promise<void> {
  if (config.kind === 'embedded') return database.close()
  const { pathname } = new URL(config.url)
  const [server, name] = [config.url.slice(0, -pathname.length), pathname.slice(1)]
  await administer(server, `alter database ${name} allow_connections false`)
  await administer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
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
