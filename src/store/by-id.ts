import { type Selectable, sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import type { TradeTables } from '../database/trade-tables.ts'
import { inBatches } from './batches.ts'
import { statement } from './statement.ts'

/** What is read of a row. */
type Found<Table extends keyof TradeTables, Column> = { id: number } & Pick<
  Selectable<TradeTables[Table]>,
  Column & keyof Selectable<TradeTables[Table]>
>

/**
 * Prepares the reading of a table's rows by id.
 * @param columns what is read of them
 */
export function finder<Table extends keyof TradeTables, Column extends string & keyof TradeTables[Table]>(
  table: Table,
  columns: readonly ['id', ...Column[]],
): (db: Db, id: number) => Promise<Found<Table, Column> | undefined> {
  type Row = Found<Table, Column>
  const withIds = statement<readonly number[], Row>(
    () => ({}),
    (_, value) =>
      sql`select ${sql.join(columns.map(name => sql.ref(name)))} from ${sql.table(table)}
        where id = any(${value(ids => ids)}::bigint[])`,
    true,
  )
  return inBatches({
    one: async (db: Db, id: number) => (await withIds.rows(db, [id]))[0],
    async many(db, ids) {
      const rows = new Map((await withIds.rows(db, ids)).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    },
  })
}
