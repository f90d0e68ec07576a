import type { Database, Trx } from '../database/tables.ts'
import type { Caller, WindowState } from './access/caller.ts'

/** Something the service depends on, and whether it answers. */
export interface DependencyState {
  name: string
  status: 'ok' | 'degraded' | 'unavailable'
  message?: string
}

/** What any handler may use besides its input. */
interface CommonContext {
  now(): Date
  caller: Caller
  /** To be told of each key that a handler has changed, so that the change counts at once. */
  keyChanged(id: number): void
}

/**
 * What the handler of an operation that may be repeated has: a transaction, whether or not the caller sends an
 * Idempotency-Key. A refusal takes all back that was done in it. There is nothing here that asks the database itself.
 */
export interface RepeatableContext extends CommonContext {
  db: Trx
}

/** What the handler of any other operation has. */
export interface Context extends CommonContext {
  db: Database
  /** The state of the caller's windows, at no cost. */
  limits(): Promise<WindowState[]>
  /** The caller's calls of deprecated operations in the last 30 days, by operation; undefined: can't be told now. */
  deprecatedCalls(): Promise<ReadonlyMap<string, number> | undefined>
  /** What will need attention before long. */
  warnings(): string[]
  /** Asks every dependency how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
}
