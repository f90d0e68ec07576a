import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { engineMigrations } from './all-migrations.ts'
import { EmbeddedAdapter } from './embedded-dialect.ts'
import { codeOf, isLocked } from './failures.ts'
import type { Migrations } from './migration.ts'
import type { Database, Trx } from './tables.ts'

/** The number of PostgreSQL's lock for migrations. No other program takes it. */
const lockId = 7_301_984
/**
 * How long a migration waits for a table in use, in ms. Later callers queue behind it, so it then pauses for as long
 * and tries again, up to `tries` times.
 */
const lockWithin = 1_000
const tries = 150
/** How often a process asks for its turn to migrate, in ms. */
const turnAskedEvery = 50

interface Applied {
  name: string
  /** when it ran, in ISO 8601 */
  timestamp: string
  /** the migration that a program must know to work with the database from then on; null: not noted */
  worksFrom: string | null
}

/** Reads the applied migrations, in order. Kysely's migrator takes ten times as long. */
async function readApplied(db: Database): Promise<Applied[]> {
  const { rows: tables } = await sql<{ name: string | null }>`
    select to_regclass('kysely_migration')::text as name
  `.execute(db)
  if (!tables[0]?.name) return []
  // A database that has only older migrations lacks the column.
  const { rows } = await sql<Applied>`
    select name, timestamp, to_jsonb(kysely_migration)->>'works_from' as "worksFrom"
    from kysely_migration order by timestamp, name
  `.execute(db)
  return rows
}

/** Returns the names of the applied migrations, in order. */
export const appliedMigrations = async (db: Database) => (await readApplied(db)).map(({ name }) => name)

export async function migrationStatus(db: Database, migrations: Migrations) {
  const applied = new Map((await readApplied(db)).map(({ name, timestamp }) => [name, new Date(timestamp)]))
  return Object.keys(migrations).map(name => ({ name, takenAt: applied.get(name) }))
}

/**
 * Runs the missing migrations one by one, and returns their names. Several processes may start at once.
 * @param db has no time limit for a statement: a migration takes as long as it needs
 * @throws Error when a migration fails, or when the database has migrations that this code can't work with
 */
export function migrateToLatest(db: Database, all: Migrations): Promise<string[]> {
  return move(db, all, 'Up', Number.POSITIVE_INFINITY)
}

/** Undoes the last migrations. The data that they hold is lost. */
export function migrateDown(db: Database, all: Migrations, count = 1): Promise<string[]> {
  return move(db, all, 'Down', count)
}

type Direction = 'Up' | 'Down'

async function move(db: Database, all: Migrations, direction: Direction, count: number): Promise<string[]> {
  const moved: string[] = []
  while (moved.length < count) {
    const applied = await readApplied(db)
    refuseNewer(applied, all, direction)
    const before = applied.map(({ name: migration }) => migration)
    const name = direction === 'Up' ? Object.keys(all).find(each => !before.includes(each)) : before.at(-1)
    if (name === undefined) return moved
    moved.push(...(await runPatiently(db, { all, name, direction, before })))
  }
  return moved
}

/**
 * Refuses a database with unknown migrations, unless these declare that they work with this program. So the previous
 * release goes on while servers are replaced. It can undo none of them.
 */
function refuseNewer(applied: readonly Applied[], all: Migrations, direction: Direction): void {
  const knows = (name: string | null) => name !== null && Object.hasOwn(all, name)
  const isBehind = Object.keys(all).some(name => !applied.some(each => each.name === name))
  const tooNew = applied.find(
    ({ name, worksFrom }) => !knows(name) && (direction === 'Down' || isBehind || !knows(worksFrom)),
  )
  if (tooNew)
    throw new Error(
      `The database is newer than this program: it has the migration ${tooNew.name}, which this program does not know`,
    )
}

interface Move {
  all: Migrations
  name: string
  direction: Direction
  /** the migrations that the database has before this one */
  before: readonly string[]
}

/** Runs a migration, and gives way to others that use a table which it must lock. */
async function runPatiently(db: Database, direction: Move): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runInTurn(db, direction)
    } catch (error) {
      if (!isLocked(error)) throw error
      if (attempt === tries)
        throw new Error(
          `Others have locked a table of the migration ${direction.name} for five minutes: pg_stat_activity shows their transactions`,
          { cause: error },
        )
      await sleep(lockWithin)
    }
  }
}

/** Runs a migration in a transaction. One outside transactions runs beside the transaction that has the turn. */
function runInTurn(db: Database, direction: Move): Promise<string[]> {
  if (direction.all[direction.name]?.isOutsideTransaction) {
    const { adapter } = db.getExecutor()
    const isAlone = adapter instanceof EmbeddedAdapter || !adapter.supportsMultipleConnections
    return isAlone ? oneByOne(db, () => run(db, direction, true)) : inTurn(db, () => run(db, direction, true))
  }
  return inTurn(db, async transaction => {
    await sql`select set_config('lock_timeout', ${String(lockWithin)}, true)`.execute(transaction)
    return run(transaction, direction, false)
  })
}

