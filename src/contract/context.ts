import type { Db } from '../database/tables.ts'
import type { Caller, WindowState } from './caller.ts'

/** Something the service depends on, and whether it answers. */
export interface DependencyState {
  name: string
  status: 'ok' | 'degraded' | 'unavailable'
  message?: string
}

/** What a handler may use besides its input. */
export interface Context {
  db: Db
  now(): Date
  caller: Caller
  /** The state of the caller's windows, at no cost. */
  limits(): Promise<WindowState[]>
  /** The caller's calls of deprecated operations in the last 30 days, by operation; undefined: can't be told now. */
  deprecatedCalls(): Promise<ReadonlyMap<string, number> | undefined>
  /** What will need attention before long. */
  warnings(): string[]
  /** To be told of each key that a handler has changed, so that the change counts at once. */
  keyChanged(id: number): void
  /** Asks every dependency how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
}
