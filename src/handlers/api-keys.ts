import { cutPage, readCursor } from '../engine/replies/pages.ts'
import { rateLimits } from '../generated/operations.ts'
import type { ApiKey, ErrorDetail, Plan } from '../generated/schema.ts'
import { hashKey, mintKey, previewKey } from '../keys/api-key.ts'
import * as store from '../store/api-keys.ts'
import { toDate } from './dates.ts'
import { type Handler, refusal } from './handler.ts'

type Quotas = store.ApiKeyRow['quotas']

function toApiKey(row: store.ApiKeyRow, now: Date): ApiKey {
  const key: ApiKey = {
    id: row.id,
    name: row.name,
    preview: row.preview,
    plan: row.plan,
    scopes: row.scopes,
    disabled: row.disabled,
    createdAt: row.created_at.toISOString(),
  }
  if (row.quotas) key.quotas = row.quotas
  if (row.expires_at) key.expiresAt = row.expires_at.toISOString()
  if (row.last_used_at) key.lastUsedAt = row.last_used_at.toISOString()
  if (row.banned_until && row.banned_until > now) {
    // No ban is longer than this, whatever clock it was stored by.
    const latest = now.getTime() + rateLimits.ban.seconds * 1_000
    key.bannedUntil = new Date(Math.min(row.banned_until.getTime(), latest)).toISOString()
  }
  if (row.previous_expires_at && row.previous_expires_at > now)
    key.previousSecretExpiresAt = row.previous_expires_at.toISOString()
  return key
}

const noKey = (id: number) => refusal(404, 'not_found', `There is no API key ${id}.`)
const lastAdmin = (id: number) =>
  refusal(
    409,
    'last_admin_key',
    `Key ${id} is the last one that can administer keys for so long: make another with the scope admin first.`,
  )

const isCustom = (plan: Plan) => 'custom' in rateLimits.plans[plan]

/** What no schema can say: which fields go together, and that a time is in the future. */
function faultsOf(
  plan: Plan,
  quotas: Quotas,
  expiresAt: string | null | undefined,
  now: Date,
): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  if (isCustom(plan) && !quotas) faults.push({ path: '/quotas', message: `are needed for the plan ${plan}` })
  if (!isCustom(plan) && quotas) faults.push({ path: '/quotas', message: `are fixed for the plan ${plan}` })
  if (quotas && quotas.minute > quotas.day)
    faults.push({ path: '/quotas/minute', message: 'must be <= the quota of a day' })
  if (expiresAt && new Date(expiresAt) <= now)
    faults.push({ path: '/expiresAt', message: 'must be in the future' })
  return faults
}

function invalid(faults: ErrorDetail[]) {
  const [first] = faults
  return refusal(400, 'invalid_request', `The body is not valid: ${first?.path} ${first?.message}.`, faults)
}

export const listApiKeys: Handler<'listApiKeys'> = async ({ query }, { db, now }) => {
  const [after] = readCursor('listApiKeys', query, ['number']) ?? []
  const found = await store.listApiKeys(db, after, query.limit + 1)
  const page = cutPage('listApiKeys', query, found, row => [row.id])
  return { status: 200, headers: page.headers, body: page.rows.map(row => toApiKey(row, now())) }
}

export const createApiKey: Handler<'createApiKey'> = async ({ body }, { db, now }) => {
  const faults = faultsOf(body.plan, body.quotas ?? null, body.expiresAt, now())
  if (faults.length > 0) return invalid(faults)
  const secret = mintKey()
  const row = await store.insertApiKey(db, {
    name: body.name,
    preview: previewKey(secret),
    hash: hashKey(secret),
    plan: body.plan,
    quotas: body.quotas ?? null,
    scopes: body.scopes,
    createdAt: now(),
    expiresAt: toDate(body.expiresAt) ?? null,
  })
  return {
    status: 201,
    headers: { Location: `/api-keys/${row.id}` },
    body: { ...toApiKey(row, now()), secret },
  }
}

export const getApiKey: Handler<'getApiKey'> = async ({ path }, { db, now }) => {
  const row = await store.findApiKey(db, path.keyId)
  return row ? { status: 200, body: toApiKey(row, now()) } : noKey(path.keyId)
}

export const updateApiKey: Handler<'updateApiKey'> = async ({ path, body }, { db, now, keyChanged }) => {
  const outcome = await store.changeApiKey(db, path.keyId, now(), key => {
    const plan = body.plan ?? key.plan
    const quotas = body.quotas ?? (isCustom(plan) ? key.quotas : null)
    const faults = faultsOf(plan, quotas, body.expiresAt, now())
    if (faults.length > 0) return { refusal: invalid(faults) }
    return {
      name: body.name,
      plan,
      quotas,
      scopes: body.scopes,
      disabled: body.disabled,
      expires_at: toDate(body.expiresAt),
      banned_until: body.bannedUntil,
    }
  })
  if (outcome === undefined) return noKey(path.keyId)
  if (outcome === 'last admin') return lastAdmin(path.keyId)
  if ('refusal' in outcome) return outcome.refusal
  keyChanged(path.keyId)
  return { status: 200, body: toApiKey(outcome, now()) }
}

export const rotateApiKey: Handler<'rotateApiKey'> = async ({ path, body }, { db, now, keyChanged }) => {
  const secret = mintKey()
  const overlap = body.overlapHours * 3_600_000
  const row = await store.replaceSecret(
    db,
    path.keyId,
    { hash: hashKey(secret), preview: previewKey(secret) },
    overlap > 0 ? new Date(now().getTime() + overlap) : null,
  )
  if (!row) return noKey(path.keyId)
  keyChanged(path.keyId)
  return { status: 200, body: { ...toApiKey(row, now()), secret } }
}

export const revokeApiKey: Handler<'revokeApiKey'> = async ({ path }, { db, now, keyChanged }) => {
  const outcome = await store.changeApiKey(db, path.keyId, now(), () => null)
  if (outcome === undefined) return noKey(path.keyId)
  if (outcome === 'last admin') return lastAdmin(path.keyId)
  keyChanged(path.keyId)
  return { status: 204 }
}