/** the last migrations of embedded databases */
const turns = new WeakMap<Database, Promise<unknown>>()

/** Works while nothing else migrates the database. No other process has it open. */
function oneByOne<R>(db: Database, work: () => Promise<R>): Promise<R> {
  const result = (turns.get(db) ?? Promise.resolve()).then(work, work)
  turns.set(db, result)
  return result
}

/**
 * Works while no other process migrates. A waiting process asks again and again, each time in a new transaction:
 * `create index concurrently` waits for every transaction that had a statement under way when it began.
 */
async function inTurn<R>(db: Database, work: (transaction: Trx) => Promise<R>): Promise<R> {
  for (;;) {
    const turn = await db.transaction().execute(async transaction => {
      const { rows } = await sql<{ isMine: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(lockId)}) as "isMine"`.execute(transaction)
      return rows[0]?.isMine ? { result: await work(transaction) } : undefined
    })
    if (turn) return turn.result
    await sleep(turnAskedEvery)
  }
}

/** Moves the database by one migration, unless another process already did. */
async function run(db: Database, { all, name, direction, before }: Move, disableTransactions: boolean) {
  if ((await appliedMigrations(db)).join() !== before.join()) return []
  // Kysely runs migrations by name, so it gets only this one of those that are missing.
  const migrations = Object.fromEntries([...before, name].map(each => [each, all[each] ?? {}] as const))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations as Migrations }, // Kysely does not need the others' code
    allowUnorderedMigrations: true,
  })
  const { error, results = [] } = await migrator[`migrate${direction}`]({ disableTransactions })
  if (error)
    throw isThere(error) ? nameTaken(error, name) : isOfStatement(error) ? wrongStatement(error, name) : error
  await noteNeeds(db, all)
  return results.map(result => result.migrationName)
}

/** Whether a migration found a table of the name that it gives (PostgreSQL's `duplicate_table`). */
const isThere = (error: unknown): error is Error => Object(error).code === '42P07'

/** Whether the database does not take a statement as it is written: SQLSTATE class 42, but for a lack of rights. */
const isOfStatement = (error: unknown): error is Error => /^42(?!501)/.test(codeOf(error))

const wrongStatement = (cause: Error, name: string): Error =>
  Object.assign(
    new Error(`The migration ${name} has a wrong statement: ${cause.message}. Correct it there.`, { cause }),
    {
      code: codeOf(cause),
    },
  )

function nameTaken(cause: Error, name: string): Error {
  const isEngines = Object.hasOwn(engineMigrations, name)
  return new Error(
    isEngines
      ? `The service's own migration ${name} can't make its table (${cause.message}): rename yours, or give the service a database of its own`
      : `The migration ${name} makes a table of a name that is taken (${cause.message}): give yours another name. The service has tables of its own, such as api_keys`,
    { cause },
  )
}

/** Notes which programs can work with the migrated database, for programs that do not know its migrations. */
async function noteNeeds(db: Database, all: Migrations): Promise<void> {
  const applied = await readApplied(db)
  const names = applied.flatMap(({ name, worksFrom }) =>
    Object.hasOwn(all, name) && worksFrom === null ? [name] : [],
  )
  if (names.length === 0) return
  const [first] = Object.keys(all)
  const needs = names.map(name => all[name]?.needs ?? first)
  await sql`alter table kysely_migration add column if not exists works_from text`.execute(db)
  await sql`
    update kysely_migration set works_from = noted.needs
    from unnest(${names}::text[], ${needs}::text[]) as noted (name, needs)
    where kysely_migration.name = noted.name`.execute(db)
}

/** Rows of a table that are read to measure the speed of reading. */
const sample = 100_000

/** Estimates how long a full read of each table takes, in seconds, by table. */
export async function measureReading(db: Database): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string; rows: number }>`
    select relname as name, reltuples::float8 as rows from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname not like 'kysely%'
  `.execute(db)
  const seconds: Record<string, number> = {}
  for (const { name, rows } of tables) {
    const begun = performance.now()
    const { rows: counted } = await sql<{ rows: number }>`
      select count(*)::float8 as rows from (select * from ${sql.table(name)} limit ${sample}) as part
    `.execute(db)
    const read = counted[0]?.rows ?? 0
    const share = read < sample ? 1 : Math.max(1, rows / read)
    seconds[name] = ((performance.now() - begun) / 1_000) * share
  }
  return seconds
}
