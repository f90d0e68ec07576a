import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import type pg from 'pg'
import type { Client, Statement } from './client.ts'
import { DatabaseTimeout } from './deadline.ts'
import { type Facts, learnCost, learnSlow } from './facts.ts'

/** A statement before the rest for so long holds the rest up, in ms. */
const stuckAfter = 50
/** How long a connection is kept that nobody uses, in ms. */
const keptFor = 10_000

/** A statement that only reads, for as long as its caller waits. */
export interface Read {
  statement: Statement
  facts: Facts
  /** Whether it runs without a name, as one with a name was refused. */
  isNameless: boolean
  /** Whether it runs once more, as its connection was lost. */
  isRepeated: boolean
  /** Whether it runs elsewhere too, as another one held it up. */
  isRescued: boolean
  isSettled: boolean
  /** how often it is under way */
  pending: number
  resolve(result: pg.QueryResult): void
  reject(error: unknown): void
}

export interface Owner {
  succeeded(read: Read, result: pg.QueryResult): void
  /** @param isLost whether its connection broke */
  failed(read: Read, error: unknown, isLost: boolean): void
  /** To be told of reads that one before them holds up. They are still under way. */
  heldUp(reads: readonly Read[]): void
  /** To be told of a connection that broke while nobody waited. */
  idleLost(error: Error): void
  /** To be told that what has gathered leaves. */
  leaving(): void
}

interface Sent {
  read: Read
  at: number
  cost: number
}

/**
 * A connection of the pool that is shared: what is sent to it, by whomever, is answered in that order. What comes in
 * one turn of the event loop leaves in one write, or in few when it is told to.
 */
