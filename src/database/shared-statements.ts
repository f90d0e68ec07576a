import type pg from 'pg'
import type { Statement } from './client.ts'
import { DatabaseTimeout } from './deadline.ts'
import { type Facts, isSlow, learnCost } from './facts.ts'
import { Lane, type Owner, type Read } from './lane.ts'
import { isRefusedByName } from './prepared.ts'
import { Session } from './session.ts'

/**
 * Callers whose statements leave together: the database works for some while others are read and answered here. All of
 * a turn together, each would wait for the other, and nothing of what is known of them would be in the processor's
 * cache any more when their answers come.
 */
export const callersAtOnce = 24

/** A lane with more before it than this gives way to another one with less, in ms on the server. */
const fullFrom = 2

export interface Sharing {
  /** how many connections they share at most */
  lanes: number
  /** Whether they only read: then they may run twice, and one serves all who ask the same at once. */
  isRepeatable: boolean
  /** Whether a read fails when its connection breaks, instead of being repeated on another one. */
  failsWhenLost?: boolean
}

/** What runs statements outside of transactions. */
export interface Runner {
  run(statement: Statement, facts: Facts): Promise<pg.QueryResult>
}

/**
 * Statements outside of transactions, of any number of callers, on a few connections of a pool. What is slow runs on one
 * of its own. A read whose connection breaks is repeated, once; a write never is.
 */
export class SharedStatements implements Owner, Runner {
  readonly #pool: pg.Pool
  readonly #deadline: number
  readonly #isOnlyConnection: boolean
  readonly #isRepeatable: boolean
  readonly #failsWhenLost: boolean
  #lanes: readonly Lane[]
  /**
   * What was asked for in this turn of the event loop, and has not left yet. It is a new map each time: one that was
   * emptied would be tied to what it held, see `Connections.await`.
   */
  #gathered: Map<string, Promise<pg.QueryResult>> | undefined
  /** callers of what has gathered */
  #callers = 0
  #isClosing = false

  /** @param deadline of one statement, in ms */
  constructor(pool: pg.Pool, deadline: number, { lanes, isRepeatable, failsWhenLost = false }: Sharing) {
    this.#pool = pool
    this.#deadline = deadline
    this.#isRepeatable = isRepeatable
    this.#failsWhenLost = failsWhenLost
    this.#isOnlyConnection = pool.options.max === 1
    this.#lanes = Array.from({ length: lanes }, () => new Lane(pool, this, deadline, this.#isOnlyConnection))
  }

  /** Runs a statement; a read once for all who ask the same before it leaves. */
  run(statement: Statement, facts: Facts): Promise<pg.QueryResult> {
    const answer = this.#isRepeatable ? this.#ask(statement, facts) : this.#run(statement, facts)
    this.#callers++
    if (statement.isGathered || this.#callers >= callersAtOnce) {
      this.leaving()
      for (const lane of this.#lanes) lane.flush()
    }
    return answer
  }

  #ask(statement: Statement, facts: Facts): Promise<pg.QueryResult> {
    const question = `${statement.text} ${JSON.stringify(statement.values)}`
    const same = this.#gathered?.get(question)
    if (same) return same
    if (!this.#gathered) {
      this.#gathered = new Map()
      setImmediate(() => this.leaving())
    }
    const answer = this.#run(statement, facts)
    this.#gathered.set(question, answer)
    return answer
  }

  leaving(): void {
    this.#gathered = undefined
    this.#callers = 0
  }

  #run(statement: Statement, facts: Facts): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.#start({
        statement,
        facts,
        isNameless: false,
        isRepeated: false,
        isRescued: false,
        isSettled: false,
        pending: 0,
        resolve,
        reject,
      })
    })
  }

  /** Statements that wait on the shared connections. */
  get underWay(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.underWay, 0)
  }

  /** Has each statement that comes from now on run on a connection of its own. */
  shareNothing(): void {
    for (const lane of this.#lanes) lane.close()
    this.#lanes = []
  }

  /** Gives the connections back once all is answered. */
  close(): void {
    this.#isClosing = true
    for (const lane of this.#lanes) lane.close()
  }

  succeeded(read: Read, result: pg.QueryResult): void {
    read.pending--
    if (read.isSettled) return
    read.isSettled = true
    read.resolve(result)
  }

  failed(read: Read, error: unknown, isLost: boolean): void {
    read.pending--
    if (read.isSettled || read.pending > 0) return
    if (!this.#isClosing && !read.isNameless && isRefusedByName(error)) {
      read.isNameless = true
      this.#start(read)
    } else if (this.#mayRepeat(read, isLost, error)) {
      read.isRepeated = true
      this.#start(read)
    } else {
      read.isSettled = true
      read.reject(error)
    }
  }

  #mayRepeat(read: Read, isLost: boolean, error: unknown): boolean {
    if (!this.#isRepeatable || this.#failsWhenLost || this.#isClosing || read.isRepeated) return false
    return isLost && !(error instanceof DatabaseTimeout)
  }

  heldUp(reads: readonly Read[]): void {
    if (this.#isOnlyConnection || this.#isClosing || !this.#isRepeatable) return
    for (const read of reads) {
      if (read.isRescued || read.isSettled) continue
      read.isRescued = true
      this.#start(read)
    }
  }

  idleLost(error: Error): void {
    this.#pool.emit('error', error)
  }

  #start(read: Read): void {
    read.pending++
    const lane = isSlow(read.facts) ? undefined : this.#choose()
    if (lane) lane.add(read)
    else setImmediate(() => this.#runAlone(read)) // when the turn ends, as the others do
  }

  /** The first lane, so that much leaves in one write; when it is full, the one with least before it. */
  #choose(): Lane | undefined {
    let closed: Lane | undefined
    let emptiest: Lane | undefined
    for (const lane of this.#lanes) {
      if (lane.isStuck) continue
      if (!lane.isOpen) closed ??= lane
      else if (lane.load < fullFrom) return lane
      else if (!emptiest || lane.load < emptiest.load) emptiest = lane
    }
    if (emptiest) closed?.open() // for those that follow
    return emptiest ?? closed
  }

  async #runAlone(read: Read): Promise<void> {
    let session: Session | undefined
    try {
      session = await Session.open(this.#pool, this.#deadline)
      if (read.isSettled) return
      const begun = performance.now()
      const result = await session.run(read.statement)
      learnCost(read.facts, performance.now() - begun - session.roundTrip)
      this.succeeded(read, result)
    } catch (error) {
      this.failed(read, error, session?.isBroken ?? false)
    } finally {
      session?.release()
    }
  }
}
