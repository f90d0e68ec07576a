import { sql } from 'kysely'
import { ago, type Lifetimes } from 'spec-served-document/contract/extensions'
import { codeOf, isLocked, isRefusedByName } from '../database/failures.ts'
import { type Arrays, type Parameter, removeRows, rowsOf, statementsOn } from '../database/statements.ts'
import type { Database, Db, Tables, Trx } from '../database/tables.ts'
import type { RepeatableRequest, ReplyStore, StoredReply } from '../parts.ts'

/** @param waiting the same database, for transactions that wait for a lock */
export function replyStore(
  database: Database,
  { idempotentReplies: kept }: Lifetimes,
  waiting = database,
): ReplyStore<Trx> {
  async function find(
    db: Db,
    { scope, key }: RepeatableRequest,
    now: Date,
  ): Promise<StoredReply | undefined> {
    const [row] = await findReply(db, { scope, key, since: ago(kept, now) })
    return row && isStored(row) ? row : undefined
  }
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

const { prepared, joinable } = statementsOn<Tables>()

const tryLock = (db: Db, value: Parameter<{ name: string }>) =>
  db.selectNoFrom(({ fn, lit }) =>
    fn<boolean>('pg_try_advisory_xact_lock', [fn('hashtextextended', [value('name'), lit(0)])]).as('claimed'),
  )
const claim = prepared(tryLock, 'ahead')
const claimBriefly = prepared(tryLock, 'again')

type Look = RepeatableRequest & { since: Date }
const shown = ['fingerprint', 'reply'] as const

/** Finds the reply to a request; those of a turn by one statement, where an absent one has no fingerprint. */
const findReply = joinable(
  (db, value: Parameter<Look>) =>
    db
      .selectFrom('idempotent_replies')
      .select(shown)
      .where('scope', '=', value('scope'))
      .where('key', '=', value('key'))
      .where('created_at', '>', value('since')),
  (db, value: Parameter<Arrays<Look>>) => {
    const looks = rowsOf<Look, 'looks'>('looks', {
      scope: { type: 'text', values: value('scope') },
      key: { type: 'text', values: value('key') },
      since: { type: 'timestamptz', values: value('since') },
    })
    return db
      .with('sent', cte =>
        cte.selectFrom(looks).selectAll().select(sql<number>`row_number() over ()`.as('place')),
      )
      .selectFrom('sent')
      .leftJoin('idempotent_replies as stored', join =>
        join
          .onRef('stored.scope', '=', 'sent.scope')
          .onRef('stored.key', '=', 'sent.key')
          .onRef('stored.created_at', '>', 'sent.since'),
      )
      .select(['stored.fingerprint', 'stored.reply'])
      .orderBy('place')
  },
)

const isStored = (row: { [Name in keyof StoredReply]: StoredReply[Name] | null }): row is StoredReply =>
  row.fingerprint !== null

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
