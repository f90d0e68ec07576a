import pg from 'pg'

/** read_only_sql_transaction */
const readOnly = '25006'

/** Whether a statement has had no answer within `query_timeout`: pg closes the connection then. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout' // pg gives it no code
}

/** A server that takes no writes: the primary has changed, and this is not the new one. */
export class ReadOnlyServer extends Error {
  readonly code = readOnly
  constructor() {
    super('The server is a replica, which takes no writes')
    this.name = 'ReadOnlyServer'
  }
}

/** A client of the pool, for one user until it is released. */
export class TakenClient {
  readonly #client: pg.PoolClient
  #isBroken = false
  /** To be told when the connection is lost. */
  onLost: (error: Error) => void = () => {}

  constructor(client: pg.PoolClient) {
    this.#client = client
    client.on('error', this.#broke) // the pool listens to idle clients only
  }

  static async from(pool: pg.Pool): Promise<TakenClient> {
    return new TakenClient(await pool.connect())
  }

  /** Whether its connection is lost, or leads to a server that is of no use. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Sends a statement behind those that are under way. */
  send(
    statement: pg.QueryConfig,
    answered: (error: Error | undefined, result: pg.QueryResult) => void,
  ): void {
    this.#client.query(statement, (error, result) => {
      if (error) this.#learnFrom(error)
      answered(error, result)
    })
  }

  run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.send(statement, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  /** Gives it back; a broken one, and one within a transaction, is closed. */
  release(): void {
    this.#client.off('error', this.#broke)
    this.#client.release(this.#isBroken || this.#client.getTransactionStatus() !== 'I')
  }

  #broke = (error: Error): void => {
    this.#isBroken = true
    this.onLost(error)
  }

  #learnFrom(error: Error): void {
    if (isTimeout(error)) {
      Object.assign(error, { code: 'ETIMEDOUT' })
      this.#isBroken = true
    } else if (error instanceof pg.DatabaseError) {
      const { severity, code } = error
      if (severity === 'FATAL' || severity === 'PANIC' || code === readOnly) this.#isBroken = true
    }
  }
}
