import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { removeAll, removedAtOnce } from './remove.ts'

/** How long changes are kept, in ms. */
const keptFor = 3_600_000
/** Who has not asked for so long asks from the beginning: what it has missed may not be kept any more. */
const askedWithin = keptFor / 2

/** Tells which keys have changed. */
export interface KeyChanges {
  /**
   * The keys that have changed since the last time this was asked; none is left out, each change is told once.
   * @returns undefined when that can't be said: at first, after a long time, and of another database server
   * @throws what the query throws; the next answer then tells of these changes, too
   */
  next(): Promise<number[] | undefined>
}

interface Row {
  server: string
  position: string
  key_id: number | null
  transaction: string | null
}

/**
 * A transaction that began before others may be committed after them, so each answer begins with the oldest one that was
 * under way at the last (PostgreSQL's documentation, "System Information Functions: pg_snapshot_xmin").
 */
export function readKeyChanges(db: Db): KeyChanges {
  let last: Pick<Row, 'server' | 'position'> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let told = new Set<string>()
  return {
    async next() {
      const at = performance.now()
      if (at - askedAt > askedWithin) last = undefined
      const { rows } = await sql<Row>`
        select here.*, key_id, transaction::text from (
          select pg_postmaster_start_time()::text as server,
            pg_snapshot_xmin(pg_current_snapshot())::text as position
        ) as here
        left join api_key_changes
          on transaction >= coalesce(${last?.position ?? null}::xid8, here.position::xid8)`.execute(db)
      const before = last
      const [here] = rows
      last = here
      askedAt = at
      const toldBefore = told
      const nameOf = (row: Row) => `${row.transaction} ${row.key_id}`
      told = new Set(rows.map(nameOf))
      if (!before || before.server !== here?.server) return undefined
      return rows.flatMap(row => (row.key_id === null || toldBefore.has(nameOf(row)) ? [] : row.key_id))
    },
  }
}

/** Removes the changes that everybody has been told of. */
export function removeOldKeyChanges(db: Db, now: Date): Promise<void> {
  const end = new Date(now.getTime() - keptFor)
  return removeAll(() =>
    db
      .deleteFrom('api_key_changes')
      .where('at', '<=', end)
      .where(eb =>
        eb(
          eb.refTuple('transaction', 'key_id'),
          'in',
          eb
            .selectFrom('api_key_changes')
            .select(['transaction', 'key_id'])
            .where('at', '<=', end)
            .limit(removedAtOnce)
            .$asTuple('transaction', 'key_id'),
        ),
      )
      .executeTakeFirstOrThrow(),
  )
}
