import type { Contract } from '../engine/contract.ts'
import { type ErrorDetail, refusal } from '../engine/replies/api-error.ts'
import type { ApiKey, Plan } from '../generated/schema.ts'
import { hashKey, mintKey, previewKey } from '../keys/api-key.ts'
import * as store from '../store/api-keys.ts'
import { toDate } from './dates.ts'
import { type Handler, inOneStatement, type SealedHandler, type Tools } from './handler.ts'

type Quotas = store.ApiKeyRow['quotas']

/** What reading and changing keys takes besides the store. */
type Uses = 'now' | 'contract'

function toApiKey(row: store.ApiKeyRow, { now: clock, contract }: Pick<Tools, Uses>): ApiKey {
  const now = clock()
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
    const latest = now.getTime() + (contract.rateLimits?.ban.seconds ?? 0) * 1_000
    key.bannedUntil = new Date(Math.min(row.banned_until.getTime(), latest)).toISOString()
  }
  const previousUntil = earlier(row.previous_expires_at, row.expires_at)
  if (previousUntil && previousUntil > now) key.previousSecretExpiresAt = previousUntil.toISOString()
  return key
}

/** No secret outlives its key. @returns null where there is no previous one */
const earlier = (previous: Date | null, keyUntil: Date | null) =>
  previous && keyUntil && keyUntil < previous ? keyUntil : previous

const noKey = (id: number) => refusal('not_found', `There is no API key ${id}.`)
const lastAdmin = (id: number) =>
  refusal(
    'last_admin_key',
    `Key ${id} is the last one that can administer keys for so long: make another with the scope admin first.`,
  )

const isCustom = ({ rateLimits }: Contract, plan: Plan) => rateLimits?.plans[plan]?.custom === true

/** What no schema can say: which fields go together, and that a time is in the future. */
function faultsOf(
  { now, contract }: Pick<Tools, Uses>,
  plan: Plan,
  quotas: Quotas,
  expiresAt: string | null | undefined,
): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  const isOwn = isCustom(contract, plan)
  if (isOwn && !quotas) faults.push({ path: '/quotas', message: `are needed for the plan ${plan}` })
  if (!isOwn && quotas) faults.push({ path: '/quotas', message: `are fixed for the plan ${plan}` })
  if (quotas && quotas.minute > quotas.day)
    faults.push({ path: '/quotas/minute', message: 'must be <= the quota of a day' })
  if (expiresAt && new Date(expiresAt) <= now())
    faults.push({ path: '/expiresAt', message: 'must be in the future' })
  return faults
}

function invalid(faults: ErrorDetail[]) {
  const [first] = faults
  return refusal('invalid_request', `The body is not valid: ${first?.path} ${first?.message}.`, faults)
}

export const listApiKeys: Handler<'listApiKeys', Uses | 'page'> = async (
  { query },
  { db, page, ...tools },
) => {
  const [after] = page.after(['number']) ?? []
  const found = await store.listApiKeys(db, after, query.limit + 1)
  const { rows, headers } = page.cut(found, row => [row.id])
  return { status: 200, headers, body: rows.map(row => toApiKey(row, tools)) }
}

export const createApiKey: SealedHandler<'createApiKey', Uses> = ({ stored }) =>
  inOneStatement(async ({ body }, { db, ...tools }) => {
    const faults = faultsOf(tools, body.plan, body.quotas ?? null, body.expiresAt)
    if (faults.length > 0) return invalid(faults)
    const secret = mintKey()
    const row = await store.insertApiKey(db, {
      name: body.name,
      preview: previewKey(secret),
      hash: stored(hashKey(secret)),
      plan: body.plan,
      quotas: body.quotas ?? null,
      scopes: body.scopes,
      createdAt: tools.now(),
      expiresAt: toDate(body.expiresAt) ?? null,
    })
    return {
      status: 201,
      headers: { Location: `/api-keys/${row.id}` },
      body: { ...toApiKey(row, tools), secret },
    }
  })

export const rotateApiKey: SealedHandler<'rotateApiKey', Uses | 'keyChanged'> = ({ stored }) =>
  inOneStatement(async ({ path, body }, { db, keyChanged, ...tools }) => {
    const secret = mintKey()
    const overlap = body.overlapHours * 3_600_000
    const row = await store.replaceSecret(
      db,
      path.keyId,
      { hash: stored(hashKey(secret)), preview: previewKey(secret) },
      overlap > 0 ? new Date(tools.now().getTime() + overlap) : null,
    )
    if (!row) return noKey(path.keyId)
    await keyChanged(path.keyId)
    return { status: 200, body: { ...toApiKey(row, tools), secret } }
  })

export const getApiKey: Handler<'getApiKey', Uses> = async ({ path }, { db, ...tools }) => {
  const row = await store.findApiKey(db, path.keyId)
  return row ? { status: 200, body: toApiKey(row, tools) } : noKey(path.keyId)
}

export const updateApiKey: Handler<'updateApiKey', Uses | 'keyChanged'> = async (
  { path, body },
  { db, keyChanged, ...tools },
) => {
  const outcome = await store.changeApiKey(db, path.keyId, tools.now(), key => {
    const plan = body.plan ?? key.plan
    const quotas = body.quotas ?? (isCustom(tools.contract, plan) ? key.quotas : null)
    const faults = faultsOf(tools, plan, quotas, body.expiresAt)
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
  await keyChanged(path.keyId)
  return { status: 200, body: toApiKey(outcome, tools) }
}

export const revokeApiKey: Handler<'revokeApiKey', 'now' | 'keyChanged'> = async (
  { path },
  { db, now, keyChanged },
) => {
  const outcome = await store.changeApiKey(db, path.keyId, now(), () => null)
  if (outcome === undefined) return noKey(path.keyId)
  if (outcome === 'last admin') return lastAdmin(path.keyId)
  await keyChanged(path.keyId)
  return { status: 204 }
}
