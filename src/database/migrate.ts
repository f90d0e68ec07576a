import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type MigrationResultSet, Migrator } from 'kysely/migration'
import { migrations } from '../../migrations/index.ts'
import { withoutDeadline } from './deadline.ts'
import type { Steps } from './step.ts'
import { noteNeeds, readTaken, refuseNewer } from './step-needs.ts'

/** The lock of PostgreSQL that who migrates holds: any number that nobody else takes. */
const lockId = 7_301_984
/**
 * How long a step waits for a table that others use, in ms. Who comes later waits behind it, so it gives way then, for as
 * long again, and tries anew: for so many times.
 */
const lockWithin = 1_000
const tries = 150

/** How often a process asks whether it is its turn to migrate, in ms. */
const turnAskedEvery = 50

type Direction = 'up' | 'down'

/** Moves the database by one step; the steps know tables that the types of today may have no more. */
async function move<T>(
  db: Kysely<T>,
  steps: Steps,
  direction: Direction,
  disableTransactions: boolean,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps } })
  const options = { disableTransactions }
  return outcome(await (direction === 'up' ? migrator.migrateUp(options) : migrator.migrateDown(options)))
}

function outcome({ error, results = [] }: MigrationResultSet): string[] {
  if (error) throw error
  return results.map(result => result.migrationName)
}

/**
 * Works while no other process migrates, for as long as it takes. Who waits for its turn asks again and again, in a
 * transaction of its own each time: `create index concurrently` waits for the end of every one that had a statement under
 * way when it began.
 */
async function inTurn<T, R>(db: Kysely<T>, work: (transaction: Transaction<T>) => Promise<R>): Promise<R> {
  for (;;) {
    const turn = await db.transaction().execute(async transaction => {
      await sql`select set_config('statement_timeout', '0', true)`.execute(transaction)
      const { rows } = await sql<{ isMine: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(lockId)}) as "isMine"`.execute(transaction)
      return rows[0]?.isMine ? { result: await work(transaction) } : undefined
    })
    if (turn) return turn.result
    await sleep(turnAskedEvery)
  }
}

/** Moves by a step that is all done or not at all. */
function moveInTransaction<T>(
  db: Kysely<T>,
  steps: Steps,
  direction: Direction,
  isNext: (db: Kysely<T>) => Promise<boolean>,
): Promise<string[]> {
  return inTurn(db, async transaction => {
    if (!(await isNext(transaction))) return []
    await sql`select set_config('lock_timeout', ${String(lockWithin)}, true)`.execute(transaction)
    const moved = await move(transaction, steps, direction, false)
    await noteNeeds(transaction, steps)
    return moved
  })
}

/** Moves by a step whose statements stand alone; a transaction beside it has the turn. */
async function moveOutside<T>(
  db: Kysely<T>,
  steps: Steps,
  direction: Direction,
  isNext: (db: Kysely<T>) => Promise<boolean>,
): Promise<string[]> {
  const alone = () =>
    db.connection().execute(async connection => {
      await sql`select set_config('statement_timeout', '0', false)`.execute(connection)
      try {
        if (!(await isNext(connection))) return []
        const moved = await move(connection, steps, direction, true)
        await noteNeeds(connection, steps)
        return moved
      } finally {
        await sql`reset statement_timeout`.execute(connection)
      }
    })
  if (!db.getExecutor().adapter.supportsMultipleConnections) return alone() // nobody else is there
  return inTurn(db, alone)
}

/** lock_not_available */
const isInTheWay = (error: unknown) => (error as { code?: unknown }).code === '55P03'

/** Gives way to who uses a table that a step needs for itself, as often as it may. */
async function patiently(run: () => Promise<string[]>): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (attempt === tries)
        throw new Error(
          'Others have held a table of this step for five minutes: pg_stat_activity shows their transactions',
          { cause: error },
        )
      await sleep(lockWithin)
    }
  }
}

/** The names of the steps that were taken, in their order. */
export async function takenSteps<T>(db: Kysely<T>): Promise<string[]> {
  return (await readTaken(db)).map(({ name }) => name)
}

/** Moves by one step, if it is still the one to take when this process's turn has come. */
function moveBy<T>(
  db: Kysely<T>,
  steps: Steps,
  name: string,
  direction: Direction,
  before: readonly string[],
): Promise<string[]> {
  const isNext = async (now: Kysely<T>) => (await takenSteps(now)).join() === before.join()
  const moveSo = steps[name]?.isOutsideTransaction ? moveOutside : moveInTransaction
  return patiently(() => withoutDeadline(() => moveSo(db, steps, direction, isNext)))
}

/**
 * Brings the database to the form that this code needs. Safe when several processes start at once. Each step is taken by
 * itself; none keeps callers waiting for a table for longer than a second at a time.
 * @returns the names of the steps that this process took
 * @throws Error when a step fails, or when the database has steps that this code does not know and can't work with
 */
export async function migrateToLatest<T>(db: Kysely<T>, steps: Steps = migrations): Promise<string[]> {
  const moved: string[] = []
  for (;;) {
    const all = await readTaken(db)
    refuseNewer(all, steps)
    const taken = all.map(({ name }) => name)
    const next = Object.keys(steps).find(name => !taken.includes(name))
    if (next === undefined) return moved
    moved.push(...(await moveBy(db, steps, next, 'up', taken)))
  }
}

/** Takes back the last steps, with the data that they hold. */
export async function migrateDown<T>(db: Kysely<T>, count = 1, steps: Steps = migrations): Promise<string[]> {
  const moved: string[] = []
  while (moved.length < count) {
    const all = await readTaken(db)
    // What works beside a step that it does not know can't take that back.
    refuseNewer(
      all.map(({ name }) => ({ name, worksFrom: null })),
      steps,
    )
    const taken = all.map(({ name }) => name)
    const last = taken.at(-1)
    if (last === undefined) return moved
    moved.push(...(await moveBy(db, steps, last, 'down', taken)))
  }
  return moved
}

/** Each step, and when it was taken. */
export async function migrationStatus<T>(
  db: Kysely<T>,
): Promise<{ name: string; takenAt: Date | undefined }[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const steps = await migrator.getMigrations()
  return steps.map(step => ({ name: step.name, takenAt: step.executedAt }))
}
