import type { Contract } from 'spec-served-document/contract/contract'
import type { Refusal } from '../errors/api-error.ts'
import type { KeyForm } from './api-key.ts'
import type { Seal } from './seal.ts'

/** The needs of key administration besides the database. */
export interface KeyTools {
  contract: Contract
  /** the form in which hashes are stored */
  seal: Seal
  /** the form of the keys */
  form: KeyForm
  now(): Date
  /** To be called for each changed key. */
  keyChanged(id: number): Promise<void>
}

/** A document's names of plans, scopes and windows. */
export interface Words {
  plan: string
  scope: string
  window: string
}

/** The properties of a new key. */
export interface NewKey<W extends Words = Words> {
  name: string
  plan: W['plan']
  scopes: readonly W['scope'][]
  /** requests by window, for a plan without quotas */
  quotas?: Readonly<Record<W['window'], number>> | null | undefined
  /** an RFC 3339 date-time; null: never */
  expiresAt?: string | null | undefined
}

/** The properties of a key to change. Those left out stay. */
export interface KeyChange<W extends Words = Words> extends Partial<NewKey<W>> {
  disabled?: boolean
  bannedUntil?: null
}

/** A key as it is shown. The ends of a ban and of a previous secret appear only until they pass. Times are RFC 3339. */
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

/** The keys in the database. A refusal says why an operation is impossible. */
export interface Keys<W extends Words = Words> {
  /** Reads up to `limit` keys that follow a key, by identifier. */
  list(after: number | undefined, limit: number): Promise<ShownKey<W>[]>
  find(id: number): Promise<ShownKey<W> | undefined>
  /** Creates a key. Only this call returns its secret. */
  create(key: NewKey<W>): Promise<(ShownKey<W> & { secret: string }) | Refusal<'invalid_request'>>
  /** Gives a key a new secret. The present one stays valid for some hours. */
  rotate(id: number, overlapHours: number): Promise<(ShownKey<W> & { secret: string }) | undefined>
  update(
    id: number,
    change: KeyChange<W>,
  ): Promise<ShownKey<W> | undefined | Refusal<'invalid_request' | 'last_admin_key'>>
  /** Removes a key. @returns whether there was one */
  revoke(id: number): Promise<boolean | Refusal<'last_admin_key'>>
}
