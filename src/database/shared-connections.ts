import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import type pg from 'pg'
import { isTimeout, TakenClient } from './taken-client.ts'

/** After so long without an answer a connection gets no more statements, in ms. */
const stuckAfter = 50

/** So many statements under way make a connection full. */
const fullFrom = 8

interface Request {
  statement: pg.QueryConfig
  tries: number
  /** how many of its tries are not answered yet */
  underWay: number
  resolve(result: pg.QueryResult): void
  reject(error: unknown): void
}

interface Connection {
  client: TakenClient
  /** in the order in which they are answered */
  sent: Request[]
  /** when it was last answered, or began to wait for an answer */
  activeAt: number
  /** Whether nothing more is sent by it. */
  isRetired: boolean
}

/**
 * A few pipelined connections for reads outside transactions. A read whose connection is lost runs once more, and so does
 * one behind a read that takes long.
 */
export class SharedConnections {
  readonly #pool: pg.Pool
  readonly #most: number
  #connections: Connection[] = []
  #opening: Promise<void> | undefined
  #watch: NodeJS.Timeout | undefined

  /** @param most how many of the pool's connections are shared */
  constructor(pool: pg.Pool, most: number) {
    this.#pool = pool
    this.#most = most
  }

  /** Reads that are sent and not answered yet. */
  get underWay(): number {
    return this.#connections.reduce((sum, { sent }) => sum + sent.length, 0)
  }

  run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      void this.#send({ statement, tries: 0, underWay: 0, resolve, reject })
    })
  }

  /** Gives the connections back once all is answered. */
  close(): void {
    for (const connection of this.#connections) this.#retire(connection)
  }

  async #send(request: Request): Promise<void> {
    request.tries++
    request.underWay++
    let connection = this.#choose()
    try {
      while (!connection) {
        await this.#open()
        connection = this.#choose()
      }
    } catch (error) {
      this.#failed(request, error, false)
      return
    }
    this.#sendBy(connection, request)
  }

  #sendBy(connection: Connection, request: Request): void {
    if (connection.sent.length === 0) connection.activeAt = performance.now()
    connection.sent.push(request)
    connection.client.send(request.statement, (error, result) => {
      if (connection.sent[0] === request) connection.sent.shift()
      else connection.sent.splice(connection.sent.indexOf(request), 1)
      connection.activeAt = performance.now()
      const { isBroken } = connection.client
      if (isBroken || connection.isRetired) this.#retire(connection)
      if (error) this.#failed(request, error, isBroken && !isTimeout(error))
      else request.resolve(result)
    })
  }

  /** The first connection that is not full, so that much leaves in one write; else the least busy, and one more is opened. */
  #choose(): Connection | undefined {
    let least: Connection | undefined
    let open = 0
    for (const each of this.#connections) {
      if (each.isRetired) continue
      if (each.sent.length < fullFrom) return each
      open++
      if (!least || each.sent.length < least.sent.length) least = each
    }
    if (least && open < this.#most) this.#open().catch(() => {})
    return least
  }

  #failed(request: Request, error: unknown, isLost: boolean): void {
    if (isLost) this.#sendAgain(request)
    request.underWay--
    if (request.underWay === 0) request.reject(error)
  }

  #sendAgain(request: Request): void {
    if (request.tries < 2) void this.#send(request)
  }

  #open(): Promise<void> {
    this.#opening ??= TakenClient.from(this.#pool)
      .then(client => {
        const connection = { client, sent: [], activeAt: performance.now(), isRetired: false }
        client.onLost = error => {
          if (connection.sent.length === 0) this.#pool.emit('error', error) // as the pool does for idle clients
          this.#retire(connection)
        }
        this.#connections.push(connection)
        this.#watch ??= setTimeout(this.#look, stuckAfter)
      })
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  /** Sends nothing more by a connection, and releases it once all is answered. */
  #retire(connection: Connection): void {
    connection.isRetired = true
    if (connection.sent.length > 0 || !this.#connections.includes(connection)) return
    this.#connections = this.#connections.filter(each => each !== connection)
    connection.client.release()
  }

  /** Looks after what has arrived is read: this process may have been paused itself. */
  #look = (): void => {
    setImmediate(() => {
      for (const connection of this.#connections) this.#retireUnanswered(connection)
      this.#watch = this.#connections.length > 0 ? setTimeout(this.#look, stuckAfter) : undefined
    })
  }

  /** Retires a connection that waits for long, or that nobody uses: the pool has it for others. */
  #retireUnanswered(connection: Connection): void {
    if (connection.isRetired || performance.now() - connection.activeAt < stuckAfter) return
    const [, ...behind] = connection.sent
    this.#retire(connection)
    for (const request of behind) this.#sendAgain(request)
  }
}
