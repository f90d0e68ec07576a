import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import { startPostgres } from './postgres.ts'

/** Starts a PostgreSQL with a migrated database that every test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  const url = `${server.url}/template_migrated`
  await server.execute('create database template_migrated')
  const database = await openDatabase({
    kind: 'postgres',
    url,
    poolSize: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
  })
  await migrateToLatest(database.db)
  await database.close()
  project.provide('database', { kind: 'postgres', url: server.url })
  return server.stop
}
