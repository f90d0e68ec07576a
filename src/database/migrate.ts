import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from '../../migrations/index.ts'
import type { Migrations } from './migration.ts'
import { noteNeeds, readApplied, refuseNewer } from './migration-needs.ts'

/** PostgreSQL's lock for migrating: any number that nobody else takes. */
const lockId = 7_301_984
/**
 * How long a migration waits for a table that others use, in ms. Later callers wait behind it, so it gives way then, for
 * as long again, and tries anew: for so many times.
 */
const lockWithin = 1_000
const tries = 150
/** How often a process asks whether it is its turn to migrate, in ms. */
const turnAskedEvery = 50

type Direction = 'up' | 'down'

/** One migration to run or to take back. */
interface Move {
  migrations: Migrations
  name: string
  direction: Direction
  /** the migrations that the database has before it */
  before: readonly string[]
}

/** The names of the migrations that the database has, in their order. */
export async function appliedMigrations<T>(db: Kysely<T>): Promise<string[]> {
  return (await readApplied(db)).map(({ name }) => name)
}

/** Moves the database by one migration, unless another process was faster. */
async function run<T>(
  db: Kysely<T>,
  { migrations, direction, before }: Move,
  disableTransactions: boolean,
): Promise<string[]> {
  if ((await appliedMigrations(db)).join() !== before.join()) return []
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } =
    direction === 'up'
      ? await migrator.migrateUp({ disableTransactions })
      : await migrator.migrateDown({ disableTransactions })
  if (error) throw error
  await noteNeeds(db, migrations)
  return results.map(result => result.migrationName)
}

/**
 * Works while no other process migrates. A process that waits for its turn asks again and again, in a transaction of its
 * own each time: `create index concurrently` waits for the end of every one that had a statement under way when it began.
 */
async function inTurn<T, R>(db: Kysely<T>, work: (transaction: Transaction<T>) => Promise<R>): Promise<R> {
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

/** Runs a migration in a transaction; one whose statements stand alone runs beside the transaction that has the turn. */
function runInTurn<T>(db: Kysely<T>, move: Move): Promise<string[]> {
  if (move.migrations[move.name]?.isOutsideTransaction) {
    const isAlone = !db.getExecutor().adapter.supportsMultipleConnections // the embedded database has one connection
    return isAlone ? run(db, move, true) : inTurn(db, () => run(db, move, true))
  }
  return inTurn(db, async transaction => {
    await sql`select set_config('lock_timeout', ${String(lockWithin)}, true)`.execute(transaction)
    return run(transaction, move, false)
  })
}

/** lock_not_available */
const isInTheWay = (error: unknown) => (error as { code?: unknown }).code === '55P03'

/** Runs a migration, and gives way to others who use a table that it needs for itself. */
async function runPatiently<T>(db: Kysely<T>, move: Move): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runInTurn(db, move)
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (attempt === tries)
        throw new Error(
          `Others have held a table of the migration ${move.name} for five minutes: pg_stat_activity shows their transactions`,
          { cause: error },
        )
      await sleep(lockWithin)
    }
  }
}

/**
 * Brings the database to the form that this code needs. Safe when several processes start at once. Each migration runs by
 * itself; none keeps callers waiting for a table for longer than a second at a time.
 * @param db without a limit of time for a statement: a migration takes as long as it needs
 * @returns the names of the migrations that this process ran
 * @throws Error when a migration fails, or when the database has migrations that this code can't work with
 */
export async function migrateToLatest<T>(db: Kysely<T>, all: Migrations = migrations): Promise<string[]> {
  const moved: string[] = []
  for (;;) {
    const applied = await readApplied(db)
    refuseNewer(applied, all)
    const before = applied.map(({ name }) => name)
    const name = Object.keys(all).find(name => !before.includes(name))
    if (name === undefined) return moved
    moved.push(...(await runPatiently(db, { migrations: all, name, direction: 'up', before })))
  }
}

/** Takes back the last migrations, with the data that they hold. */
export async function migrateDown<T>(
  db: Kysely<T>,
  count = 1,
  all: Migrations = migrations,
): Promise<string[]> {
  const moved: string[] = []
  while (moved.length < count) {
    const before = await appliedMigrations(db)
    // A program that works beside a migration which it does not know can't take that back.
    refuseNewer(
      before.map(name => ({ name, worksFrom: null })),
      all,
    )
    const name = before.at(-1)
    if (name === undefined) return moved
    moved.push(...(await runPatiently(db, { migrations: all, name, direction: 'down', before })))
  }
  return moved
}

/** Each migration, and when it ran. */
export async function migrationStatus<T>(
  db: Kysely<T>,
): Promise<{ name: string; takenAt: Date | undefined }[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const all = await migrator.getMigrations()
  return all.map(({ name, executedAt }) => ({ name, takenAt: executedAt }))
}
