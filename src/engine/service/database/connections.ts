import { Socket } from 'node:net'
import pg from 'pg'
import type { Write } from '../runtime/writes.ts'
import { cancelsWithin, requestCancel } from './cancel.ts'
import { allTaken, canceled, closed, codeOf, DatabaseUnavailable, timedOut } from './failures.ts'
import type { Hosts } from './hosts.ts'
import type { Joinable } from './statements.ts'

/** SQLSTATE read_only_sql_transaction: another server is the primary now. */
const readOnly = '25006'

/** How a statement failed, besides its error. */
export interface Failure {
  /** whether it may have been carried out all the same, as the database did not say */
  isUnknown: boolean
  /** whether it was cancelled in place of another one: it was not carried out, and may run again */
  isMistaken: boolean
}

/** Receives the result of a statement, or its error. */
export type Done = (error: Error | null, result?: pg.QueryResult, failure?: Failure) => void

/**
 * A statement on its way. As what else waits for the database, it is a class: V8 may make literals there among its old
 * objects, where they wait for a full collection of garbage.
 */
export class Statement {
  readonly text: string
  readonly values: unknown[]
  /** undefined: it runs without a name */
  prepared: pg.QueryConfig | undefined = undefined
  /** how it may be one with others that are sent in the same turn of the event loop; undefined: it may not */
  readonly joinable: Joinable | undefined

  constructor(text: string, values: unknown[] = [], joinable?: Joinable) {
    this.text = text
    this.values = values
    this.joinable = joinable
  }
}

/** Returns a prepared statement. It inherits its text and its name, as pg copies each property of its own at each use. */
export const prepare = (text: string, name: string): pg.QueryConfig => Object.create({ text, name })

/** A client of a pool, taken until it is released. */
export type TakenClient = ReturnType<typeof taken>

/** Ends statements that have no answer in time. pg has a timer for each statement, which costs more. */
export type Deadline = ReturnType<typeof createDeadline>

interface Watched {
  /** since when the next answer is due, in ms; infinity: no statement is under way */
  since(): number
  cancel(): void
  cut(): void
}

/** How often statements without an answer are looked at, at most, in ms. */
const lookEvery = 250

/**
 * Cancels statements without an answer, and then cuts their connections. A server does not see that a connection is cut
 * while it runs a statement.
 * @param timeout the longest wait for an answer, in ms; 0: no limit
 */
export function createDeadline(timeout: number) {
  const watched = new Set<Watched>()
  const look = () => {
    const tooEarly = performance.now() - timeout
    for (const connection of watched) {
      const since = connection.since()
      if (since < tooEarly - cancelsWithin) connection.cut()
      else if (since < tooEarly) connection.cancel()
    }
  }
  const timer = timeout > 0 ? setInterval(look, Math.min(lookEvery, timeout / 4)).unref() : undefined
  return { watched, close: () => clearInterval(timer) }
}

/** A pool, and the use of its connections. */
export type Source = ReturnType<typeof createSource>

/** @param deadline that of its statements @param hosts those of the pool's clients */
export function createSource(pool: pg.Pool, deadline: Deadline, hosts: Hosts) {
  const { max } = pool.options
  const listeners: (() => void)[] = []
  let used = 0
  let lent = 0
  const source = {
    pool,
    deadline,
    hosts,
    /** Makes an idle connection free that is kept in use, if there is one. */
    freeIdle: () => {},
    /** Calls a function whenever a connection may be free. */
    listen: (listener: () => void) => void listeners.push(listener),
    /** Returns the number of connections that are left to the pool's own use. */
    own: () => max - lent,
    /** To be called when a connection that is in use has become idle. */
    becameIdle(): void {
      for (const listener of listeners) listener()
    },
    /** Takes a connection, or the right to the next one, in the pool's own order. */
    take: () => void used++,
    /** Returns whether more are taken than there are, so that the last one waits for another to be given back. */
    isOverfull: () => used > max,
    /** @returns whether one was free and is taken */
    takeFree(): boolean {
      if (used >= max) return false
      used++
      return true
    },
    /** Takes one for another use than the pool's own, to which the last one is left. */
    borrow(): boolean {
      if (lent >= max - 1) return false
      if (used >= max) source.freeIdle()
      if (used >= max || lent >= max - 1) return false // another queue may have taken what became free
      used++
      lent++
      return true
    },
    giveBack(isLent: boolean): void {
      used--
      if (isLent) lent--
      source.becameIdle()
    },
  }
  return source
}

