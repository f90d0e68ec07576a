import { sql } from 'kysely'
import type { HolderId } from '../access/caller.ts'
import { createBatchWriter, silent } from '../batch-writer.ts'
import type { Db, DeprecatedCallsTable } from '../database/tables.ts'
import { ago, type Lifetimes } from '../extensions.ts'
import { isFaultOfData } from './failures.ts'
import { removeRows, rowsOf } from './statements.ts'

/** How often counted calls are written, in ms. */
const writeEvery = 5_000

const dayOf = (date: Date) => date.toISOString().slice(0, 10)
/** The first day whose calls are shown. */
const since = ({ deprecatedCalls: told }: Lifetimes, now: Date) => sql<Date>`${dayOf(ago(told, now))}::date`

/** Counts calls of deprecated operations, and writes them in batches. */
export function countDeprecatedCalls(db: Db, lifetimes: Lifetimes, now: () => Date, log = silent) {
  const { note, flush, close } = createBatchWriter<string, number>({
    what: 'Calls of deprecated operations',
    everyMs: writeEvery,
    merge: (earlier, later) => earlier + later,
    write: batch => addCalls(db, batch),
    isFaultOfData,
    log,
  })
  return {
    note: (key: HolderId, operationId: string) => note(`${key} ${dayOf(now())} ${operationId}`, 1),
    async of(key: HolderId) {
      await flush()
      const rows = await db
        .selectFrom('deprecated_calls')
        .select(['operation_id', eb => eb.fn.sum<string>('calls').as('calls')])
        .where('key_id', '=', Number(key))
        .where('day', '>=', since(lifetimes, now()))
        .groupBy('operation_id')
        .orderBy('operation_id')
        .execute()
      return new Map(rows.map(row => [row.operation_id, Number(row.calls)]))
    },
    flush,
    close,
  }
}

/** Adds calls, by `key day operation`. Calls of revoked keys are left out. */
async function addCalls(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  const names = Array.from(counts.keys(), name => name.split(' '))
  const column = (index: number) => names.map(name => name[index] ?? '')
  const given = rowsOf<Record<keyof DeprecatedCallsTable, unknown>, 'given'>('given', {
    key_id: { type: 'bigint', values: column(0) },
    day: { type: 'date', values: column(1) },
    operation_id: { type: 'text', values: column(2) },
    calls: { type: 'integer', values: [...counts.values()] },
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

/** Returns the keys that called an operation, as far back as the document says, the most frequent first. */
export async function callersOf(db: Db, operationId: string, lifetimes: Lifetimes, now: Date) {
  const rows = await db
    .selectFrom('deprecated_calls')
    .innerJoin('api_keys', 'api_keys.id', 'key_id')
    .select(['api_keys.id', 'api_keys.name', eb => eb.fn.sum<string>('calls').as('calls')])
    .select(eb => eb.cast<string>(eb.fn.max('day'), 'text').as('lastDay'))
    .where('operation_id', '=', operationId)
    .where('day', '>=', since(lifetimes, now))
    .groupBy('api_keys.id')
    .orderBy(eb => eb.fn.sum('calls'), 'desc')
    .orderBy('api_keys.id')
    .execute()
  return rows.map(row => ({ ...row, calls: Number(row.calls) }))
}

export const removeOldCalls = (db: Db, now: Date, lifetimes: Lifetimes): Promise<void> =>
  removeRows(db, 'deprecated_calls', sql`day < ${since(lifetimes, now)}`)
