import { Socket } from 'node:net'
import pg from 'pg'

/** read_only_sql_transaction: another server is the primary now. */
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
    /** Whether its connection is lost, or leads to a server that is of no use. */
    isBroken: () => isBroken,
    /** Sends a statement behind those that are under way. */
    async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
      try {
        return await client.query(statement)
      } catch (error) {
        isBroken ||= isTimeout(error) || isFatal(error)
        throw isTimeout(error) ? Object.assign(error, { code: 'ETIMEDOUT' }) : error
      }
    },
    /** Gives it back; a broken one, and one within a transaction, is closed. */
    release(): void {
      client.off('error', broke)
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    },
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

type SharedConnection = ReturnType<typeof openShared>

/** A pipelined connection, which goes back to the pool once nobody has used it for a while: `onRetired` is told then. */
function openShared(pool: pg.Pool, onRetired: () => void) {
  /** For each read under way, in the order of their answers: tells it whether it is overtaken. */
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

  /** Looks once what has arrived is read: this process may have been paused itself. */
  function look(): void {
    const before = answers
    setImmediate(() => {
      if (isRetired || before !== answers) return
      const [, ...behind] = reads
      retire()
      for (const overtake of behind) overtake(true)
    })
  }

  /** Takes no more reads, and gives the client back once all is answered. */
  function retire(): void {
    if (!isRetired) onRetired()
    isRetired = true
    if (reads.size > 0) return
    clearTimeout(timer)
    client?.release()
  }

  /** Whether it was lost with what was under way. */
  const isBroken = () => client?.isBroken() === true

  return {
    underWay: () => reads.size,
    isBroken,
    /** @returns the answer, and whether the read was still behind a slow one when the connection was left */
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
 * Shares so many connections, at most, among reads outside transactions. A read whose connection is lost runs once more,
 * and so does one behind a read that takes long.
 */
export function shareConnections(pool: pg.Pool, most: number) {
  const open = new Set<SharedConnection>()
  let underWay = 0

  /** The first connection that is not full, so that much leaves in one write; else a new one; else the least busy. */
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
    /** Reads that are not answered yet. */
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

/** A socket that writes once in a turn of the event loop: writes take 0.7 of the CPU. */
export class GatheringSocket extends Socket {
  override cork(): void {
    if (this.writableCorked > 0) return
    super.cork()
    setImmediate(() => super.uncork())
  }

  override uncork(): void {}
}
