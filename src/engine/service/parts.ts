import type { Redis } from 'ioredis'
import type { Contract } from 'spec-served-document/contract/contract'
import type { Caller, Counted } from './callers/caller.ts'
import type { Keys, KeyTools } from './callers/keys.ts'
import type { Checkers } from './callers/security.ts'
import type { DependencyState } from './context.ts'
import type { Place } from './limits/asking-store.ts'
import type { Bans } from './limits/bans.ts'
import type { MemoryStore } from './limits/memory-store.ts'
import type { BatchWriterOptions } from './runtime/batch-writer.ts'

/** The parts that the engine uses and its caller opens and closes. */
export interface Parts<Store, Transaction extends Store> {
  /** the service's name in challenges and in shared stores */
  name: string
  now(): Date
  /** the same time in ms since 1970, for each request */
  time(): number
  /** the store that handlers work on; the engine only passes it through */
  db: Store
  /** where GET and HEAD may read instead; absent: only in `db` */
  reads?: Reads<Store> | undefined
  /** the checkers of credentials, by the names of the document's security schemes */
  checkers: Checkers
  bans: Bans
  /** the counters of this process; undefined: no limits, or `machine` counts */
  memory: MemoryStore | undefined
  /** counters that all workers of this machine share; absent: there are none */
  machine?: Place | undefined
  /** counters that all servers share; `machine` or `memory` count only while it is away; undefined: there are none */
  redis: Redis | undefined
  deprecatedCalls: DeprecatedCalls
  /** Returns the operations on API keys in a store. */
  keys(store: Store, tools: Omit<KeyTools, 'seal' | 'form'>): Keys
  /** the store for operations that take an Idempotency-Key */
  replies: ReplyStore<Transaction>
  /** Asks the handlers' dependencies for their state; never throws. */
  dependencies(): Promise<DependencyState[]>
  /** Whether a failure means that a dependency can't answer now, so that a later try may succeed. */
  isUnavailable(error: unknown): boolean
  /** Returns a failure's text for callers; absent: one text for all of them. */
  unavailableText?(error: unknown): string
}

/** The other workers of this machine, which hear of something. */
export interface OtherWorkers<News> {
  /** Resolves once all of them have heard it, or after some seconds; never rejects. */
  tell(news: News): Promise<void>
  listen(hear: (news: News) => void): void
}

/** The options of a request's stages: the document, and the parts that do not depend on a store. */
export interface StageOptions {
  contract: Contract
  parts: Omit<Parts<unknown, unknown>, 'db' | 'reads' | 'keys' | 'replies'>
}

/** Keeps the windows of a process that counts in memory, so that a restart does not return quotas. */
export interface WindowStore extends Pick<BatchWriterOptions<string, Counted>, 'isFaultOfData'> {
  /** Reads the present windows in parts. None ends later than `longest` ms from now, whatever is stored. */
  load(now: Date, longest: number): AsyncIterable<[counter: string, counted: Counted][]>
  /** Writes all windows or none. */
  save(windows: ReadonlyMap<string, Counted>): Promise<void>
}

/** A place in the order in which bans were changed. */
export interface BanPlace {
  /** by the store's clock, as it writes times */
  changedAt: string
  name: string
}

/** Keeps bans over a restart. The checker of API keys returns those of keys. */
export interface BanStore extends Pick<BatchWriterOptions<string, Date>, 'isFaultOfData'> {
  /** Returns the place behind which at most so many of the latest bans stand; undefined: all are as few. */
  placeOf(most: number): Promise<BanPlace | undefined>
  /** Returns the place of all bans that were changed longer ago, in ms. */
  placeBefore(ago: number): Promise<BanPlace>
  /**
   * Returns the ends of some other bans in the order of their changes, by an address, or by the counter of another scheme's
   * holder, and the place of the last one if others may stand behind it.
   * @param after the place behind which they stand; undefined: all do
   */
  load(
    now: Date,
    after: BanPlace | undefined,
    most: number,
  ): Promise<{ bans: [string, Date][]; last?: BanPlace }>
  /** Returns the ends of those that are in force, of a few names. */
  find(names: readonly string[], now: Date): Promise<Map<string, Date>>
  save(bans: ReadonlyMap<string, Date>): Promise<void>
  saveKeys(bans: ReadonlyMap<number, Date>): Promise<void>
  /** Makes the next look-up of a key read it again, as `saveKeys` does: another worker has stored its ban. */
  readAgain?(key: number): void
}

/** Counts the calls of deprecated operations. */
export interface DeprecatedCalls {
  /** @param counter that of the caller, a holder */
  note(counter: string, operationId: string): void
  /** Returns a holder's calls by operation, as far back as the document says. Unwritten calls count. */
  of(counter: string): Promise<ReadonlyMap<string, number>>
}

/** The identity of a repeatable request: its sender and operation, and the key that the caller chose. */
export interface RepeatableRequest {
  scope: string
  key: string
}

export interface StoredReply {
  /** a fingerprint of the request's payload */
  fingerprint: string
  reply: string
}

/** Keeps the replies to repeatable requests, in the same transaction as their writes. */
export interface ReplyStore<Transaction> {
  /** Finds a stored reply, outside of transactions. Absent: a claim finds it as soon. */
  find?(request: RepeatableRequest, now: Date): Promise<StoredReply | undefined>
  /**
   * Runs work in a transaction.
   * @param work gets whether it is to claim its request along with its own first statement
   * @param mayRunAgain whether it may be rolled back and run once more, where it waits for a lock and holds up nobody
   */
  transaction<T>(
    work: (transaction: Transaction, claimsAlong: boolean) => Promise<T>,
    mayRunAgain: boolean,
  ): Promise<T>
  /** Claims a request until the transaction ends, unless another transaction has it, and finds its stored reply. */
  claim(
    transaction: Transaction,
    request: RepeatableRequest,
    now: Date,
  ): Promise<{ isClaimed: boolean; earlier: StoredReply | undefined }>
  /**
   * Claims a request that had no stored reply a moment ago, without a round trip of its own.
   * @returns a function that says, after the work, whether the claim succeeded
   */
  claimAlong?(transaction: Transaction, request: RepeatableRequest, now: Date): () => Promise<boolean>
  /**
   * Stores the reply to a claimed request that has none. Nothing may follow in the transaction but its end.
   * @param isNew whether the transaction is to run again if another one has stored a reply; else an expired one is replaced
   */
  save(
    transaction: Transaction,
    request: RepeatableRequest,
    reply: StoredReply,
    now: Date,
    isNew?: boolean,
  ): Promise<void>
}

/** Chooses where read-only requests read if there are several places. Each caller sees its own writes. */
export interface Reads<Store> {
  storeFor(caller: Caller): Store | Promise<Store>
  /**
   * To be called after each request that may have written, and awaited before its reply; never throws.
   * @param isCertain whether its writes, if any, are stored by now
   */
  wrote(caller: Caller, isCertain: boolean): Promise<void>
}