/** Takes a client of a source's pool, whose use is counted already. */
export async function connect(
  source: Source,
  isLent = false,
  onLost: (error: Error) => void = () => {},
): Promise<TakenClient> {
  const isQueued = source.isOverfull()
  try {
    return taken(await source.hosts.connect(source.pool, isQueued), source, isLent, onLost)
  } catch (error) {
    source.giveBack(isLent)
    const { connectionTimeoutMillis: waited = 0 } = source.pool.options
    throw isQueued && codeOf(error) === timedOut ? allTaken(waited) : error
  }
}

/** The form of `query` that pg's types leave out: they have it for a promise. */
interface Sends {
  query(
    query: pg.QueryConfig | string,
    values: unknown[],
    done: (error: Error | null, result: pg.QueryResult) => void,
  ): void
}

function taken(lent: pg.PoolClient, source: Source, isLent: boolean, onLost: (error: Error) => void) {
  const client = lent as pg.PoolClient & GatheringClient & Sends // the pools have no others
  const { watched } = source.deadline
  let isBroken = false
  let isLate = false
  /** whether the server has said that it ends the session: it runs nothing that was sent behind */
  let isOver = false
  let sent = 0
  let answered = 0
  let since = Number.POSITIVE_INFINITY
  /** the number of the statement that was to be cancelled */
  let cancelling: number | undefined
  function broke(error: Error): void {
    isBroken = true
    onLost(error)
  }
  client.on('error', broke) // the pool listens to idle clients only
  const connection = {
    since: () => since,
    /** Asks the server to cancel the statement whose answer is next; once. */
    cancel(): void {
      if (cancelling !== undefined || answered === sent) return
      cancelling = answered
      requestCancel(client)
    },
    cut(): void {
      isBroken = true
      isLate = true
      client.socket.destroy()
    },
  }
  watched.add(connection)

  function failureOf(error: Error, number: number, wasSent: boolean): Failure {
    const isAnswer = error instanceof pg.DatabaseError
    const isMistaken =
      isAnswer && error.code === canceled && cancelling !== undefined && cancelling !== number
    if (isAnswer && !endsSession(error)) return { isUnknown: false, isMistaken }
    const isUnknown = wasSent && !isOver && (isAnswer || isBroken)
    isOver ||= isAnswer
    return { isUnknown, isMistaken }
  }

  /** Returns the error of a statement, or that of its connection if it has no answer. */
  function lostOr(error: Error): Error {
    if (!isBroken || error instanceof pg.DatabaseError) return error
    if (!isLate) return new DatabaseUnavailable('The connection to the database was lost', { cause: error })
    isLate = false // only the first has waited too long; those behind it lose their connection
    return new DatabaseUnavailable('The database did not answer in time', { cause: error, code: timedOut })
  }

  return {
    /** whether it is of a pool for other uses */
    isLent,
    /** Returns whether the connection is lost, or leads to an unsuitable server. */
    isBroken: () => isBroken,
    /** Returns whether another one may use it. */
    isSound: () => !isBroken && cancelling === undefined,
    cancel: connection.cancel,
    gather: () => client.gather(),
    /** Sends a statement behind those under way. */
    send({ text, values, prepared }: Statement, done: Done): void {
      const number = sent++
      const wasSent = !isBroken
      if (answered === number) since = performance.now()
      client.gather()
      client.query(prepared ?? text, values, (error: Error | null, result: pg.QueryResult) => {
        answered++
        since = answered === sent ? Number.POSITIVE_INFINITY : performance.now()
        if (!error) return void done(null, result)
        isBroken ||= isFatal(error)
        done(lostOr(error), undefined, failureOf(error, number, wasSent))
      })
    },
    /** Returns the client to the pool. One that is broken, within a transaction, or may yet be cancelled is closed. */
    release(): void {
      watched.delete(connection)
      client.off('error', broke)
      client.release(isBroken || cancelling !== undefined || client.getTransactionStatus() !== 'I')
      source.giveBack(isLent)
    },
  }
}

const endsSession = ({ severity }: pg.DatabaseError) => severity === 'FATAL' || severity === 'PANIC'

