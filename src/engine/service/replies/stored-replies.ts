import { sql } from 'kysely'
import { ago, type Lifetimes } from '../contract/extensions.ts'
import { codeOf, isRefusedByName } from '../database/failures.ts'
import { lockedAfter } from '../database/session.ts'
import { type Parameter, removeRows, sent, statementsOn } from '../database/statements.ts'
import type { Database, Db, Tables, Trx } from '../database/tables.ts'
import type { RepeatableRequest, ReplyStore, StoredReply } from '../parts.ts'

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
        return await database.transaction().execute(async transaction => {
          await transaction.executeQuery(sent('again', waitBriefly.compile(transaction)))
          return work(transaction)
        })
      } catch (error) {
        if (codeOf(error) !== locked && !isRefusedByName(error)) throw error
        return waiting.transaction().execute(work)
      }
    },
    async claim(trx, { scope, key }, now) {
      // Two statements: only the second one sees all that was stored before the claim.
      const claims = await claim(trx, { name: `${scope} ${key}` }, {})
      const [earlier] = await find(trx, { scope, key, since: ago(kept, now) }, {})
      return { isClaimed: claims[0]?.claimed === true, earlier }
    },
    async save(trx, request, stored, now) {
      await save(trx, { ...request, ...stored, now }, {})
    },
  }
}

const { prepared } = statementsOn<Tables>()

const claim = prepared(
  (db, value: Parameter<{ name: string }>) =>
    db.selectNoFrom(({ fn, lit }) =>
      fn<boolean>('pg_try_advisory_xact_lock', [fn('hashtextextended', [value('name'), lit(0)])]).as(
        'claimed',
      ),
    ),
  'ahead',
)

const find = prepared((db, value: Parameter<RepeatableRequest & { since: Date }>) =>
  db
    .selectFrom('idempotent_replies')
    .select(['fingerprint', 'reply'])
    .where('scope', '=', value('scope'))
    .where('key', '=', value('key'))
    .where('created_at', '>', value('since')),
)

const save = prepared((db, value: Parameter<RepeatableRequest & StoredReply & { now: Date }>) => {
  const stored = { fingerprint: value('fingerprint'), reply: value('reply'), created_at: value('now') }
  return db
    .insertInto('idempotent_replies')
    .values({ scope: value('scope'), key: value('key'), ...stored })
    .onConflict(conflict => conflict.columns(['scope', 'key']).doUpdateSet(stored))
}, 'last')

export const removeOldReplies = (db: Db, now: Date, { idempotentReplies: kept }: Lifetimes): Promise<void> =>
  removeRows(db, 'idempotent_replies', sql`created_at <= ${ago(kept, now)}`)
