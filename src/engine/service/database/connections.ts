import { Socket } from 'node:net'
import pg from 'pg'

/** SQLSTATE read_only_sql_transaction: another server is the primary now. */
const readOnly = '25006'

/** Receives the result of a statement, or its error. */
export type Done = (error: Error | null, result?: pg.QueryResult) => void

/** A client of a pool, taken until it is released. */
export type TakenClient = ReturnType<typeof taken>

/** Cuts connections with a statement that has no answer in time. pg has a timer for each statement, which costs more. */
export type Deadline = ReturnType<typeof createDeadline>

interface Watched {
  /** when the statement was sent whose answer is next, in ms; infinity: none is under way */
  since(): number
  cut(): void
}

/** How often statements without an answer are looked at, at most, in ms. */
const lookEvery = 250

/** @param timeout the longest wait for an answer, in ms; 0: no limit */
export function createDeadline(timeout: number) {
  const watched = new Set<Watched>()
  const look = () => {
    const tooEarly = performance.now() - timeout
    for (const one of watched) if (one.since() < tooEarly) one.cut()
  }
  const timer = timeout > 0 ? setInterval(look, Math.min(lookEvery, timeout / 4)).unref() : undefined
  return { watched, close: () => clearInterval(timer) }
}

/** A pool, with the deadline of its statements. */
export interface WatchedPool {
  pool: pg.Pool
  deadline: Deadline
}

export async function takeClient({ pool, deadline }: WatchedPool, onLost: (error: Error) => void = () => {}) {
  return taken(await pool.connect(), deadline, onLost)
}

function taken(client: pg.PoolClient, { watched }: Deadline, onLost: (error: Error) => void) {
  let isBroken = false
  let isLate = false
  const sentAt: number[] = []
  function broke(error: Error): void {
    isBroken = true
    onLost(error)
  }
  client.on('error', broke) // the pool listens to idle clients only
  const own: Watched = {
    since: () => sentAt[0] ?? Number.POSITIVE_INFINITY,
    cut() {
      isBroken = true
      isLate = true
      const { socket } = client as pg.PoolClient & GatheringClient // the pools have no others
      socket.destroy()
    },
  }
  watched.add(own)
  return {
    /** Returns whether the connection is lost, or leads to an unsuitable server. */
    isBroken: () => isBroken,
    /** Sends a statement behind those under way. */
    send(statement: pg.QueryConfig, done: Done): void {
      sentAt.push(performance.now())
      client.query(statement, (error: Error | null, result: pg.QueryResult) => {
        sentAt.shift()
        if (error) {
          isBroken ||= isFatal(error)
          // Only the first has waited too long; those behind it lose their connection.
          if (isLate) Object.assign(error, { code: 'ETIMEDOUT' })
          isLate = false
        }
        done(error, result)
      })
    },
    /** Returns the client to the pool. A broken one, and one within a transaction, is closed. */
    release(): void {
      watched.delete(own)
      client.off('error', broke)
      client.release(isBroken || client.getTransactionStatus() !== 'I')
    },
  }
}

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
function openShared(from: WatchedPool, onRetired: () => void, again: (sent: Sent) => void) {
  /** in the order of their answers; a `Set` would leave its old tables behind */
  const underWay: Sent[] = []
  let client: TakenClient | undefined
  let answers = 0
  let seen = 0
  let timer: NodeJS.Timeout | undefined
  let isRetired = false

  async function open(): Promise<void> {
    try {
      client = await takeClient(from, error => {
        if (underWay.length === 0) from.pool.emit('error', error) // as the pool does for idle clients
        retire()
      })
      for (const sent of underWay) submit(client, sent)
    } catch (error) {
      for (const sent of [...underWay]) answered(sent, error as Error) // pg throws Errors
      retire()
    }
  }

  function submit(to: TakenClient, sent: Sent): void {
    timer ??= setTimeout(look, stuckAfter)
    to.send(sent.statement, (error, result) => answered(sent, error, result))
  }

  function answered(sent: Sent, error: Error | null, result?: pg.QueryResult): void {
    if (underWay[0] === sent) underWay.shift()
    else underWay.splice(underWay.indexOf(sent), 1)
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
      if (isRetired || underWay.length === 0) return
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
    if (underWay.length > 0) return
    clearTimeout(timer)
    client?.release()
    client = undefined
  }

  void open()
  return {
    underWay,
    retire,
    send(sent: Sent): void {
      underWay.push(sent)
      if (client) submit(client, sent)
    },
  }
}

const isDeadline = (error: Error) => 'code' in error && error.code === 'ETIMEDOUT'

/** Shares all connections of a pool among statements outside transactions. */
export function shareConnections(from: WatchedPool) {
  const open = new Set<SharedConnection>()

  /** Returns the first connection that is not full, to write much at once; else a new one; else the least busy. */
  function choose(isRead: boolean): SharedConnection {
    let least: SharedConnection | undefined
    for (const each of open) {
      if (isRead && each.underWay.length < fullFrom) return each
      if (!least || each.underWay.length < least.underWay.length) least = each
    }
    const isFull = open.size >= from.pool.options.max
    if (least && (isFull || least.underWay.length === 0)) return least
    const connection: SharedConnection = openShared(from, () => open.delete(connection), repeat)
    open.add(connection)
    return connection
  }

  const repeat = (sent: Sent) => choose(true).send({ ...sent, mayRepeat: false })

  return {
    /** Returns the number of unanswered statements. */
    underWay: () => open.values().reduce((sum, { underWay }) => sum + underWay.length, 0),
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

/** A client whose connection can be cut, whatever it waits for, and that writes once in each turn of the event loop. */
export class GatheringClient extends pg.Client {
  readonly socket: Socket
  constructor(config: pg.ClientConfig = {}) {
    const socket = new GatheringSocket()
    super({ ...config, stream: () => socket })
    this.socket = socket
  }
}

/** A socket that writes once in each turn of the event loop: writes take 0.7 of the CPU. */
class GatheringSocket extends Socket {
  override cork(): void {
    if (this.writableCorked > 0) return
    super.cork()
    setImmediate(() => super.uncork())
  }

  override uncork(): void {}
}
