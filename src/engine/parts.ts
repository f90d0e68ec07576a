import type { Redis } from 'ioredis'
import type { Caller, Counted, HolderId } from './access/caller.ts'
import type { Checkers } from './access/security.ts'
import type { BatchWriterOptions } from './batch-writer.ts'
import type { DependencyState } from './context.ts'
import type { Contract } from './contract.ts'
import type { Keys, KeyTools } from './keys/keys.ts'
import type { Bans } from './limits/bans.ts'
import type { MemoryStore } from './limits/memory-store.ts'

/** What the engine works with and somebody else opens and closes. */
export interface Parts<Store, Transaction extends Store> {
  /** names the service in challenges and in shared stores */
  name: string
  now(): Date
  /** what handlers work on: passed through */
  db: Store
  /** where GET and HEAD may read instead; absent: in `db` alone */
  reads?: Reads<Store> | undefined
  /** what checks credentials, by the names of the document's security schemes */
  checkers: Checkers
  bans: Bans
  /** where calls are counted; undefined: nobody is limited */
  memory: MemoryStore | undefined
  /** where all servers count together, and in `memory` only while it is away; undefined: there is no such place */
  redis: Redis | undefined
  deprecatedCalls: DeprecatedCalls
  /** What handlers do with API keys in a store. */
  keys(store: Store, tools: Omit<KeyTools, 'seal' | 'form'>): Keys
  /** for the operations that take an Idempotency-Key */
  replies: ReplyStore<Store, Transaction>
  /** Asks what the handlers depend on how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
  /** Whether a failure means that what the handlers depend on can't answer now, so that a later try may succeed. */
  isUnavailable(error: unknown): boolean
  /** What callers are told of such a failure; absent: the same of all of them. */
  unavailableText?(error: unknown): string
}

/** What the stages of a request are made with: the document, and the parts that know nothing of a store. */
export interface StageOptions {
  contract: Contract
  parts: Omit<Parts<unknown, unknown>, 'db' | 'reads' | 'keys' | 'replies'>
}

/** Keeps the windows of a process that counts in memory, so that a restart does not give quotas back. */
export interface WindowStore extends Pick<BatchWriterOptions<string, Counted>, 'isFaultOfData'> {
  /** The windows that have not ended yet, by counter; none ends later than `longest` ms from now, whatever is stored. */
  load(now: Date, longest: number): Promise<Map<string, Counted>>
  /** Writes all or none. */
  save(windows: ReadonlyMap<string, Counted>): Promise<void>
}

/** Keeps bans, so that they outlive a restart. Those of holders are told by who checks their credentials. */
export interface BanStore extends Pick<BatchWriterOptions<string, Date>, 'isFaultOfData'> {
  /** The addresses that are banned now, with the end of each ban. */
  loadAddresses(now: Date): Promise<Map<string, Date>>
  saveAddresses(bans: ReadonlyMap<string, Date>): Promise<void>
  saveHolders(bans: ReadonlyMap<HolderId, Date>): Promise<void>
}

/** Counts the calls of deprecated operations. */
export interface DeprecatedCalls {
  note(holder: HolderId, operationId: string): void
  /** The calls of a holder by operation, as far back as is told, those not yet written included. */
  of(holder: HolderId): Promise<ReadonlyMap<string, number>>
}

/** What identifies a request that may be repeated: who sends it to which operation, and the key that the caller chose. */
export interface RepeatableRequest {
  scope: string
  key: string
}

export interface StoredReply {
  /** of the request's payload */
  fingerprint: string
  reply: string
}

/** Keeps the replies of requests that may be repeated, in the transaction of what they did. */
export interface ReplyStore<Store, Transaction extends Store> {
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Claims a request until the transaction ends; false while another one has it. */
  claim(transaction: Transaction, request: RepeatableRequest): Promise<boolean>
  find(transaction: Transaction, request: RepeatableRequest, now: Date): Promise<StoredReply | undefined>
  /** Keeps a reply; one that is there already has outlived its time and gives way. */
  save(store: Store, request: RepeatableRequest, reply: StoredReply, now: Date): Promise<void>
}

/** Says where requests that only read may do so, where there are several places. Each caller sees what it has written. */
export interface Reads<Store> {
  storeFor(caller: Caller): Store | Promise<Store>
  /**
   * To be told of each request that may have written, and awaited before its reply; never throws.
   * @param isCertain whether what it has written is stored by now, if it is ever stored
   */
  wrote(caller: Caller, isCertain: boolean): Promise<void>
}
