import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { inBatches } from './batches.ts'
import { statement } from './statement.ts'

/** Tables whose rows have a number for a name. */
type Identified = 'pets' | 'orders' | 'categories'

/** Prepares the reading of a table's rows by id. */
export function finder<Row extends { id: number }>(
  table: Identified,
): (db: Db, id: number) => Promise<Row | undefined> {
  const withIds = statement<readonly number[], Row>(
    () => 'however many',
    (_, value) => sql`select * from ${sql.table(table)} where id = any(${value(ids => ids)}::bigint[])`,
  )
  return inBatches({
    one: async (db: Db, id: number) => (await withIds.rows(db, [id]))[0],
    async many(db, ids) {
      const rows = new Map((await withIds.rows(db, ids)).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    },
  })
}
