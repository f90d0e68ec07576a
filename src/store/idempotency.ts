import { sql } from 'kysely'
import type { Db, Trx } from '../database/tables.ts'

/** For how long a reply is kept, in ms. */
const keptFor = 86_400_000

/** What identifies a request that may be repeated: who sends it to which operation, and the key that the caller chose. */
export interface RepeatableRequest {
  scope: string
  key: string
}

export interface StoredReply {
  /** of the request's payload */
  fingerprint: string
  /** sealed by the caller of the store */
  reply: string
}

/** Claims a request for this transaction; false while another one has it. */
export async function claim(trx: Trx, { scope, key }: RepeatableRequest): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${scope} ${key}`}, 0)) as claimed
  `.execute(trx)
  return rows[0]?.claimed === true
}

export function findReply(
  db: Db,
  { scope, key }: RepeatableRequest,
  now: Date,
): Promise<StoredReply | undefined> {
  return db
    .selectFrom('idempotent_replies')
    .select(['fingerprint', 'reply'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '>', new Date(now.getTime() - keptFor))
    .executeTakeFirst()
}

/** Keeps a reply; one that is there already has outlived its time and gives way. */
export async function saveReply(
  db: Db,
  request: RepeatableRequest,
  stored: StoredReply,
  now: Date,
): Promise<void> {
  await db
    .insertInto('idempotent_replies')
    .values({ ...request, ...stored, created_at: now })
    .onConflict(conflict => conflict.columns(['scope', 'key']).doUpdateSet({ ...stored, created_at: now }))
    .execute()
}

/** Removes the replies that have outlived their time. */
export async function removeOldReplies(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('idempotent_replies')
    .where('created_at', '<=', new Date(now.getTime() - keptFor))
    .execute()
}
