import type { Db } from '../database/tables.ts'

/** Something the service depends on, and whether it answers. */
export interface DependencyState {
  name: string
  status: 'ok' | 'degraded' | 'unavailable'
  message?: string
}

/** What a handler may use besides its input. */
export interface Context {
  db: Db
  /** Asks every dependency how it is; never throws. */
  dependencies(): Promise<DependencyState[]>
}
