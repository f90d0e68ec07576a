import { sql } from 'kysely'
import { keyOf } from '../callers/caller.ts'
import { ago, type Lifetimes } from '../contract/extensions.ts'
import { isFaultOfData } from '../database/failures.ts'
import { removeRows, rowsOf } from '../database/statements.ts'
import type { Db, DeprecatedCallsTable, HolderCallsTable } from '../database/tables.ts'
import { createBatchWriter, silent } from '../runtime/batch-writer.ts'

/** How often counted calls are written, in ms. */
const writeEvery = 5_000

const dayOf = (date: Date) => date.toISOString().slice(0, 10)
/** The first day whose calls are shown. */
const since = ({ deprecatedCalls: told }: Lifetimes, now: Date) => sql<Date>`${dayOf(ago(told, now))}::date`

/** Counts calls of deprecated operations, and writes them in batches. */
export function countDeprecatedCalls(db: Db, lifetimes: Lifetimes, now: () => Date, log = silent) {
  const writerTo = (write: (db: Db, batch: ReadonlyMap<string, number>) => Promise<void>) =>
    createBatchWriter<string, number>({
      what: 'Calls of deprecated operations',
      everyMs: writeEvery,
      merge: (earlier, later) => earlier + later,
      write: batch => write(db, batch),
      isFaultOfData,
      log,
    })
  const ofKeys = writerTo(addCallsOfKeys)
  const ofOthers = writerTo(addCallsOfOthers)
  const writerOf = (counter: string) => (keyOf(counter) === undefined ? ofOthers : ofKeys)
  let present = { number: 0, text: '' }
  function today(): string {
    const date = now()
    const number = Math.floor(date.getTime() / 86_400_000)
    if (number !== present.number) present = { number, text: dayOf(date) }
    return present.text
  }
  return {
    note: (counter: string, operationId: string) =>
      writerOf(counter).note(JSON.stringify([counter, today(), operationId]), 1),
    async of(counter: string) {
      await writerOf(counter).flush()
      const rows = await callsBy(db, counter)
        .select(['operation_id', eb => eb.fn.sum<string>('calls').as('calls')])
        .where('day', '>=', since(lifetimes, now()))
        .groupBy('operation_id')
        .orderBy('operation_id')
        .execute()
      return new Map(rows.map(row => [row.operation_id, Number(row.calls)]))
    },
    flush: async () => void (await Promise.all([ofKeys.flush(), ofOthers.flush()])),
    close: async () => void (await Promise.all([ofKeys.close(), ofOthers.close()])),
  }
}

/** Selects the stored calls of a holder. */
function callsBy(db: Db, counter: string) {
  const key = keyOf(counter)
  const columns = ['operation_id', 'day', 'calls'] as const
  const stored =
    key === undefined
      ? db.selectFrom('holder_calls').select(columns).where('counter', '=', counter)
      : db.selectFrom('deprecated_calls').select(columns).where('key_id', '=', key)
  return db.selectFrom(stored.as('stored'))
}

/** Returns the columns of calls that are given by `[counter, day, operation]` in JSON. */
function columnsOf(counts: ReadonlyMap<string, number>) {
  const names = Array.from(counts.keys(), (name): string[] => JSON.parse(name))
  const column = (index: number) => names.map(name => name[index] ?? '')
  return {
    counters: column(0),
    given: {
      day: { type: 'date', values: column(1) },
      operation_id: { type: 'text', values: column(2) },
      calls: { type: 'integer', values: [...counts.values()] },
    },
  } as const
}

/** Adds calls of keys. Those of revoked keys are left out. */
async function addCallsOfKeys(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  const { counters, given: columns } = columnsOf(counts)
  const given = rowsOf<Record<keyof DeprecatedCallsTable, unknown>, 'given'>('given', {
    key_id: { type: 'bigint', values: counters.map(keyOf) },
    ...columns,
  })
  await db
    .insertInto('deprecated_calls')
    .columns(['key_id', 'day', 'operation_id', 'calls'])
    .expression(
      db
        .selectFrom(given)
        .innerJoin('api_keys', 'api_keys.id', 'given.key_id')
        .select(['given.key_id', 'given.day', 'given.operation_id', 'given.calls']),
    )
    .onConflict(conflict =>
      conflict
        .columns(['key_id', 'operation_id', 'day'])
        .doUpdateSet(eb => ({ calls: eb('deprecated_calls.calls', '+', eb.ref('excluded.calls')) })),
    )
    .execute()
}

async function addCallsOfOthers(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  const { counters, given: columns } = columnsOf(counts)
  const given = rowsOf<Record<keyof HolderCallsTable, unknown>, 'given'>('given', {
    counter: { type: 'text', values: counters },
    ...columns,
  })
  await db
    .insertInto('holder_calls')
    .columns(['counter', 'day', 'operation_id', 'calls'])
    .expression(db.selectFrom(given).select(['counter', 'day', 'operation_id', 'calls']))
    .onConflict(conflict =>
      conflict
        .columns(['counter', 'operation_id', 'day'])
        .doUpdateSet(eb => ({ calls: eb('holder_calls.calls', '+', eb.ref('excluded.calls')) })),
    )
    .execute()
}

/**
 * Returns the callers of an operation, as far back as the document says, the most frequent first. The holder of another
 * credential than a key has no id, and its counter as its name.
 */
export async function callersOf(db: Db, operationId: string, lifetimes: Lifetimes, now: Date) {
  const ofKeys = db
    .selectFrom('deprecated_calls')
    .innerJoin('api_keys', 'api_keys.id', 'key_id')
    .select(['api_keys.id', 'api_keys.name', 'operation_id', 'day', 'calls'])
  const ofOthers = db
    .selectFrom('holder_calls')
    .select([
      eb => eb.cast<number>(eb.lit(null), 'bigint').as('id'),
      'counter as name',
      'operation_id',
      'day',
      'calls',
    ])
  const rows = await db
    .selectFrom(ofKeys.unionAll(ofOthers).as('stored'))
    .select(['id', 'name', eb => eb.fn.sum<string>('calls').as('calls')])
    .select(eb => eb.cast<string>(eb.fn.max('day'), 'text').as('lastDay'))
    .where('operation_id', '=', operationId)
    .where('day', '>=', since(lifetimes, now))
    .groupBy(['id', 'name'])
    .orderBy(eb => eb.fn.sum('calls'), 'desc')
    .orderBy('id')
    .orderBy('name')
    .execute()
  return rows.map(row => ({ ...row, calls: Number(row.calls) }))
}

export async function removeOldCalls(db: Db, now: Date, lifetimes: Lifetimes): Promise<void> {
  for (const table of ['deprecated_calls', 'holder_calls'] as const)
    await removeRows(db, table, sql`day < ${since(lifetimes, now)}`)
}