export class Lane {
  readonly #pool: pg.Pool
  readonly #owner: Owner
  readonly #deadline: number
  /** Whether its connection is the only one, to be given back as soon as nothing is under way on it. */
  readonly #yields: boolean
  #client: (Client & pg.PoolClient) | undefined
  #isOpening = false
  #isClosing = false
  #isStuck = false
  /** what gathers in it until the turn of the event loop ends */
  #corked: pg.Connection['stream'] | undefined
  readonly #unsent: Read[] = []
  /** What is under way, in the order in which it is answered. A map would be rebuilt all the time, see `Connections.await`. */
  #sent: Sent[] = []
  #load = 0
  #lastAnswer = 0
  #watch: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, owner: Owner, deadline: number, yields: boolean) {
    this.#pool = pool
    this.#owner = owner
    this.#deadline = deadline
    this.#yields = yields
  }

  /** Whether the first statement holds up what would follow. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  /** Whether it has its connection. */
  get isOpen(): boolean {
    return this.#client !== undefined
  }

  /** statements that wait for it or for their answer */
  get underWay(): number {
    return this.#unsent.length + this.#sent.length
  }

  /** what is before a new statement, in ms on the server */
  get load(): number {
    return this.#load
  }

  add(read: Read): void {
    if (this.#client && !this.#mustYield()) this.#send(this.#client, read)
    else {
      this.#unsent.push(read)
      this.open()
    }
  }

  /** Gives the connection back once all is answered. */
  close(): void {
    this.#isClosing = true
    if (!this.#client) return
    for (const read of this.#unsent.splice(0)) this.#send(this.#client, read)
    if (this.#sent.length === 0) this.#leave()
  }

  /** Has it get a connection. */
  open(): void {
    if (this.#client || this.#isOpening) return
    this.#isOpening = true
    this.#pool.connect().then(
      client => {
        this.#isOpening = false
        this.#take(client as Client & pg.PoolClient) // the pool makes them of that class
      },
      error => {
        this.#isOpening = false
        for (const read of this.#unsent.splice(0)) this.#owner.failed(read, error, false)
      },
    )
  }

  #mustYield(): boolean {
    return this.#yields && this.#pool.waitingCount > 0 && !this.#isClosing
  }

  #take(client: Client & pg.PoolClient): void {
    this.#client = client
    client.once('error', this.#broke)
    for (const read of this.#unsent.splice(0)) this.#send(client, read)
    if (this.#sent.length === 0) this.#drained()
  }

  #send(client: Client, read: Read): void {
    const now = performance.now()
    const { stream } = client.connection
    if (this.#corked !== stream) {
      this.#corked = stream
      stream.cork()
      setImmediate(() => {
        if (this.#corked === stream) this.#corked = undefined
        this.#owner.leaving()
        stream.uncork()
      })
    }
    const sent = { read, at: now, cost: read.facts.cost }
    this.#load += sent.cost
    this.#sent.push(sent)
    this.#watch ??= setTimeout(this.#look, stuckAfter)
    client.send(read.statement, { named: !read.isNameless }, (error, result) => {
      this.#answered(client, sent, !error)
      if (error) this.#owner.failed(read, error, client.isBroken)
      else this.#owner.succeeded(read, result)
    })
  }

  /** Has what has gathered leave before the turn ends. */
  flush(): void {
    if (!this.#corked) return
    this.#corked.uncork()
    this.#corked.cork()
  }

  #answered(client: Client, { read, at, cost }: Sent, succeeded: boolean): void {
    const now = performance.now()
    if (succeeded) learnCost(read.facts, now - Math.max(at + client.roundTrip, this.#lastAnswer))
    this.#lastAnswer = now
    if (client !== this.#client) return // it broke, and its account with it
    this.#load -= cost
    this.#sent.shift()
    if (this.#isStuck) {
      this.#isStuck = false
      clearTimeout(this.#watch)
      this.#watch = setTimeout(this.#look, stuckAfter)
    }
    if (client.isBroken) this.#leave()
    else if (this.#sent.length === 0) this.#drained()
  }

  #drained(): void {
    this.#load = 0
    if (this.#isClosing || this.#yields) this.#leave()
    else this.#idle ??= setTimeout(this.#rest, keptFor).unref()
  }

  #rest = (): void => {
    this.#idle = undefined
    if (this.#sent.length > 0 || performance.now() - this.#lastAnswer < keptFor - 1)
      this.#idle = setTimeout(this.#rest, keptFor).unref()
    else this.#leave()
  }

  #broke = (error: Error): void => {
    if (this.#sent.length === 0) this.#owner.idleLost(error)
    this.#leave()
  }

  /** Parts with the connection; what is under way on it is told by itself. */
  #leave(): void {
    const client = this.#client
    if (!client) return
    this.#client = undefined
    this.#sent = []
    this.#load = 0
    this.#isStuck = false
    clearTimeout(this.#watch)
    clearTimeout(this.#idle)
    this.#watch = undefined
    this.#idle = undefined
    client.off('error', this.#broke)
    client.release(client.isBroken)
    if (this.#unsent.length > 0) this.open()
  }

  /** Sees whether the first statement has been there for too long. */
  #look = (): void => {
    this.#watch = undefined
    const client = this.#client
    const sent = this.#sent[0]
    if (!client || !sent) return
    const lastAnswer = this.#lastAnswer
    const since = Math.max(sent.at, lastAnswer)
    const now = performance.now()
    const wait = this.#isStuck ? sent.at + this.#deadline - now : since + stuckAfter - now
    if (wait > 0) {
      this.#watch = setTimeout(this.#look, wait)
      return
    }
    // After a pause of this process the answer may be here, unread; it will be read before this runs.
    setImmediate(() => {
      if (client !== this.#client || lastAnswer !== this.#lastAnswer || sent !== this.#sent[0]) {
        this.#watch ??= setTimeout(this.#look, stuckAfter)
        return
      }
      if (this.#isStuck) {
        client.breakOff(new DatabaseTimeout(this.#deadline))
        return
      }
      this.#isStuck = true
      learnSlow(sent.read.facts)
      clearTimeout(this.#watch) // set by what was sent meanwhile: two that ran out at once would take one for overdue
      this.#watch = setTimeout(this.#look, sent.at + this.#deadline - now)
      this.#owner.heldUp(this.#sent.slice(1).map(({ read }) => read))
    })
  }
}
