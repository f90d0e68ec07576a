import type { Database, Db } from '../database/tables.ts'
import type { Contract } from '../engine/contract.ts'
import { type Fault, type Refusal, refusal } from '../engine/replies/api-error.ts'
import * as store from '../store/api-keys.ts'
import type { Plan } from '../vocabulary.ts'
import { hashKey, mintKey, previewKey } from './api-key.ts'
import type { Seal } from './seal.ts'

/** What administering keys takes besides the database. */
export interface KeyTools {
  contract: Contract
  now(): Date
  /** To be told of each key that was changed. */
  keyChanged(id: number): Promise<void>
}

type Told = 'contract' | 'now'

/** What is said of a key to change; what is left out stays. */
export type KeyWish = Partial<Pick<store.ApiKeyRow, 'name' | 'plan' | 'quotas' | 'scopes' | 'disabled'>> & {
  /** an RFC 3339 date-time; null: never */
  expiresAt?: string | null | undefined
  bannedUntil?: null
}

/** What is said of a new one. */
export type NewKeyWish = Pick<KeyWish, 'quotas' | 'expiresAt'> &
  Pick<store.ApiKeyRow, 'name' | 'plan' | 'scopes'>

/** A key as it is shown; the end of a ban, and of a previous secret, only while they are ahead. */
export function shownKey(row: store.ApiKeyRow, { contract, now: clock }: Pick<KeyTools, Told>) {
  const now = clock()
  const { id, name, preview, plan, quotas, scopes, disabled } = row
  const ahead = (time: Date | null, latest: Date | null) => {
    const end = time && latest && latest < time ? latest : time
    return end && end > now ? end.toISOString() : undefined
  }
  // No ban is longer than this, whatever clock it was stored by; no secret outlives its key.
  const longestBan = (contract.rateLimits?.ban.seconds ?? 0) * 1_000
  const bannedUntil = ahead(row.banned_until, new Date(now.getTime() + longestBan))
  const previousSecretExpiresAt = ahead(row.previous_expires_at, row.expires_at)
  return {
    ...{ id, name, preview, plan, scopes, disabled },
    createdAt: row.created_at.toISOString(),
    ...(quotas && { quotas }),
    ...(row.expires_at && { expiresAt: row.expires_at.toISOString() }),
    ...(row.last_used_at && { lastUsedAt: row.last_used_at.toISOString() }),
    ...(bannedUntil && { bannedUntil }),
    ...(previousSecretExpiresAt && { previousSecretExpiresAt }),
  }
}

export const noKey = (id: number) => refusal('not_found', `There is no API key ${id}.`)

/** The names of the windows of a document, the shortest first. */
export const windowsOf = ({ rateLimits }: Contract): string[] =>
  (rateLimits?.windows ?? []).toSorted((a, b) => a.seconds - b.seconds).map(({ name }) => name)

const hasOwnQuotas = ({ rateLimits }: Contract, plan: Plan) => rateLimits?.plans[plan]?.custom === true

/** Refuses what no schema can: fields that do not go together, and an end that is past. */
function unfit(
  { contract, now }: Pick<KeyTools, Told>,
  { plan, quotas, expiresAt }: Pick<NewKeyWish, 'plan' | 'quotas' | 'expiresAt'>,
): Refusal<'invalid_request'> | undefined {
  const isOwn = hasOwnQuotas(contract, plan)
  const own: Record<string, number> = quotas ?? {}
  const windows = windowsOf(contract)
  const faults: Fault[] = []
  const note = (path: string, message: string) => faults.push({ path, message })
  if (isOwn && !quotas) note('/quotas', `are needed for the plan ${plan}`)
  if (!isOwn && quotas) note('/quotas', `are fixed for the plan ${plan}`)
  for (const [index, longer] of windows.slice(1).entries()) {
    const name = windows[index] ?? ''
    if ((own[name] ?? 0) > (own[longer] ?? 0)) note(`/quotas/${name}`, `must be <= the quota of a ${longer}`)
  }
  if (expiresAt && new Date(expiresAt) <= now()) note('/expiresAt', 'must be in the future')
  const [first] = faults
  return first && refusal('invalid_request', `The body is not valid: ${first.path} ${first.message}.`, faults)
}

/** A new secret, and what is stored of it. */
export function newSecret(seal: Seal) {
  const secret = mintKey()
  return { secret, stored: { preview: previewKey(secret), hash: seal.stored(hashKey(secret)) } }
}

const dateOf = (text: string | null | undefined) => (typeof text === 'string' ? new Date(text) : text)

/** Makes a key. @returns it with its secret, or why there can't be such a key */
export async function createKey(db: Db, seal: Seal, tools: Pick<KeyTools, Told>, wish: NewKeyWish) {
  const refused = unfit(tools, wish)
  if (refused) return refused
  const { secret, stored } = newSecret(seal)
  const { quotas = null, expiresAt, name, plan, scopes } = wish
  const times = { createdAt: tools.now(), expiresAt: dateOf(expiresAt) ?? null }
  const row = await store.insertApiKey(db, { name, plan, scopes, quotas, ...stored, ...times })
  return { ...shownKey(row, tools), secret }
}

/** Gives a key another secret; the present one stays valid for some hours. */
export async function rotateKey(db: Db, seal: Seal, tools: KeyTools, id: number, overlapHours: number) {
  const { secret, stored } = newSecret(seal)
  const overlap = overlapHours * 3_600_000
  const until = overlap > 0 ? new Date(tools.now().getTime() + overlap) : null
  const row = await store.replaceSecret(db, id, stored, until)
  if (!row) return noKey(id)
  await tools.keyChanged(id)
  return { ...shownKey(row, tools), secret }
}

/** Changes a key. @returns it as it is then, or why it can't be so */
export async function updateKey(db: Database, tools: KeyTools, id: number, wish: KeyWish) {
  const row = await change<Refusal<'invalid_request'>>(db, id, tools, key => {
    const plan = wish.plan ?? key.plan
    const quotas = wish.quotas ?? (hasOwnQuotas(tools.contract, plan) ? key.quotas : null)
    const refused = unfit(tools, { plan, quotas, expiresAt: wish.expiresAt })
    if (refused) return { refusal: refused }
    const { expiresAt, bannedUntil, ...changes } = wish
    return { ...changes, plan, quotas, expires_at: dateOf(expiresAt), banned_until: bannedUntil }
  })
  return 'code' in row ? row : shownKey(row, tools)
}

/** Removes a key. @returns why it can't be removed, where it can't */
export async function revokeKey(db: Database, tools: Pick<KeyTools, 'now' | 'keyChanged'>, id: number) {
  const row = await change<never>(db, id, tools, () => null)
  return 'code' in row ? row : undefined
}

async function change<R extends Refusal>(
  db: Database,
  id: number,
  { now, keyChanged }: Pick<KeyTools, 'now' | 'keyChanged'>,
  decide: (key: store.ApiKeyRow) => store.ApiKeyChanges | null | { refusal: R },
) {
  const outcome = await store.changeApiKey<R, Database>(db, id, now(), decide)
  if (outcome === undefined) return noKey(id)
  if (outcome === 'last admin')
    return refusal(
      'last_admin_key',
      `Key ${id} is the last one that can administer keys for so long: make another with the scope admin first.`,
    )
  if ('refusal' in outcome) return outcome.refusal
  await keyChanged(id)
  return outcome
}
