import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import type { HolderId } from '../engine/access/caller.ts'
import { ago, type Lifetimes } from '../engine/extensions.ts'
import type { DeprecatedCalls } from '../engine/stores.ts'
import { createWriteBehind, type Log, silent } from '../engine/write-behind.ts'
import { isFaultOfData } from './failures.ts'
import { removeAll, removedAtOnce } from './remove.ts'

/** How often calls are written, in ms. */
const writeEvery = 5_000

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** Names of calls that are kept at most. */
const namesKept = 10_000

/** Names the calls of a key on the present day, `key day operation`: a name is made once for all that have it. */
function createNames(now: () => Date): (keyId: HolderId, operationId: string) => string {
  let today = Number.NaN
  let date = ''
  let count = 0
  const names = new Map<string, Map<HolderId, string>>()
  return (keyId, operationId) => {
    const time = now()
    const day = Math.floor(time.getTime() / 86_400_000)
    if (day !== today || count >= namesKept) {
      names.clear()
      count = 0
      today = day
      date = dayOf(time)
    }
    const own = names.get(operationId) ?? new Map<HolderId, string>()
    const known = own.get(keyId)
    if (known !== undefined) return known
    const name = `${keyId} ${date} ${operationId}`
    names.set(operationId, own.set(keyId, name))
    count++
    return name
  }
}

/** The day after which calls are told. */
const since = ({ deprecatedCalls: told }: Lifetimes, now: Date) => dayOf(ago(told, now))

/** Counts calls of deprecated operations, and writes them in batches. */
export function countDeprecatedCalls(
  db: Db,
  lifetimes: Lifetimes,
  now: () => Date,
  log: Log = silent,
): DeprecatedCalls & { flush(): Promise<void>; close(): Promise<void> } {
  const nameOf = createNames(now)
  const counts = createWriteBehind<string, number>({
    what: 'Calls of deprecated operations',
    everyMs: writeEvery,
    merge: (earlier, later) => earlier + later,
    write: batch => addCalls(db, batch),
    isFaultOfData,
    log,
  })

  return {
    note: (keyId, operationId) => counts.note(nameOf(keyId, operationId), 1),
    async of(keyId) {
      await counts.flush()
      const rows = await db
        .selectFrom('deprecated_calls')
        .select(['operation_id', eb => eb.fn.sum<string>('calls').as('calls')])
        .where('key_id', '=', Number(keyId))
        .where('day', '>', sql<Date>`${since(lifetimes, now())}::date`)
        .groupBy('operation_id')
        .orderBy('operation_id')
        .execute()
      return new Map(rows.map(row => [row.operation_id, Number(row.calls)]))
    },
    flush: counts.flush,
    close: counts.close,
  }
}

/** Adds calls, by `key day operation`; those of keys that are revoked by now are left out. */
async function addCalls(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  const names = [...counts.keys()].map(name => name.split(' '))
  const column = (index: number) => names.map(name => name[index] ?? '')
  await sql`
    insert into deprecated_calls (key_id, day, operation_id, calls)
    select noted.key_id, noted.day, noted.operation_id, noted.calls
    from unnest(${column(0)}::bigint[], ${column(1)}::date[], ${column(2)}::text[], ${[...counts.values()]}::integer[])
      as noted (key_id, day, operation_id, calls)
    join api_keys on api_keys.id = noted.key_id
    on conflict (key_id, operation_id, day) do update set calls = deprecated_calls.calls + excluded.calls
  `.execute(db)
}

/** The keys that called an operation, as far back as is told; the most frequent first. */
export async function callersOf(
  db: Db,
  operationId: string,
  lifetimes: Lifetimes,
  now: Date,
): Promise<{ id: number; name: string; calls: number; lastDay: string }[]> {
  const { rows } = await sql<{ id: number; name: string; calls: string; last_day: string }>`
    select api_keys.id, api_keys.name, sum(calls) as calls, max(day)::text as last_day
    from deprecated_calls join api_keys on api_keys.id = key_id
    where operation_id = ${operationId} and day > ${since(lifetimes, now)}::date
    group by api_keys.id order by sum(calls) desc, api_keys.id
  `.execute(db)
  return rows.map(row => ({ id: row.id, name: row.name, calls: Number(row.calls), lastDay: row.last_day }))
}

/** Removes the calls that are not told any more. */
export function removeOldCalls(db: Db, now: Date, lifetimes: Lifetimes): Promise<void> {
  const old = sql<boolean>`day <= ${since(lifetimes, now)}::date`
  return removeAll(() =>
    db
      .deleteFrom('deprecated_calls')
      .where(old)
      .where(eb =>
        eb(
          eb.refTuple('key_id', 'operation_id', 'day'),
          'in',
          eb
            .selectFrom('deprecated_calls')
            .select(['key_id', 'operation_id', 'day'])
            .where(old)
            .limit(removedAtOnce)
            .$asTuple('key_id', 'operation_id', 'day'),
        ),
      )
      .executeTakeFirstOrThrow(),
  )
}
