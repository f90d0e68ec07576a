import type { Caller, WindowState } from './access/caller.ts'
import type { Contract } from './contract.ts'
import type { Keys } from './keys/keys.ts'
import type { Page } from './replies/pages.ts'

/** Something the service depends on, and whether it answers. */
export interface DependencyState {
  name: string
  status: 'ok' | 'degraded' | 'unavailable'
  message?: string
}

/** What any handler may use besides its input and the store. */
export interface Tools {
  now(): Date
  caller: Caller
  contract: Contract
  /** the page that a list is asked for */
  page: Page
  /** The API keys in the database. A change counts when the handler answers, or as soon as it is stored. */
  keys: Keys
}

/** What the handlers of operations that are not repeated may use: these ask databases and counters themselves. */
export interface FreeTools extends Tools {
  /** The state of the caller's windows, at no cost. */
  limits(): Promise<readonly WindowState[]>
  /** The caller's calls of deprecated operations by operation, as far back as is told; undefined: can't be told now. */
  deprecatedCalls(): Promise<ReadonlyMap<string, number> | undefined>
  /** What will need attention before long. */
  warnings(): string[]
  /** Asks every dependency how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
}

/** What a handler is called with: tools, and the store, which the engine only passes through. */
export type Context<Store> = FreeTools & { db: Store }

/** What the handler of an operation that may be repeated is called with: a transaction, which a refusal takes back. */
export type RepeatableContext<Transaction> = Tools & { db: Transaction }
