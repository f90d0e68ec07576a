import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../../src/database/connect.ts'
import { migrateToLatest } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/tables.ts'
import { hashKey, mintKey, previewKey } from '../../src/keys/api-key.ts'
import { insertApiKey } from '../../src/store/api-keys.ts'
import { freePort, startPostgres } from '../../test/support/postgres.ts'
import { temporaryDirectory } from '../../test/support/temporary.ts'
import { type Closing, deafened } from './closing.ts'

export { freePort }

/** What PostgreSQL else does when it likes: it is done before each measurement of writes. */
export const clean = 'vacuum (analyze) pets, orders'

/** Reads into memory what the first requests else would, from files that were copied a moment ago. */
const warm =
  "select pg_prewarm('pets'), pg_prewarm(indexrelid) from pg_index where indrelid = 'pets'::regclass"

/** A PostgreSQL with databases that are copies of each other. */
export interface Databases {
  /** the process whose children serve the sessions */
  pid: number
  version: string
  /** Makes a database with so many animals, nine of ten available in great numbers; or finds it. */
  template(animals: number): Promise<string>
  /** Copies a database, has its animals in memory, as they are where it has run for a while, and returns its URL. */
  copy(template: string): Promise<string>
  /** Runs one statement on a database. */
  execute(url: string, statement: string): Promise<void>
}

/** Opens a database for a while. */
export async function onDatabase<T>(url: string, run: (db: Database) => Promise<T>): Promise<T> {
  const config = { kind: 'postgres', url, poolSize: 3, connectTimeoutMs: 5_000 } as const
  const { db, close } = await openDatabase({ ...config, statementTimeoutMs: 300_000 })
  try {
    return await run(db)
  } finally {
    await close()
  }
}

export async function startDatabases(closing: Closing): Promise<Databases> {
  const directory = temporaryDirectory()
  const postgres = await deafened(() => startPostgres(directory))
  closing.add(postgres.stop)
  // Statements of its own would come when they like; what they do is done between the measurements.
  await postgres.execute('alter system set autovacuum = off')
  // Its default of 128 MB does not hold the databases of all servers, nor a million animals with their indexes.
  await postgres.execute("alter system set shared_buffers = '1GB'")
  await postgres.kill()
  await postgres.restart()
  const templates = new Map<number, string>()
  let copies = 0
  return {
    pid: Number(readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n')[0]),
    version: await onDatabase(`${postgres.url}/postgres`, versionOf),
    async template(animals) {
      const name = templates.get(animals) ?? `animals_${animals}`
      if (templates.has(animals)) return name
      await postgres.execute(`create database ${name}`)
      await onDatabase(`${postgres.url}/${name}`, db => fill(db, animals))
      templates.set(animals, name)
      return name
    },
    async copy(template) {
      copies += 1
      await postgres.execute(`create database copy_${copies} template ${template}`)
      const url = `${postgres.url}/copy_${copies}`
      await onDatabase(url, async db => void (await sql.raw(warm).execute(db)))
      return url
    },
    execute: (url, statement) => onDatabase(url, async db => void (await sql.raw(statement).execute(db))),
  }
}

async function versionOf(db: Database): Promise<string> {
  const { rows } = await sql<{
    version: string
  }>`select current_setting('server_version') as version`.execute(db)
  return rows[0]?.version ?? ''
}

const categories = 100

async function fill(db: Database, animals: number): Promise<void> {
  await migrateToLatest(db)
  await sql`create extension pg_prewarm`.execute(db)
  await sql`
    insert into categories (name, name_key)
    select 'Kind ' || i, 'kind ' || i from generate_series(1, ${categories}::int) as i`.execute(db)
  const available = Math.ceil(animals * 0.9)
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select 1 + i % ${categories}::int, 'Animal ' || i, 'animal ' || i,
      case when i <= ${available + 1}::int then 'available' when i % 2 = 0 then 'pending' else 'sold' end,
      case when i <= ${available}::int then 1000000000 when i = ${available + 1}::int then 3 else 0 end
    from generate_series(1, ${animals}::int) as i`.execute(db)
  await sql`vacuum (analyze)`.execute(db)
}

/** Stores an API key of the plan Enterprise, whose quotas are never exhausted. */
export async function issueKey(url: string): Promise<string> {
  const secret = mintKey()
  await onDatabase(url, db =>
    insertApiKey(db, {
      name: 'Bench',
      plan: 'Enterprise',
      scopes: ['read', 'write'],
      quotas: { minute: 1_000_000_000, day: 1_000_000_000 },
      preview: previewKey(secret),
      hash: hashKey(secret),
      createdAt: new Date(),
      expiresAt: null,
    }),
  )
  return secret
}
