import type { Contract } from 'spec-served-document/contract/contract'
import type { Fault } from 'spec-served-document/values/faults'
import type { Database } from '../database/tables.ts'
import { type Refusal, refusal } from '../errors/api-error.ts'
import type { KeyForm } from './api-key.ts'
import * as store from './api-keys.ts'
import { hashKey } from './key-cache.ts'
import type { Keys, KeyTools, NewKey, ShownKey } from './keys.ts'
import type { Seal } from './seal.ts'

/** The names of the windows of a document, the shortest first. */
export const windowsOf = ({ rateLimits }: Contract): string[] =>
  (rateLimits?.windows ?? []).toSorted((a, b) => a.seconds - b.seconds).map(({ name }) => name)

const hasOwnQuotas = ({ rateLimits }: Contract, plan: string) => rateLimits?.plans[plan]?.custom === true

/** Refuses what a schema can't refuse: fields that exclude each other, and an expiry in the past. */
function unfit({ contract, now }: KeyTools, wish: Pick<NewKey, 'plan' | 'quotas' | 'expiresAt'>) {
  const { plan, quotas, expiresAt } = wish
  const isOwn = hasOwnQuotas(contract, plan)
  const changedQuotas: Record<string, number> = quotas ?? {}
  const windows = windowsOf(contract)
  const faults: Fault[] = []
  const note = (path: string, message: string) => faults.push({ path, message })
  if (isOwn && !quotas) note('/quotas', `are needed for the plan ${plan}`)
  if (!isOwn && quotas) note('/quotas', `are fixed for the plan ${plan}`)
  for (const [index, longer] of windows.slice(1).entries()) {
    const name = windows[index] ?? ''
    if ((changedQuotas[name] ?? 0) > (changedQuotas[longer] ?? 0))
      note(`/quotas/${name}`, `must be <= the quota of a ${longer}`)
  }
  if (expiresAt && new Date(expiresAt) <= now()) note('/expiresAt', 'must be in the future')
  const [first] = faults
  return first && refusal('invalid_request', `The body is not valid: ${first.path} ${first.message}.`, faults)
}

export function newSecret(seal: Seal, form: KeyForm) {
  const secret = form.mint()
  return { secret, stored: { preview: form.preview(secret), hash: seal.stored(hashKey(secret)) } }
}

const dateOf = (text: string | null | undefined) => (typeof text === 'string' ? new Date(text) : text)

/** Returns the operations on the keys of a database, or of a transaction in it. */
export function administerKeys(db: Database, tools: KeyTools): Keys {
  const { contract, seal, form, now, keyChanged } = tools
  const shown = (row: store.ApiKeyRow) => shownKey(row, tools)

  /** @returns the changed key; undefined if there is none */
  async function change<R extends Refusal>(
    id: number,
    decide: (key: store.ApiKeyRow) => store.ApiKeyChanges | null | { refusal: R },
  ) {
    const outcome = await store.changeApiKey<R>(db, id, now(), decide)
    const lastAdmin = `Key ${id} is the last one that can administer keys for so long: make another with the scope admin first.`
    if (outcome === 'last admin') return refusal('last_admin_key', lastAdmin)
    if (outcome && 'refusal' in outcome) return outcome.refusal
    if (outcome) await keyChanged(id)
    return outcome
  }

  return {
    list: async (after, limit) => (await store.listApiKeys(db, after, limit)).map(shown),
    async find(id) {
      const row = await store.findApiKey(db, id)
      return row && shown(row)
    },
    async create(wish) {
      const refused = unfit(tools, wish)
      if (refused) return refused
      const { secret, stored } = newSecret(seal, form)
      const { quotas = null, expiresAt, name, plan, scopes } = wish
      const times = { createdAt: now(), expiresAt: dateOf(expiresAt) ?? null }
      const key = { name, plan, scopes: [...scopes], quotas, ...stored, ...times }
      return { ...shown(await store.insertApiKey(db, key)), secret }
    },
    async rotate(id, overlapHours) {
      const { secret, stored } = newSecret(seal, form)
      const overlap = overlapHours * 3_600_000
      const until = overlap > 0 ? new Date(now().getTime() + overlap) : null
      const row = await store.replaceSecret(db, id, stored, until)
      if (!row) return undefined
      await keyChanged(id)
      return { ...shown(row), secret }
    },
    async update(id, wish) {
      const row = await change<Refusal<'invalid_request'>>(id, key => {
        const plan = wish.plan ?? key.plan
        const quotas = wish.quotas ?? (hasOwnQuotas(contract, plan) ? key.quotas : null)
        const refused = unfit(tools, { plan, quotas, expiresAt: wish.expiresAt })
        if (refused) return { refusal: refused }
        const { expiresAt, bannedUntil, scopes, ...changes } = wish
        const times = { expires_at: dateOf(expiresAt), banned_until: bannedUntil }
        return { ...changes, ...(scopes && { scopes: [...scopes] }), ...times, plan, quotas }
      })
      return row && ('code' in row ? row : shown(row))
    },
    async revoke(id) {
      const row = await change<never>(id, () => null)
      return row && 'code' in row ? row : row !== undefined
    },
  }
}

function shownKey(row: store.ApiKeyRow, { contract, now: clock }: KeyTools): ShownKey {
  const now = clock()
  const { id, name, preview, plan, quotas, scopes, disabled } = row
  const ahead = (time: Date | null, latest: Date | null) => {
    const end = time && latest && latest < time ? latest : time
    return end && end > now ? end.toISOString() : undefined
  }
  // No ban is longer than this, whichever clock set it, and no previous secret outlives its key.
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
