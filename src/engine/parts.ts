import type { Redis } from 'ioredis'
import type { Checkers } from './access/security.ts'
import type { DependencyState } from './context.ts'
import type { Bans } from './limits/bans.ts'
import type { MemoryStore } from './limits/memory-store.ts'
import type { DeprecatedCalls, Reads, ReplyStore } from './stores.ts'

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
  /** for the operations that take an Idempotency-Key */
  replies: ReplyStore<Store, Transaction>
  /** Asks what the handlers depend on how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
  /** Whether a failure means that what the handlers depend on can't answer now, so that a later try may succeed. */
  isUnavailable(error: unknown): boolean
  /** What callers are told of such a failure; absent: the same of all of them. */
  unavailableText?(error: unknown): string
}