const isFatal = (error: unknown) =>
  error instanceof pg.DatabaseError && (endsSession(error) || error.code === readOnly)

/** A wait for a client. */
interface Waiter {
  write: Write | undefined
  mayBorrow: boolean
  timer: NodeJS.Timeout | undefined
  resolve(client: Promise<TakenClient>): void
  reject(error: Error): void
}

export type Queue = ReturnType<typeof createQueue>

/**
 * Gives clients to those that wait, in their order.
 * @param first whose connections are for them
 * @param lenders whose idle connections they may use too
 * @param waitsFor the longest wait, in ms; 0: no limit
 */
export function createQueue(first: Source, lenders: readonly Source[], waitsFor: number) {
  const waiting: Waiter[] = []

  /** @returns undefined when all are taken */
  function takeFree(write: Write | undefined, mayBorrow: boolean): Promise<TakenClient> | undefined {
    if (first.takeFree()) return open(first, false, write)
    const lender = mayBorrow ? lenders.find(({ borrow }) => borrow()) : undefined
    return lender && open(lender, true, write)
  }

  async function open(source: Source, isLent: boolean, write: Write | undefined): Promise<TakenClient> {
    let refused: Error | undefined
    if (write)
      write.end = reason => {
        refused = reason
      }
    const client = await connect(source, isLent)
    const refusal = refused ?? write?.of.waitsInVain
    if (!refusal) return client
    client.release()
    throw refusal
  }

  let isServing = false
  /** Serves those that wait. What becomes free for the first of them calls this again, which is then done already. */
  function serve(): void {
    if (isServing) return
    isServing = true
    while (serveFirst());
    isServing = false
  }

  /** @returns whether another one may be served */
  function serveFirst(): boolean {
    const [next] = waiting
    if (!next) return false
    const refusal = next.write?.of.waitsInVain
    const client = refusal ? Promise.reject(refusal) : takeFree(next.write, next.mayBorrow)
    if (!client) return false
    served(client)
    return true
  }

  /** Ends the wait of the first. */
  function served(client: Promise<TakenClient>): void {
    const next = waiting.shift()
    clearTimeout(next?.timer)
    next?.resolve(client)
  }
  for (const source of [first, ...lenders]) source.listen(serve)

  function wait(write: Write | undefined, mayBorrow: boolean): Promise<TakenClient> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { write, mayBorrow, timer: undefined, resolve, reject }
      const leave = (error: Error) => {
        const index = waiting.indexOf(waiter)
        if (index === -1) return
        waiting.splice(index, 1)
        clearTimeout(waiter.timer)
        reject(error)
      }
      if (waitsFor > 0) waiter.timer = setTimeout(() => leave(allTaken(waitsFor)), waitsFor).unref()
      if (write) write.end = leave
      waiting.push(waiter)
    })
  }

  return {
    /**
     * Takes a client.
     * @param write what it is for; it waits no longer once its request is refused
     * @param mayBorrow whether it may have one of the lenders, which end waits for locks
     */
    take: (write?: Write, mayBorrow = false): Promise<TakenClient> =>
      (waiting.length === 0 ? takeFree(write, mayBorrow) : undefined) ?? wait(write, mayBorrow),
    /**
     * Gives a client to the first that waits, whose statements go out behind those that are under way.
     * @returns whether it has it, and is to release it
     */
    passOn(client: TakenClient): boolean {
      if (client.isLent || !client.isSound()) return false
      while (waiting[0]) {
        const refusal = waiting[0].write?.of.waitsInVain
        served(refusal ? Promise.reject(refusal) : Promise.resolve(client))
        if (!refusal) return true
      }
      return false
    },
    /** Returns the number of those that wait. */
    length: () => waiting.length,
    /** Ends all waits. */
    close(): void {
      for (const { reject, timer } of waiting.splice(0)) {
        clearTimeout(timer)
        reject(closed())
      }
    },
  }
}

/** A client whose connection can be cut, whatever it waits for, and that writes once in each turn of the event loop. */
export class GatheringClient extends pg.Client {
  readonly socket: Socket
  #isGathering = false

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.socket = socket
  }

  /** Holds what is written until the end of the turn: writes take 0.7 of the CPU. */
  gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.socket.cork() // pg corks it for each statement as well, within this
    setImmediate(() => {
      this.#isGathering = false
      this.socket.uncork()
    })
  }
}
