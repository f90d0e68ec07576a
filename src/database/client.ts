import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { createNames, renewIfOutdated } from './prepared.ts'

/** How long a connection may take to say goodbye, in ms. */
const goodbyeWithin = 1_000

/** A server that has not answered in time. What became of the statement is unknown. */
class DatabaseTimeout extends Error {
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

/** The connections of one pool. */
export interface Connections {
  /** what the pool makes its connections of */
  Client: new () => pg.Client
  /** Breaks off every connection, whatever it waits for. */
  destroy(): void
}

/**
 * Connections that end whatever becomes of the server. A stopped backend and a dead network look alike: nothing comes
 * back, ever, and PostgreSQL's own timeouts are of no help. So past the deadline the query fails and its connection is
 * broken off at the socket: nobody knows what would still arrive on it. (The driver's `query_timeout` gives such a
 * connection back to the pool.) Statements with parameters are prepared.
 * @param deadline of one query, in ms
 */
export function boundedConnections(deadline: number): Connections {
  const open = new Set<BoundedClient>()

  class BoundedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      open.add(this)
      this.connection.once('end', () => open.delete(this))
      // The pool listens to idle connections only. One that breaks within a transaction fails its next query, and would
      // end the process if nobody listened.
      this.on('error', () => {})
      this.query = boundedQuery(this, this.query, deadline)
    }

    override end(): Promise<void>
    override end(callback: (error: Error) => void): void
    override end(callback?: (error: Error) => void): Promise<void> | void {
      const timer = setTimeout(() => this.connection.stream.destroy(), goodbyeWithin).unref()
      this.connection.once('end', () => clearTimeout(timer))
      return callback ? super.end(callback) : super.end()
    }
  }

  return {
    Client: BoundedClient,
    destroy() {
      for (const client of open) client.connection.stream.destroy()
    },
  }
}

function boundedQuery(client: pg.Client, query: pg.Client['query'], deadline: number): pg.Client['query'] {
  const nameOf = createNames()
  const bounded = (text: unknown, values?: unknown, ...rest: unknown[]): unknown => {
    const name =
      typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    const call = name === undefined ? [text, values, ...rest] : [{ name, text, values }, ...rest]
    const result: unknown = Reflect.apply(query, client, call)
    if (!(result instanceof Promise) || unbounded.getStore()) return result
    const timer = setTimeout(() => client.connection.stream.destroy(new DatabaseTimeout(deadline)), deadline)
    return result.then(
      rows => {
        clearTimeout(timer)
        return rows
      },
      error => {
        clearTimeout(timer)
        renewIfOutdated(error)
        throw error
      },
    )
  }
  return bounded as typeof query // the same overloads, passed through
}
