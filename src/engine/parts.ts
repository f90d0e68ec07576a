import type { Redis } from 'ioredis'
import type { Checkers } from './access/callers.ts'
import type { DependencyState } from './context.ts'
import type { Bans } from './limits/bans.ts'
import type { MemoryCounters } from './limits/memory-counters.ts'
import type { DeprecatedCalls, ReplyStore } from './stores.ts'

/** What the engine works with and somebody else opens and closes. */
export interface Parts<Store, Transaction extends Store> {
  /** names the service in challenges and in shared stores */
  name: string
  now(): Date
  /** what handlers work on: passed through */
  db: Store
  /** what checks credentials, by the names of the document's security schemes */
  checkers: Checkers
  bans: Bans
  /** undefined: nobody is limited */
  counters: MemoryCounters | undefined
  /** undefined: limits are counted in this process alone */
  redis: Redis | undefined
  deprecatedCalls: DeprecatedCalls
  /** for the operations that take an Idempotency-Key */
  replies: ReplyStore<Store, Transaction>
  /** Asks what the handlers depend on how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
  /** Whether a failure means that what the handlers depend on can't answer now, so that a later try may succeed. */
  isUnavailable(error: unknown): boolean
}
