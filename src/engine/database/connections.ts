import { Socket } from 'node:net'
import pg from 'pg'

/** SQLSTATE read_only_sql_transaction: another server is the primary now. */
const readOnly = '25006'

export type TakenClient = Awaited<ReturnType<typeof takeClient>>

export async function takeClient(pool: pg.Pool, onLost: (error: Error) => void = () => {}) {
  const client = await pool.connect()
  let isBroken = false
  function broke(error: Error): void {
    isBroken = true
    onLost(error)
  }
  client.on('error', broke) // the pool listens to idle clients only
  return {
    /** Returns whether the connection is lost, or leads to an unsuitable server. */
    isBroken: () => isBroken,
    /** Sends a statement behind those under way. */
    async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
      try {
        return await client.query(statement)
      } catch (error) {
        isBroken ||= isTimeout(error) || isFatal(error)
        throw isTimeout(error) ? Object.assign(error, { code: 'ETIMEDOUT' }) : error
      }
    },
    /** Returns the client to the pool. A broken one, and one within a transaction, is closed. */
    release(): void {
      client.off('error', broke)
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    },
  }
}

/** Returns whether a statement exceeded `query_timeout`. pg closes the connection then, and gives no code. */
const isTimeout = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout'

const isFatal = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === readOnly)

/** A connection without an answer for this time gets no more reads, in ms. */
const stuckAfter = 50
/** A connection with this many reads under way is full. */
const fullFrom = 8

type SharedConnection = ReturnType<typeof openShared>

/** A pipelined connection. It returns to the pool once it is idle for a while; `onRetired` is called then. */
function openShared(pool: pg.Pool, onRetired: () => void) {
  /** A callback for each read under way, in the order of their answers. Its argument: was the read overtaken? */
  const reads = new Set<(isOvertaken: boolean) => void>()
  let client: TakenClient | undefined
  let answers = 0
  let timer: NodeJS.Timeout | undefined
  let isRetired = false

  async function take(): Promise<TakenClient> {
    client = await takeClient(pool, error => {
      if (reads.size === 0) pool.emit('error', error) // as the pool does for idle clients
      retire()
    })
    timer = setTimeout(look, stuckAfter)
    return client
  }
  const taken = take()

  /** Checks once all arrived data is read: this process may have been paused itself. */
  function look(): void {
    const before = answers
    setImmediate(() => {
      if (isRetired || before !== answers) return
      const [, ...behind] = reads
      retire()
      for (const overtake of behind) overtake(true)
    })
  }

  /** Takes no more reads, and releases the client once all are answered. */
  function retire(): void {
    if (!isRetired) onRetired()
    isRetired = true
    if (reads.size > 0) return
    clearTimeout(timer)
    client?.release()
  }

  /** Returns whether the connection was lost with reads under way. */
  const isBroken = () => client?.isBroken() === true

  return {
    underWay: () => reads.size,
    isBroken,
    /** @returns the answer, and whether the read was still behind a slow one when the connection was given up */
    send(statement: pg.QueryConfig) {
      const { promise: isOvertaken, resolve } = Promise.withResolvers<boolean>()
      if (reads.size === 0) timer?.refresh()
      reads.add(resolve)
      const answered = () => {
        reads.delete(resolve)
        resolve(false)
        answers++
        timer?.refresh()
        if (isRetired || isBroken() || !client) retire()
      }
      return { answer: taken.then(one => one.run(statement)).finally(answered), isOvertaken }
    },
  }
}

/**
 * Shares at most `most` connections among reads outside transactions. A read runs once more if its connection is lost,
 * or if it waits behind a slow read.
 */
export function shareConnections(pool: pg.Pool, most: number) {
  const open = new Set<SharedConnection>()
  let underWay = 0

  /** Returns the first connection that is not full, to write much at once; else a new one; else the least busy. */
  function choose(): SharedConnection {
    const all = [...open]
    const free = all.find(each => each.underWay() < fullFrom)
    if (free) return free
    const [least] = all.toSorted((one, other) => one.underWay() - other.underWay())
    if (least && all.length >= most) return least
    const connection: SharedConnection = openShared(pool, () => open.delete(connection))
    open.add(connection)
    return connection
  }

  return {
    /** Returns the number of unanswered reads. */
    underWay: () => underWay,
    async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
      underWay++
      const connection = choose()
      const { answer, isOvertaken } = connection.send(statement)
      const again = () => choose().send(statement).answer
      const first = answer.catch(error => {
        if (!connection.isBroken() || error.code === 'ETIMEDOUT') throw error
        return again()
      })
      const second = isOvertaken.then(isSo => (isSo ? again() : first))
      return Promise.any([first, second])
        .catch(({ errors }: AggregateError) => Promise.reject(errors[0]))
        .finally(() => underWay--)
    },
  }
}

/** A socket that writes once in each turn of the event loop: writes take 0.7 of the CPU. */
export class GatheringSocket extends Socket {
  override cork(): void {
    if (this.writableCorked > 0) return
    super.cork()
    setImmediate(() => super.uncork())
  }

  override uncork(): void {}
}
