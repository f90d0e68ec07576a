import { sql } from 'kysely'
import { ago, type Lifetimes } from '../contract/extensions.ts'
import { codeOf } from '../database/failures.ts'
import { lockedAfter } from '../database/session.ts'
import { removeRows } from '../database/statements.ts'
import type { Database, Db, Trx } from '../database/tables.ts'
import type { ReplyStore } from '../parts.ts'

/** SQLSTATE lock_not_available */
const locked = '55P03'
const waitBriefly = sql`set local lock_timeout = ${sql.lit(lockedAfter)}`

/** @param waiting the same database, for transactions that wait for a lock */
export function replyStore(
  database: Database,
  { idempotentReplies: kept }: Lifetimes,
  waiting = database,
): ReplyStore<Trx> {
  return {
    async transaction(work, mayRunAgain) {
      if (!mayRunAgain || waiting === database) return database.transaction().execute(work)
      try {
        return await database.transaction().execute(transaction => {
          waitBriefly.execute(transaction).catch(() => {}) // a lost connection fails the work, too
          return work(transaction)
        })
      } catch (error) {
        if (codeOf(error) !== locked) throw error
        return waiting.transaction().execute(work)
      }
    },
    async claim(trx, { scope, key }) {
      const { claimed } = await trx
        .selectNoFrom(({ fn, val, lit }) =>
          fn<boolean>('pg_try_advisory_xact_lock', [
            fn('hashtextextended', [val(`${scope} ${key}`), lit(0)]),
          ]).as('claimed'),
        )
        .executeTakeFirstOrThrow()
      return claimed
    },
    find: (trx, { scope, key }, now) =>
      trx
        .selectFrom('idempotent_replies')
        .select(['fingerprint', 'reply'])
        .where('scope', '=', scope)
        .where('key', '=', key)
        .where('created_at', '>', ago(kept, now))
        .executeTakeFirst(),
    async save(trx, request, stored, now) {
      await trx
        .insertInto('idempotent_replies')
        .values({ ...request, ...stored, created_at: now })
        .onConflict(conflict =>
          conflict.columns(['scope', 'key']).doUpdateSet({ ...stored, created_at: now }),
        )
        .execute()
    },
  }
}

export const removeOldReplies = (db: Db, now: Date, { idempotentReplies: kept }: Lifetimes): Promise<void> =>
  removeRows(db, 'idempotent_replies', sql`created_at <= ${ago(kept, now)}`)
