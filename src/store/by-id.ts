import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { inBatches } from './batches.ts'

/** Tables whose rows have a number for a name. */
type Identified = 'pets' | 'orders' | 'categories'

/** Prepares the reading of a table's rows by id. */
export function finder<Row extends { id: number }>(
  table: Identified,
): (db: Db, id: number) => Promise<Row | undefined> {
  async function read(db: Db, ids: readonly number[]): Promise<readonly Row[]> {
    const statement = sql<Row>`select * from ${sql.table(table)} where id = any(${ids}::bigint[])`
    return (await statement.execute(db)).rows
  }
  return inBatches({
    one: async (db, id) => (await read(db, [id]))[0],
    async many(db, ids) {
      const rows = new Map((await read(db, [...new Set(ids)])).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    },
  })
}
