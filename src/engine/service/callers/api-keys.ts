import { type Selectable, sql, type Updateable } from 'kysely'
import { beforeAllIds, pageSizeFor } from '../database/pages.ts'
import { anyOf, rowsOf } from '../database/statements.ts'
import type { ApiKeysTable, Database, Db } from '../database/tables.ts'
import type { Seal } from './seal.ts'

export type ApiKeyRow = Selectable<ApiKeysTable>

const secretColumns = ['hash', 'previous_hash', 'previous_expires_at'] as const
const ownColumns = ['id', 'plan', 'quotas', 'scopes', 'disabled', 'expires_at'] as const
/** The columns of a key that decide on its calls. */
const deciding = [...secretColumns, ...ownColumns] as const

export interface KnownKey extends Pick<ApiKeyRow, (typeof deciding)[number]> {
  bannedUntil: Date | null
  lastUsedAt: Date | null
  /** the time of reading, in ms since 1970 */
  readAt: number
}

/** Reads up to `limit` keys that follow a key, by identifier. */
export function listApiKeys(db: Db, after: number | undefined, limit: number): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '>', after ?? beforeAllIds)
    .orderBy('id')
    .limit(sql.lit(pageSizeFor(limit)))
    .execute()
}

export function findApiKey(db: Db, id: number): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds keys by the hashes of their present secrets, or of valid previous ones. The result is by given hash. */
export async function findApiKeysByHash(db: Db, hashes: readonly string[], now: Date, { forms }: Seal) {
  const hashOfForm = new Map(hashes.flatMap(hash => forms(hash).map(form => [form, hash] as const)))
  const isGiven = anyOf([...hashOfForm.keys()])
  const rows = await db
    .selectFrom('api_keys')
    .select([...deciding, 'banned_until as bannedUntil', 'last_used_at as lastUsedAt'])
    .where(eb =>
      eb.or([
        eb('hash', '=', isGiven),
        eb.and([eb('previous_hash', '=', isGiven), eb('previous_expires_at', '>', now)]),
      ]),
    )
    .execute()
  const found = new Map<string, KnownKey>()
  for (const row of rows) {
    const { previous_hash: previous, previous_expires_at: until } = row
    const key: KnownKey = {
      ...row,
      hash: hashOfForm.get(row.hash) ?? row.hash,
      previous_hash: previous && (hashOfForm.get(previous) ?? previous),
      readAt: now.getTime(),
    }
    found.set(key.hash, key)
    if (key.previous_hash && until && until > now) found.set(key.previous_hash, key)
  }
  return found
}

type NewApiKey = Pick<ApiKeyRow, 'name' | 'preview' | 'hash' | 'plan' | 'quotas' | 'scopes'> & {
  createdAt: Date
  expiresAt: Date | null
}

export function insertApiKey(db: Db, { createdAt, expiresAt, ...key }: NewApiKey): Promise<ApiKeyRow> {
  return db
    .insertInto('api_keys')
    .values({ ...key, created_at: createdAt, expires_at: expiresAt })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The changes of a key. Undefined columns stay. */
export type ApiKeyChanges = Updateable<ApiKeysTable>

/** The end of a key's power to administer keys, in ms since 1970. A ban ends by itself and changes nothing. */
function administersUntil({ scopes, disabled, expires_at }: ApiKeyRow, now: Date): number {
  if (!scopes.includes('admin') || disabled || (expires_at && expires_at <= now)) return 0
  return expires_at?.getTime() ?? Number.POSITIVE_INFINITY
}

/**
 * Decides on a key and writes the decision. No other change of keys comes in between.
 * @param db may be a transaction, which then also holds the change
 * @param decide returns the changes, `null` to delete the key, or a refusal, which is passed on
 * @returns the stored or deleted key; undefined when there is none; 'last admin' when, after the decision, the keys that
 *   can administer others would end earlier
 */
export function changeApiKey<Refusal extends object>(
  db: Database,
  id: number,
  now: Date,
  decide: (key: ApiKeyRow) => ApiKeyChanges | null | { refusal: Refusal },
): Promise<ApiKeyRow | undefined | 'last admin' | { refusal: Refusal }> {
  const change = async (trx: Db) => {
    const keys = await trx
      .selectFrom('api_keys')
      .selectAll()
      .where(eb => eb.or([eb('id', '=', id), eb(eb.val('admin'), '=', eb.fn.any('scopes'))]))
      .orderBy('id')
      .forUpdate()
      .execute()
    const key = keys.find(candidate => candidate.id === id)
    if (!key) return undefined
    const decision = decide(key)
    if (decision !== null && 'refusal' in decision) return decision
    const changed = Object.entries(decision ?? {}).filter(([, value]) => value !== undefined)
    const changes: Partial<Omit<ApiKeyRow, 'id'>> = Object.fromEntries(changed)
    const after = decision === null ? [] : [{ ...key, ...changes }]
    const others = keys.filter(other => other.id !== id)
    const endOf = (rows: ApiKeyRow[]) => Math.max(0, ...rows.map(row => administersUntil(row, now)))
    if (endOf([...others, ...after]) < endOf(keys)) return 'last admin'
    if (decision === null) {
      await trx.deleteFrom('api_keys').where('id', '=', id).execute()
      return key
    }
    return trx
      .updateTable('api_keys')
      .set({ name: key.name, ...changes })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  }
  return db.isTransaction ? change(db) : db.transaction().execute(change)
}

/** Replaces a key's secret. The present one stays valid until the given time. */
export function replaceSecret(
  db: Db,
  id: number,
  secret: { hash: string; preview: string },
  previousExpiresAt: Date | null,
): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set(eb => ({
      ...secret,
      previous_hash: previousExpiresAt && eb.ref('hash'),
      previous_expires_at: previousExpiresAt,
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

type TimeColumn = 'banned_until' | 'last_used_at'

/** Writes the ends of bans, or the times of last use, by the keys' identifiers. */
export async function setTimes(db: Db, column: TimeColumn, times: ReadonlyMap<number, Date>): Promise<void> {
  const uses = rowsOf<{ key_id: number; at: Date }, 'given'>('given', {
    key_id: { type: 'bigint', values: [...times.keys()] },
    at: { type: 'timestamptz', values: [...times.values()] },
  })
  await db
    .updateTable('api_keys')
    .from(uses)
    .set(eb => ({ [column]: eb.ref('given.at') }))
    .whereRef('api_keys.id', '=', 'given.key_id')
    .execute()
}

export async function hasNoApiKey(db: Db): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) === undefined
}

/** Counts the keys with unknown plans, by plan. @param plans the known ones */
export function countKeysBesidePlans(db: Db, plans: readonly string[]) {
  return db
    .selectFrom('api_keys')
    .select(['plan', eb => eb.fn.countAll<number>().as('keys')])
    .where(eb => eb.not(eb(eb.ref('plan').$castTo<string>(), '=', anyOf(plans)))) // plans of another document, too
    .groupBy('plan')
    .orderBy('plan')
    .execute()
}
