import { sql } from 'kysely'
import { keyForm } from 'spec-served/internal/callers/api-key'
import { insertApiKey } from 'spec-served/internal/callers/api-keys'
import { hashKey } from 'spec-served/internal/callers/key-cache'
import { loadService } from 'spec-served/internal/command/project'
import { migrateToLatest } from 'spec-served/internal/database/migrate'
import type { Database } from 'spec-served/internal/database/tables'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { onDatabase } from 'spec-served-cli/internal/local/prepare'
import { animals, available, scarce } from './operations.ts'

/** Maintenance that PostgreSQL else does at times of its own. The bench runs it before each measurement of writes. */
export const clean = 'vacuum (analyze) pets, orders, idempotent_replies'

/** Reads into memory what the first requests else would, from files that were copied a moment ago. */
const warm =
  "select pg_prewarm('pets'), pg_prewarm(indexrelid) from pg_index where indrelid = 'pets'::regclass"

/** A PostgreSQL with databases that are copies of each other. */
export interface Databases {
  /** the process whose children serve the sessions */
  pid: number
  version: string
  /** Makes a database and returns its URL. Its animals are in memory, as in a database that has run for a while. */
  copy(): Promise<string>
  /** Runs one statement on a database. */
  execute(url: string, statement: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a PostgreSQL with one database full of animals, nine of ten available in great numbers. */
export async function startDatabases(): Promise<Databases> {
  const postgres = await startPostgres()
  // Statements of its own would come when they like; what they do is done between the measurements.
  await postgres.execute('alter system set autovacuum = off')
  // Its default of 128 MB does not hold the databases of all servers.
  await postgres.execute("alter system set shared_buffers = '1GB'")
  await postgres.kill()
  await postgres.restart()
  await postgres.execute('create database animals')
  await onDatabase(`${postgres.url}/animals`, fill)
  const setting = sql<{ version: string }>`select current_setting('server_version') as version`
  const { rows } = await onDatabase(`${postgres.url}/animals`, db => setting.execute(db))
  let copies = 0
  return {
    pid: postgres.pid(),
    version: rows[0]?.version ?? '',
    async copy() {
      copies += 1
      await postgres.execute(`create database copy_${copies} template animals`)
      const url = `${postgres.url}/copy_${copies}`
      await onDatabase(url, async db => void (await sql.raw(warm).execute(db)))
      return url
    },
    execute: (url, statement) => onDatabase(url, async db => void (await sql.raw(statement).execute(db))),
    stop: postgres.stop,
  }
}

const categories = 100

async function fill(db: Database): Promise<void> {
  await migrateToLatest(db, (await loadService()).migrations)
  await sql`create extension pg_prewarm`.execute(db)
  await sql`
    insert into categories (name, name_key)
    select 'Kind ' || i, 'kind ' || i from generate_series(1, ${categories}::int) as i`.execute(db)
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select 1 + i % ${categories}::int, 'Animal ' || i, 'animal ' || i,
      case when i <= ${scarce}::int then 'available' when i % 2 = 0 then 'pending' else 'sold' end,
      case when i <= ${available}::int then 1000000000 when i = ${scarce}::int then 3 else 0 end
    from generate_series(1, ${animals}::int) as i`.execute(db)
  await sql`vacuum (analyze)`.execute(db)
}

/** Stores an API key whose quotas are never exhausted. */
export async function issueKey(url: string): Promise<string> {
  const form = keyForm((await loadService()).name)
  const secret = form.mint()
  const key = {
    name: 'Bench',
    plan: 'Enterprise',
    scopes: ['read', 'write'],
    expiresAt: null,
    quotas: { minute: 1_000_000_000, day: 1_000_000_000 },
    preview: form.preview(secret),
    hash: hashKey(secret),
    createdAt: new Date(),
  } satisfies Parameters<typeof insertApiKey>[1]
  await onDatabase(url, db => insertApiKey(db, key))
  return secret
}
