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
/** Where there are many, writing them takes a twentieth of the time at most. */
const rest = 20

/** How many calls are added up at once: keys among many are in no cache, and found sooner where many are looked for. */
const addedUpAtOnce = 500

/** The calls of one operation. */
interface Calls {
  /** whose calls are not added up yet */
  latest: HolderId[]
  counts: Map<HolderId, number>
}

function addUp({ latest, counts }: Calls): void {
  for (const keyId of latest.splice(0)) counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
}

const dayMs = 86_400_000
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** The day after which calls are told. */
const since = ({ deprecatedCalls: told }: Lifetimes, now: Date) => dayOf(ago(told, now))

/** Counts calls of deprecated operations, and writes them in batches. */
export function countDeprecatedCalls(
  db: Db,
  lifetimes: Lifetimes,
  now: () => Date,
  log: Log = silent,
): DeprecatedCalls & { flush(): Promise<void>; close(): Promise<void> } {
  /** The calls of the present day that are not handed over yet, by operation, and those of the days before. */
  const calls = new Map<string, Calls>()
  let before: [name: string, count: number][] = []
  const dayNow = () => Math.floor(now().getTime() / dayMs)
  let today = dayNow()

  function take() {
    const day = dayOf(new Date(today * dayMs))
    const taken = before
    before = []
    for (const [operationId, own] of calls) {
      addUp(own)
      for (const [keyId, count] of own.counts) taken.push([`${keyId} ${day} ${operationId}`, count])
    }
    calls.clear()
    return taken
  }

  function note(keyId: HolderId, operationId: string): void {
    const day = dayNow()
    if (day !== today) {
      before = take()
      today = day
    }
    let own = calls.get(operationId)
    if (!own) {
      own = { latest: [], counts: new Map() }
      calls.set(operationId, own)
    }
    if (own.latest.push(keyId) >= addedUpAtOnce) addUp(own)
  }

  const counts = createWriteBehind<string, number>({
    what: 'Calls of deprecated operations',
    everyMs: writeEvery,
    rest,
    changed: () => take().values(),
    merge: (earlier, later) => earlier + later,
    write: batch => addCalls(db, batch),
    isFaultOfData,
    log,
  })

  return {
    note,
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
