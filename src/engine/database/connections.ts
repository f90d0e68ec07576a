import { Socket } from 'node:net'
import pg from 'pg'

/** SQLSTATE read_only_sql_transaction: another server is the primary now. */
const readOnly = '25006'

/** Receives the result of a statement, or its error. */
export type Done = (error: Error | null, result?: pg.QueryResult) => void

/** A client of a pool, taken until it is released. */
export type TakenClient = ReturnType<typeof taken>

export async function takeClient(pool: pg.Pool, onLost: (error: Error) => void = () => {}) {
  return taken(await pool.connect(), onLost)
}

function taken(client: pg.PoolClient, onLost: (error: Error) => void) {
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
    send(statement: pg.QueryConfig, done: Done): void {
      client.query(statement, (error: Error | null, result: pg.QueryResult) => {
        if (error) {
          isBroken ||= isTimeout(error) || isFatal(error)
          if (isTimeout(error)) Object.assign(error, { code: 'ETIMEDOUT' })
        }
        done(error, result)
      })
    },
    /** Returns the client to the pool. A broken one, and one within a transaction, is closed. */
    release(): void {
      client.off('error', broke)
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    },
  }
}

/** Returns whether a statement exceeded `query_timeout`. pg closes the connection then, and gives no code. */
const isTimeout = (error: Error) => error.message === 'Query read timeout'

const isFatal = (error: unknown) =>
  error instanceof pg.DatabaseError &&
  (error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === readOnly)

/** A connection without an answer for this time, or twice as long, gets no more statements, in ms. */
const stuckAfter = 50
/** A connection with this many statements under way is full. */
const fullFrom = 8

/** A statement under way on a shared connection. */
interface Sent {
  statement: pg.QueryConfig
  done: Done
  /** whether it may run once more, as a read may */
  mayRepeat: boolean
}

type SharedConnection = ReturnType<typeof openShared>

/**
 * A pipelined connection.
 * @param onRetired called when it takes no more statements
 * @param again runs a read elsewhere, whose connection was lost, or that stands behind a slow statement
 */
function openShared(pool: pg.Pool, onRetired: () => void, again: (sent: Sent) => void) {
  const underWay = new Set<Sent>()
  let client: TakenClient | undefined
  let answers = 0
  let seen = 0
  let timer: NodeJS.Timeout | undefined
  let isRetired = false

  async function open(): Promise<void> {
    try {
      client = await takeClient(pool, error => {
        if (underWay.size === 0) pool.emit('error', error) // as the pool does for idle clients
        retire()
      })
      for (const sent of underWay) submit(client, sent)
    } catch (error) {
      for (const sent of underWay) answered(sent, error as Error) // pg throws Errors
      retire()
    }
  }

  function submit(to: TakenClient, sent: Sent): void {
    timer ??= setTimeout(look, stuckAfter)
    to.send(sent.statement, (error, result) => answered(sent, error, result))
  }

  function answered(sent: Sent, error: Error | null, result?: pg.QueryResult): void {
    underWay.delete(sent)
    answers++
    const isLost = client?.isBroken() === true
    if (isRetired || isLost) retire()
    if (error && isLost && sent.mayRepeat && !isDeadline(error)) again(sent)
    else sent.done(error, result)
  }

  /** Checks once all arrived data is read: this process may have been paused itself. */
  function look(): void {
    timer = undefined
    setImmediate(() => {
      if (isRetired || underWay.size === 0) return
      timer ??= setTimeout(look, stuckAfter)
      if (seen !== answers) {
        seen = answers
        return
      }
      retire()
      const [, ...behind] = underWay
      for (const sent of behind) {
        if (!sent.mayRepeat) continue
        again({ ...sent })
        sent.done = () => {} // the other run answers
        sent.mayRepeat = false
      }
    })
  }

  /** Takes no more statements, and releases the client once all are answered. */
  function retire(): void {
    if (!isRetired) onRetired()
    isRetired = true
    if (underWay.size > 0) return
    clearTimeout(timer)
    client?.release()
    client = undefined
  }

  void open()
  return {
    underWay,
    retire,
    send(sent: Sent): void {
      underWay.add(sent)
      if (client) submit(client, sent)
    },
  }
}

const isDeadline = (error: Error) => 'code' in error && error.code === 'ETIMEDOUT'

/** Shares all connections of a pool among statements outside transactions. */
export function shareConnections(pool: pg.Pool) {
  const open = new Set<SharedConnection>()

  /** Returns the first connection that is not full, to write much at once; else a new one; else the least busy. */
  function choose(isRead: boolean): SharedConnection {
    let least: SharedConnection | undefined
    for (const each of open) {
      if (isRead && each.underWay.size < fullFrom) return each
      if (!least || each.underWay.size < least.underWay.size) least = each
    }
    const isFull = open.size >= pool.options.max
    if (least && (isFull || least.underWay.size === 0)) return least
    const connection: SharedConnection = openShared(pool, () => open.delete(connection), repeat)
    open.add(connection)
    return connection
  }

  const repeat = (sent: Sent) => choose(true).send({ ...sent, mayRepeat: false })

  return {
    /** Returns the number of unanswered statements. */
    underWay: () => open.values().reduce((sum, { underWay }) => sum + underWay.size, 0),
    /**
     * Runs a statement. A read runs once more if its connection is lost, or if it waits behind a slow one. Writes, which
     * run once, spread over all connections, as each waits for the disk.
     */
    run: (statement: pg.QueryConfig, isRead: boolean, done: Done): void =>
      choose(isRead).send({ statement, done, mayRepeat: isRead }),
    /** Returns the connections to the pool, once their statements are answered. */
    close(): void {
      for (const connection of open) connection.retire()
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
