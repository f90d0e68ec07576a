import { sql } from 'kysely'
import { ago, type Lifetimes } from 'spec-served-document/contract/extensions'
import { codeOf, isLocked, isRefusedByName } from '../database/failures.ts'
import { type Parameter, removeRows, statementsOn } from '../database/statements.ts'
import type { Database, Db, Tables, Trx } from '../database/tables.ts'
import type { RepeatableRequest, ReplyStore, StoredReply } from '../parts.ts'

/** @param waiting the same database, for transactions that wait for a lock */
export function replyStore(
  database: Database,
  { idempotentReplies: kept }: Lifetimes,
  waiting = database,
): ReplyStore<Trx> {
  const find = async (
    db: Db,
    { scope, key }: RepeatableRequest,
    now: Date,
  ): Promise<StoredReply | undefined> => (await findReplies(db, { scope, key, since: ago(kept, now) }, {}))[0]
  const store: ReplyStore<Trx> = {
    transaction: work => database.transaction().execute(trx => work(trx, false)),
    async claim(trx, request, now) {
      // Two statements: only the second one sees all that was stored before the claim.
      const claims = await claim(trx, nameOf(request), {})
      const earlier = await find(trx, request, now)
      return { isClaimed: claims[0]?.claimed === true, earlier }
    },
    async save(trx, request, stored, now, isNew = false) {
      await save(trx, { ...request, ...stored, now }, { isNew })
    },
  }
  // The embedded database has no round trips that can be saved.
  if (waiting === database) return store
  return {
    ...store,
    find: (request, now) => find(database, request, now),
    async transaction(work, mayRunAgain) {
      if (!mayRunAgain) return store.transaction(work, mayRunAgain)
      try {
        return await database.transaction().execute(trx => work(trx, true))
      } catch (error) {
        if (!isLocked(error) && !isRefusedByName(error) && !isStoredMeanwhile(error)) throw error
        return waiting.transaction().execute(trx => work(trx, false))
      }
    },
    claimAlong(trx, request, now) {
      const claiming = claimBriefly(trx, nameOf(request), {})
      return async () => {
        const claims = await claiming
        if (claims.length === 0) await find(trx, request, now) // nothing has followed it yet
        return claims[0]?.claimed === true
      }
    },
  }
}

const nameOf = ({ scope, key }: RepeatableRequest) => ({ name: `${scope} ${key}` })

/** SQLSTATE unique_violation */
const taken = '23505'

/** Whether another server has stored the reply after it was looked for. */
const isStoredMeanwhile = (error: unknown) =>
  codeOf(error) === taken &&
  error instanceof Object &&
  'table' in error &&
  error.table === 'idempotent_replies'

const { prepared } = statementsOn<Tables>()

const tryLock = (db: Db, value: Parameter<{ name: string }>) =>
  db.selectNoFrom(({ fn, lit }) =>
    fn<boolean>('pg_try_advisory_xact_lock', [fn('hashtextextended', [value('name'), lit(0)])]).as('claimed'),
  )
const claim = prepared(tryLock, 'ahead')
const claimBriefly = prepared(tryLock, 'again')

const findReplies = prepared((db, value: Parameter<RepeatableRequest & { since: Date }>) =>
  db
    .selectFrom('idempotent_replies')
    .select(['fingerprint', 'reply'])
    .where('scope', '=', value('scope'))
    .where('key', '=', value('key'))
    .where('created_at', '>', value('since')),
)

const save = prepared(
  (db, value: Parameter<RepeatableRequest & StoredReply & { now: Date }>, { isNew }: { isNew: boolean }) => {
    const stored = { fingerprint: value('fingerprint'), reply: value('reply'), created_at: value('now') }
    return db
      .insertInto('idempotent_replies')
      .values({ scope: value('scope'), key: value('key'), ...stored })
      .$if(!isNew, insert =>
        insert.onConflict(conflict => conflict.columns(['scope', 'key']).doUpdateSet(stored)),
      )
  },
  'last',
)

export const removeOldReplies = (db: Db, now: Date, { idempotentReplies: kept }: Lifetimes): Promise<void> =>
  removeRows(db, 'idempotent_replies', sql`created_at <= ${ago(kept, now)}`)
