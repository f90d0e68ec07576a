import type { Contract } from '../contract.ts'
import type { Refusal } from '../replies/api-error.ts'
import type { KeyForm } from './api-key.ts'
import type { Seal } from './seal.ts'

/** What administering keys takes besides the database. */
export interface KeyTools {
  contract: Contract
  /** how keys are stored */
  seal: Seal
  /** how they look */
  form: KeyForm
  now(): Date
  /** To be told of each key that was changed. */
  keyChanged(id: number): Promise<void>
}

/** A document's names of plans, scopes and windows. */
export interface Words {
  plan: string
  scope: string
  window: string
}

/** What is said of a new key. */
export interface NewKey<W extends Words = Words> {
  name: string
  plan: W['plan']
  scopes: readonly W['scope'][]
  /** requests by window, for a plan that has none */
  quotas?: Readonly<Record<W['window'], number>> | null | undefined
  /** an RFC 3339 date-time; null: never */
  expiresAt?: string | null | undefined
}

/** What is said of a key to change; what is left out stays. */
export interface KeyChange<W extends Words = Words> extends Partial<NewKey<W>> {
  disabled?: boolean
  bannedUntil?: null
}

/** A key as it is shown; the end of a ban, and of a previous secret, only while they are ahead. Times are of RFC 3339. */
export interface ShownKey<W extends Words = Words> {
  id: number
  name: string
  preview: string
  plan: W['plan']
  scopes: W['scope'][]
  disabled: boolean
  createdAt: string
  quotas?: Record<W['window'], number>
  expiresAt?: string
  lastUsedAt?: string
  bannedUntil?: string
  previousSecretExpiresAt?: string
}

/** The keys in the database. A refusal says why something can't be. */
export interface Keys<W extends Words = Words> {
  /** Reads up to `limit` keys that follow the one given, by identifier. */
  list(after: number | undefined, limit: number): Promise<ShownKey<W>[]>
  find(id: number): Promise<ShownKey<W> | undefined>
  /** Makes a key, whose secret is told this once. */
  create(key: NewKey<W>): Promise<(ShownKey<W> & { secret: string }) | Refusal<'invalid_request'>>
  /** Gives a key another secret; the present one stays valid for some hours. */
  rotate(id: number, overlapHours: number): Promise<(ShownKey<W> & { secret: string }) | undefined>
  update(
    id: number,
    change: KeyChange<W>,
  ): Promise<ShownKey<W> | undefined | Refusal<'invalid_request' | 'last_admin_key'>>
  /** Removes a key. @returns whether there was one */
  revoke(id: number): Promise<boolean | Refusal<'last_admin_key'>>
}
