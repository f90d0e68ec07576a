import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely'

export interface ApiKeysTable {
  id: GeneratedAlways<number>
  name: string
  /** what may be shown of the secret */
  preview: string
  /** SHA-256 of the secret */
  hash: string
  /** SHA-256 of the secret before the last rotation, valid until previous_expires_at */
  previous_hash: Generated<string | null>
  previous_expires_at: Generated<Date | null>
  plan: string
  /** requests by window, of a key whose plan has none */
  quotas: Record<string, number> | null
  scopes: string[]
  disabled: Generated<boolean>
  created_at: Date
  expires_at: Date | null
  last_used_at: Generated<Date | null>
  banned_until: Generated<Date | null>
}

/** Counts of long windows, for a process that counts in memory. */
export interface LimitWindowsTable {
  counter: string
  count: number
  ends_at: Date
}

/** Addresses whose calls without a valid key are refused. */
export interface AddressBansTable {
  address: string
  banned_until: Date
}

/** The replies to requests with an Idempotency-Key. */
export interface IdempotentRepliesTable {
  scope: string
  key: string
  fingerprint: string
  reply: string
  created_at: Date
}

/** Calls of deprecated operations. */
export interface DeprecatedCallsTable {
  key_id: number
  operation_id: string
  day: Date
  calls: number
}

/** What the service itself keeps, beside the tables of its trade. */
export interface Tables {
  deprecated_calls: DeprecatedCallsTable
  idempotent_replies: IdempotentRepliesTable
  api_keys: ApiKeysTable
  limit_windows: LimitWindowsTable
  address_bans: AddressBansTable
}

/** A database or a transaction in it, for what works in both. */
export type DbOf<AllTables> = Omit<
  Kysely<AllTables>,
  'transaction' | 'startTransaction' | 'connection' | 'destroy'
>

/** The database, in which transactions can begin. */
export type Database = Kysely<Tables>

/** A transaction in the database: all that is done in it happens, or nothing. */
export type Trx = Transaction<Tables>

export type Db = DbOf<Tables>

/** Keeps transactions out where one begins: there is none within another. */
export type NoTrx<D extends Database> = D extends Trx ? never : D
