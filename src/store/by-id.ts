import DataLoader from 'dataloader'
import type { Db } from '../database/tables.ts'
import type { Prepared } from './prepared.ts'

/** A statement that reads rows by their identifiers. */
type ByIds<Row> = Prepared<{ ids: readonly number[] }, Record<never, never>, Row>

/**
 * Prepares the reading of a row by its identifier. Identifiers that are asked for in one turn of the event loop, outside
 * of transactions, are read by one statement. If it fails, each is read by itself.
 */
export function finder<Row extends { id: number }>(
  statement: ByIds<Row>,
): (db: Db, id: number) => Promise<Row | undefined> {
  const readOne = async (db: Db, id: number) => (await statement.rows(db, {}, { ids: [id] }))[0]

  async function readAll(db: Db, ids: readonly number[]): Promise<(Row | undefined | Error)[]> {
    try {
      const rows = new Map((await statement.rows(db, {}, { ids })).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    } catch (error) {
      if (ids.length === 1) throw error
      return Promise.all(ids.map(id => readOne(db, id).catch((failure: Error) => failure)))
    }
  }

  const loaders = new WeakMap<Db, DataLoader<number, Row | undefined>>()
  function loaderOf(db: Db): DataLoader<number, Row | undefined> {
    const known = loaders.get(db)
    if (known) return known
    const loader = new DataLoader<number, Row | undefined>(ids => readAll(db, ids), {
      cache: false,
      batchScheduleFn: send => setImmediate(send),
    })
    loaders.set(db, loader)
    return loader
  }
  return (db, id) => (db.isTransaction ? readOne(db, id) : loaderOf(db).load(id))
}
