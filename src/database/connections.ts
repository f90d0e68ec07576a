import { Socket } from 'node:net'
import pg from 'pg'

/** read_only_sql_transaction: another server is the primary now. */
const readOnly = '25006'

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
  async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(statement)
    } catch (error) {
      this.#isBroken ||= isTimeout(error) || isFatal(error)
      throw isTimeout(error) ? Object.assign(error, { code: 'ETIMEDOUT' }) : error
    }
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
}

/** Whether a statement has had no answer within `query_timeout`: pg closes the connection then, and gives no code. */
const isTimeout = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout'

const isFatal = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === readOnly)

/** After so long without an answer a connection gets no more reads, in ms. */
const stuckAfter = 50
/** So many reads under way make a connection full. */
const fullFrom = 8

/** A pipelined connection. It goes back to the pool once nobody has used it for a while. */
class SharedConnection {
  /** For each read under way, in the order of their answers: tells it whether it is overtaken. */
  readonly #reads = new Set<(isOvertaken: boolean) => void>()
  readonly #taken: Promise<TakenClient>
  readonly #onRetired: () => void
  #client: TakenClient | undefined
  #answers = 0
  #timer: NodeJS.Timeout | undefined
  #isRetired = false

  /** @param onRetired told when it takes no more reads */
  constructor(pool: pg.Pool, onRetired: () => void) {
    this.#onRetired = onRetired
    this.#taken = this.#take(pool)
  }

  async #take(pool: pg.Pool): Promise<TakenClient> {
    const client = await TakenClient.from(pool)
    client.onLost = error => {
      if (this.underWay === 0) pool.emit('error', error) // as the pool does for idle clients
      this.#retire()
    }
    this.#timer = setTimeout(this.#look, stuckAfter)
    this.#client = client
    return client
  }

  get underWay(): number {
    return this.#reads.size
  }

  /** Whether it was lost with what was under way. */
  get isBroken(): boolean {
    return this.#client?.isBroken === true
  }

  /** @returns the answer, and whether the read was still behind a slow one when the connection was left */
  send(statement: pg.QueryConfig): { answer: Promise<pg.QueryResult>; isOvertaken: Promise<boolean> } {
    const { promise: isOvertaken, resolve } = Promise.withResolvers<boolean>()
    if (this.underWay === 0) this.#timer?.refresh()
    this.#reads.add(resolve)
    const answered = () => {
      this.#reads.delete(resolve)
      resolve(false)
      this.#answers++
      this.#timer?.refresh()
      if (this.#isRetired || this.isBroken || !this.#client) this.#retire()
    }
    return { answer: this.#taken.then(client => client.run(statement)).finally(answered), isOvertaken }
  }

  /** Looks after what has arrived is read: this process may have been paused itself. */
  #look = (): void => {
    const before = this.#answers
    setImmediate(() => {
      if (this.#isRetired || before !== this.#answers) return
      const [, ...behind] = this.#reads
      this.#retire()
      for (const overtake of behind) overtake(true)
    })
  }

  /** Takes no more reads, and gives the client back once all is answered. */
  #retire(): void {
    if (!this.#isRetired) this.#onRetired()
    this.#isRetired = true
    if (this.underWay > 0) return
    clearTimeout(this.#timer)
    this.#client?.release()
  }
}

/**
 * A few connections for reads outside transactions. A read whose connection is lost runs once more, and so does one behind a
 * read that takes long.
 */
export class SharedConnections {
  readonly #pool: pg.Pool
  readonly #most: number
  readonly #open = new Set<SharedConnection>()
  /** Reads that are not answered yet. */
  underWay = 0

  /** @param most how many of the pool's connections are shared */
  constructor(pool: pg.Pool, most: number) {
    this.#pool = pool
    this.#most = most
  }

  async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.underWay++
    const connection = this.#choose()
    const { answer, isOvertaken } = connection.send(statement)
    const again = () => this.#choose().send(statement).answer
    const first = answer.catch(error => {
      if (!connection.isBroken || error.code === 'ETIMEDOUT') throw error
      return again()
    })
    const second = isOvertaken.then(isSo => (isSo ? again() : first))
    return Promise.any([first, second])
      .catch(({ errors }: AggregateError) => Promise.reject(errors[0]))
      .finally(() => this.underWay--)
  }

  /** The first connection that is not full, so that much leaves in one write; else a new one; else the least busy. */
  #choose(): SharedConnection {
    const open = [...this.#open]
    const free = open.find(({ underWay }) => underWay < fullFrom)
    if (free) return free
    const [least] = open.toSorted((one, other) => one.underWay - other.underWay)
    if (least && open.length >= this.#most) return least
    const connection: SharedConnection = new SharedConnection(this.#pool, () => this.#open.delete(connection))
    this.#open.add(connection)
    return connection
  }
}

/** A socket that writes once in a turn of the event loop: writes take 0.7 of the CPU. */
export class GatheringSocket extends Socket {
  #isGathering = false

  override cork(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    super.cork()
    setImmediate(() => {
      this.#isGathering = false
      super.uncork()
    })
  }

  override uncork(): void {}
}
