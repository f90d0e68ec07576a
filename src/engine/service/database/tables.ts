import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely'

export interface ApiKeysTable {
  id: GeneratedAlways<number>
  name: string
  /** the part of the secret that may be shown */
  preview: string
  /** SHA-256 of the secret */
  hash: string
  /** SHA-256 of the secret before the last rotation, valid until previous_expires_at */
  previous_hash: Generated<string | null>
  previous_expires_at: Generated<Date | null>
  plan: string
  /** requests by window, for a key whose plan has no quotas */
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

/** Bans, besides those of keys. */
export interface AddressBansTable {
  /** an address, whose calls without a valid key are refused, or the counter of another scheme's holder */
  address: string
  banned_until: Date
  /** by the database's clock, so that each process reads what is new */
  changed_at: Generated<Date>
}

/** The replies to requests with an Idempotency-Key. */
export interface IdempotentRepliesTable {
  scope: string
  key: string
  fingerprint: string
  reply: string
  created_at: Date
}

/** Calls of deprecated operations by keys. */
export interface DeprecatedCallsTable {
  key_id: number
  operation_id: string
  day: Date
  calls: number
}

/** Calls of deprecated operations by holders of other schemes than the keys'. */
export interface HolderCallsTable extends Omit<DeprecatedCallsTable, 'key_id'> {
  counter: string
}

/** The service's own tables, beside those of a project. */
export interface Tables {
  deprecated_calls: DeprecatedCallsTable
  holder_calls: HolderCallsTable
  idempotent_replies: IdempotentRepliesTable
  api_keys: ApiKeysTable
  limit_windows: LimitWindowsTable
  address_bans: AddressBansTable
}

/** A database or a transaction in it, for code that works in both. */
export type DbOf<AllTables> = Omit<
  Kysely<AllTables>,
  'transaction' | 'startTransaction' | 'connection' | 'destroy'
>

/** The database, which can begin transactions. */
export type Database = Kysely<Tables>

/** A transaction in the database. All its changes are stored, or none. */
export type Trx = Transaction<Tables>

export type Db = DbOf<Tables>
