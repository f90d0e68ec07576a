import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../../src/database/connect.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { kind: 'pglite'; contents: string } | { kind: 'postgres'; url: string }
  }
}

/** Which database the tests run on this time. */
export const databaseKind = inject('database').kind

/** A migrated, empty database that belongs to the caller alone; closing it removes it. */
export async function freshDatabase(): Promise<OpenDatabase & { config: DatabaseConfig }> {
  const source = inject('database')
  if (source.kind === 'pglite') {
    const config: DatabaseConfig = {
      kind: 'embedded',
      dataDir: null,
      contents: new Blob([await readFile(source.contents)]),
    }
    return { ...(await openDatabase(config)), config }
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
  return { ...database, config, close }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
