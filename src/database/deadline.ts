import { AsyncLocalStorage } from 'node:async_hooks'

/** A server that has not answered in time. What became of the statement is unknown. */
export class DatabaseTimeout extends Error {
  readonly code = 'ETIMEDOUT'
  constructor(milliseconds: number) {
    super(`The database has not answered within ${milliseconds} ms`)
    this.name = 'DatabaseTimeout'
  }
}

const unbounded = new AsyncLocalStorage<true>()

/** Lets the queries of `run` take as long as they need. */
export function withoutDeadline<T>(run: () => Promise<T>): Promise<T> {
  return unbounded.run(true, run)
}

/** Whether this is called within `withoutDeadline`. */
export function isUnbounded(): boolean {
  return unbounded.getStore() === true
}
