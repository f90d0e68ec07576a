import DataLoader from 'dataloader'
import { callersAtOnce } from '../database/shared-statements.ts'
import type { Database, Db } from '../database/tables.ts'
import { isFaultOfData } from './failures.ts'

/** Work on items of one kind. */
export interface Work<Item, Result> {
  /** Does it for one item, in a transaction or outside. */
  one(db: Db, item: Item): Promise<Result>
  /**
   * Does it for several, outside of transactions.
   * @returns for each, in their order, its result, or a promise of it where that takes longer than the rest
   * @throws Error when nothing was done
   */
  many(db: Database, items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>
}

/**
 * Prepares work that is done for many items at once: those of one database that are asked for in one turn of the event
 * loop go together, when there are enough of them or it ends. Only what has not begun is joined, so nobody gets what was
 * read before it was asked for. Within a transaction each is done by itself, and so is each where the database refuses
 * what one of them holds: nobody answers for another.
 */
export function inBatches<Item, Result>({
  one,
  many,
}: Work<Item, Result>): (db: Db, item: Item) => Promise<Result> {
  async function runAll(
    db: Database,
    items: readonly Item[],
  ): Promise<readonly (Result | Promise<Result>)[]> {
    try {
      return await many(db, items)
    } catch (error) {
      if (!isFaultOfData(error)) throw error
      return items.map(item => one(db, item))
    }
  }

  const loaders = new WeakMap<Db, DataLoader<Item, Result | Promise<Result>>>()
  function loaderOf(db: Database): DataLoader<Item, Result | Promise<Result>> {
    const known = loaders.get(db)
    if (known) return known
    let sendGathered: (() => void) | undefined
    const loader = new DataLoader<Item, Result | Promise<Result>>(items => runAll(db, items), {
      cache: false,
      maxBatchSize: callersAtOnce,
      batchScheduleFn(send) {
        sendGathered?.() // those are as many as go together, or there would be no others yet
        sendGathered = send
        setImmediate(() => {
          if (sendGathered !== send) return
          sendGathered = undefined
          send()
        })
      },
    })
    loaders.set(db, loader)
    return loader
  }
  return (db, item) => {
    if (db.isTransaction) return one(db, item)
    const result = loaderOf(db as Database).load(item) // what is no transaction is the database
    return result as Promise<Result> // which a promise of a promise is
  }
}
