import DataLoader from 'dataloader'
import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'

/** Tables whose rows have a number for a name. */
type Identified = 'pets' | 'orders' | 'categories'

/** Rows in one statement. */
const atOnce = 500

/**
 * Prepares the reading of a table's rows by id. Those that are asked for in one turn of the event loop are read by one
 * statement; within a transaction each is read by itself.
 */
export function finder<Row extends { id: number }>(
  table: Identified,
): (db: Db, id: number) => Promise<Row | undefined> {
  const read = async (db: Db, ids: readonly number[]): Promise<readonly Row[]> => {
    const statement = sql<Row>`select * from ${sql.table(table)} where id = any(${ids}::bigint[])`
    return (await statement.execute(db)).rows
  }
  // Those of one database are not to be mixed with those of another.
  const loaders = new WeakMap<Db, DataLoader<number, Row | undefined>>()
  const loaderOf = (db: Db) => {
    const loader = loaders.get(db) ?? createLoader(ids => read(db, ids))
    loaders.set(db, loader)
    return loader
  }
  return async (db, id) => (db.isTransaction ? (await read(db, [id]))[0] : loaderOf(db).load(id))
}

function createLoader<Row extends { id: number }>(read: (ids: readonly number[]) => Promise<readonly Row[]>) {
  return new DataLoader<number, Row | undefined>(
    async ids => {
      const rows = new Map((await read([...new Set(ids)])).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    },
    // Only what is not sent yet is joined: nobody gets what was read before it was asked for.
    { cache: false, maxBatchSize: atOnce, batchScheduleFn: send => void setImmediate(send) },
  )
}
