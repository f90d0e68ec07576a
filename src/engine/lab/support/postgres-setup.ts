import { openDatabase } from 'spec-served/internal/database/connect'
import { migrateToLatest } from 'spec-served/internal/database/migrate'
import { type PostgresServer, startPostgres } from 'spec-served-cli/internal/local/postgres'
import type { TestProject } from 'vitest/node'
import { service } from './petstore.ts'

/**
 * Starts a PostgreSQL with a migrated database that every test file copies. Where it can't start, the tests on it are
 * skipped with the reason, but never in CI.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  let server: PostgresServer
  try {
    server = await startPostgres()
  } catch (error) {
    if (process.env.CI) throw error
    console.warn('The tests on PostgreSQL are skipped, as it does not start here:', error)
    project.provide('database', { kind: 'postgres', url: '' })
    project.config.testNamePattern = /(?!)/ // matches no name
    return
  }
  const url = `${server.url}/template_migrated`
  await server.execute('create database template_migrated')
  const database = await openDatabase({
    kind: 'postgres',
    url,
    poolSize: 3,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 10_000,
  })
  await migrateToLatest(database.db, service.migrations)
  await database.close()
  project.provide('database', { kind: 'postgres', url: server.url })
  return server.stop
}
