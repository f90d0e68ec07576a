import { sql } from 'kysely'
import type { DependencyState } from '../context.ts'
import { within } from '../runtime/within.ts'
import { codeOf, isDatabaseUnavailable, lacksPart, storageFaultOf, undefinedTable } from './failures.ts'
import type { Database, Db } from './tables.ts'

/** Longest wait for a sign of life, in ms. */
const answerWithin = 1_000
/** How long a successful write counts as proof that the database stores, in ms. */
const writtenFor = 5_000
/** How often a database that refused to store is tried again, in ms. */
const triedEvery = 1_000

const silence = 'The database does not answer.'

/**
 * Asks one question at a time, whose answer all callers share. After a failure `db` must answer, too: its connections
 * may hang although `probe` works. After the database refused to store, it must also store something. After a caller
 * met a missing table, all columns of the first look must be there.
 */
export function createHealthCheck(probe: Db, db: Database) {
  let question: { until: number; fault: Promise<string | undefined> } | undefined
  let isDoubtful = false
  /** why something was not stored; undefined: all is well */
  let refusal: { error: unknown } | undefined
  /** the columns that the first look found */
  let columns: readonly string[] | undefined
  let isIncomplete = false
  let writtenAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const lastRefusal = refusal
    if (!lastRefusal && performance.now() - writtenAt < writtenFor) await read(probe)
    else {
      triedAt = performance.now()
      await write(probe)
      writtenAt = triedAt
    }
    columns ??= await readColumns(probe)
    if (isIncomplete) {
      isIncomplete = false // set again by a caller that fails meanwhile
      await expectAll(columns, probe)
    }
    if (isDoubtful) await read(db)
    if (lastRefusal) await takeRoom(db)
    if (refusal === lastRefusal) refusal = undefined // otherwise a newer refusal has come meanwhile
    isDoubtful = false
  }

  /** @returns the fault */
  async function ask(): Promise<string | undefined> {
    try {
      await look()
      return refusal && textOf(refusal.error)
    } catch (error) {
      if (lacksPart(error)) isIncomplete = true
      else if (storageFaultOf(error) === undefined) isDoubtful = true
      else refusal = { error }
      return textOf(error)
    } finally {
      question = undefined
    }
  }

  return {
    /** Asks whether the database answers. Returns within a second and never throws. */
    async ask(): Promise<DependencyState> {
      if (refusal && performance.now() - triedAt < triedEvery) return unavailable(textOf(refusal.error))
      question ??= { until: performance.now() + answerWithin, fault: ask() }
      const { until, fault } = question
      const message = await within(until - performance.now(), fault, silence)
      return message === undefined ? { name: 'database', status: 'ok' } : unavailable(message)
    },
    /** To be called for each failure that callers meet. */
    failed(error: unknown): void {
      if (lacksPart(error)) isIncomplete = true
      if (storageFaultOf(error) === undefined) return
      refusal = { error }
      triedAt = performance.now()
    },
  }
}

const unavailable = (message: string): DependencyState => ({
  name: 'database',
  status: 'unavailable',
  message,
})

function textOf(error: unknown): string {
  const fault = storageFaultOf(error)
  if (fault !== undefined) return `The database stores nothing: ${fault}.`
  if (lacksPart(error))
    return 'The database lacks tables or columns that it had: restore them, or restart the service to migrate it.'
  return isDatabaseUnavailable(error) ? silence : 'The database can’t do what it is asked.'
}

const read = (db: Db) => db.selectNoFrom(eb => eb.lit(1).as('one')).execute()

/** Returns the columns of all tables that a statement finds and this role may read, as table.column. */
async function readColumns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', relname, attname) as name
    from pg_attribute
      join pg_class on pg_class.oid = attrelid
      join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and nspname = any(current_schemas(false))
      and attnum > 0 and not attisdropped and has_table_privilege(attrelid, 'select')`.execute(db)
  return rows.map(({ name }) => name)
}

/** @throws Error with PostgreSQL's code for a missing table where a column is missing */
async function expectAll(columns: readonly string[], db: Db): Promise<void> {
  const present = new Set(await readColumns(db))
  const missing = columns.find(name => !present.has(name))
  if (missing !== undefined) throw Object.assign(new Error(`${missing} is missing`), { code: undefinedTable })
}

/** Makes the database write a file, which is gone at once. A read-only database refuses to remove even no rows. */
const write = (db: Db) =>
  db
    .with('nothing', cte => cte.deleteFrom('address_bans').where(eb => eb.lit(false)))
    .selectNoFrom(eb => eb.fn('pg_export_snapshot').as('file'))
    .execute()

/** insufficient_privilege: a role that may not create tables leaves that to another role. */
const noRight = '42501'

/** Makes the database reserve room for a row, and rolls that back. */
async function takeRoom(db: Database): Promise<void> {
  const done = new Error('Room was there')
  try {
    await db.transaction().execute(async trx => {
      await trx.schema.createTable('service_health').addColumn('note', 'text').execute()
      const room = trx.withTables<{ service_health: { note: string } }>()
      await room.insertInto('service_health').values({ note: 'room' }).execute()
      throw done
    })
  } catch (error) {
    if (error !== done && codeOf(error) !== noRight) throw error
  }
}
