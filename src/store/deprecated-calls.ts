import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'

/** How far back calls are told, in days. */
export const told = 30
/** How often calls are written, in ms. */
const writeEvery = 5_000

const dayOf = (date: Date) => date.toISOString().slice(0, 10)
const since = (now: Date) => dayOf(new Date(now.getTime() - told * 86_400_000))

/** Counts calls of deprecated operations, and writes them in batches. */
export interface DeprecatedCalls {
  note(keyId: number, operationId: string): void
  /** The calls of a key in the last 30 days by operation, those not yet written included. */
  of(keyId: number): Promise<Map<string, number>>
  close(): Promise<void>
}

export function countDeprecatedCalls(db: Db, now: () => Date): DeprecatedCalls {
  let counts = new Map<string, number>()

  async function write(): Promise<void> {
    const batch = counts
    counts = new Map()
    try {
      await addCalls(db, batch)
    } catch (error) {
      for (const [name, calls] of batch) counts.set(name, (counts.get(name) ?? 0) + calls)
      throw error
    }
  }
  // What could not be written stays counted for the next time.
  const timer = setInterval(() => write().catch(() => {}), writeEvery).unref()

  return {
    note(keyId, operationId) {
      const name = `${keyId} ${dayOf(now())} ${operationId}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    async of(keyId) {
      await write()
      const rows = await db
        .selectFrom('deprecated_calls')
        .select(['operation_id', eb => eb.fn.sum<string>('calls').as('calls')])
        .where('key_id', '=', keyId)
        .where('day', '>', sql<Date>`${since(now())}::date`)
        .groupBy('operation_id')
        .orderBy('operation_id')
        .execute()
      return new Map(rows.map(row => [row.operation_id, Number(row.calls)]))
    },
    async close() {
      clearInterval(timer)
      await write().catch(() => {})
    },
  }
}

/** Adds calls, by `key day operation`; those of keys that are revoked by now are left out. */
async function addCalls(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return
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

/** The keys that called an operation in the last 30 days, the most frequent first. */
export async function callersOf(
  db: Db,
  operationId: string,
  now: Date,
): Promise<{ id: number; name: string; calls: number; lastDay: string }[]> {
  const { rows } = await sql<{ id: number; name: string; calls: string; last_day: string }>`
    select api_keys.id, api_keys.name, sum(calls) as calls, max(day)::text as last_day
    from deprecated_calls join api_keys on api_keys.id = key_id
    where operation_id = ${operationId} and day > ${since(now)}::date
    group by api_keys.id order by sum(calls) desc, api_keys.id
  `.execute(db)
  return rows.map(row => ({ id: row.id, name: row.name, calls: Number(row.calls), lastDay: row.last_day }))
}
