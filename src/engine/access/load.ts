import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../replies/api-error.ts'

/** Over how long it is measured what the service can do, in ms. */
const measuredOver = 100
/**
 * How fast what was measured gives way to more, and to less, in ms. Less comes slowly: refusals take time of their own,
 * and would else bring about more refusals.
 */
const raisedIn = 300
const loweredIn = 3_000
/** So many requests are always taken: a few slow ones say nothing of how long others take. */
const leastUnderWay = 32
/** For how long more must come than can be done before anything is refused, in ms: a burst is served, if late. */
const burst = 500
/** So many requests are never under way at once, however short a burst is. */
const mostUnderWay = 2_000
/** What the service is taken to do in a millisecond before that has been measured. */
const firstGuess = 1
/** How long one turn of the event loop may begin work, in ms. */
const turnOfLoop = 5

/** What is under way in this process, and whether there is room for more. */
export interface Load {
  /** Whether a request that comes now would wait too long. */
  isTooHigh(): boolean
  /**
   * Does work when its turn has come, and counts it as under way until it ends, however it ends.
   * @throws ApiError when there is no room any more: what was let in may have waited for its body and come at once
   */
  during<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Bounds how long a request waits for those before it: what is under way, against what ends in a millisecond. Only
 * what lasts is refused: a burst ends by itself. Fixed
 * limits, as of @fastify/under-pressure, do not: the loop is never late while PostgreSQL is the narrow place, and a
 * number of requests that is right for one database is wrong for another.
 * @param maxWait in ms
 * @param connections requests that the database works on at a time
 * @param now a clock that never jumps, in ms
 */
export function measureLoad(maxWait: number, connections = 1, now = () => performance.now()): Load {
  const least = Math.max(leastUnderWay, 2 * connections)
  // What works on many at once works elsewhere.
  const myTurn = connections === 1 ? takeTurns(now) : undefined
  let underWay = 0
  let capacity = firstGuess
  // Of the measurement under way: when it began to be busy, for how long it was before, and what has ended since.
  let busySince = 0
  let busyBefore = 0
  let ended = 0
  let most = 0

  function measure(time: number): void {
    const busy = busyBefore + (underWay > 0 ? time - busySince : 0)
    if (busy < measuredOver) return
    const rate = ended / busy
    const isMore = rate > capacity
    // Where hardly anything waited, more could have been done.
    if (isMore || most >= least)
      capacity += (rate - capacity) * (1 - Math.exp(-busy / (isMore ? raisedIn : loweredIn)))
    busySince = time
    busyBefore = 0
    ended = 0
    most = underWay
  }

  // What came in this turn of the event loop, and since when: those that come late in a long turn have waited that long.
  let inTurn = 0
  let turnSince = 0
  let wasLate = false
  function arrive(): void {
    if (inTurn === 0) {
      turnSince = now()
      setImmediate(() => {
        wasLate = isLate()
        inTurn = 0
      })
    }
    inTurn++
  }
  // It waits for the rest of this turn, and its reply for most of the next one.
  const isLate = () => inTurn > least && now() - turnSince > maxWait / 2

  // Whether requests are refused, and since when there is reason to begin, or to end that.
  let isRefusing = false
  let changesSince: number | undefined

  function isFull(): boolean {
    const limit = Math.max(least, capacity * maxWait)
    const isOver = underWay >= limit || isLate()
    const isReason = isRefusing ? underWay < limit / 2 && !wasLate && !isLate() : isOver || wasLate
    if (!isReason) changesSince = undefined
    else changesSince ??= now()
    if (changesSince !== undefined && now() - changesSince >= burst) {
      isRefusing = !isRefusing
      changesSince = undefined
    }
    return underWay >= mostUnderWay || (isRefusing && isOver)
  }

  return {
    isTooHigh() {
      arrive()
      measure(now())
      return isFull()
    },
    async during(work) {
      if (isFull()) throw tooBusy
      if (underWay === 0) busySince = now()
      underWay++
      most = Math.max(most, underWay)
      try {
        if (myTurn) await myTurn()
        return await work()
      } finally {
        const time = now()
        ended++
        measure(time)
        underWay--
        if (underWay === 0) busyBefore += time - busySince
      }
    },
  }
}

/**
 * Work of the embedded database is done in the event loop. Begun as it comes, all that has come would be done in one
 * turn of the loop, and each new connection waits for a turn: Node accepts one in each. So a turn begins work for some
 * milliseconds, and the rest waits for the next, in the order in which it came.
 */
function takeTurns(now: () => number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isBeginning = false
  let turn: number | undefined

  function beginNext(): void {
    if (turn === undefined) {
      turn = now()
      setImmediate(() => {
        turn = undefined
      })
    }
    isBeginning = waiting.length > 0
    if (!isBeginning) return
    if (now() - turn > turnOfLoop) {
      setImmediate(beginNext)
      return
    }
    waiting.shift()?.()
    // Once all that the work can do now is done: ticks come after the microtasks.
    queueMicrotask(() => process.nextTick(beginNext))
  }

  return () =>
    new Promise(resolve => {
      waiting.push(resolve)
      if (!isBeginning) process.nextTick(beginNext)
      isBeginning = true
    })
}

/** After how long a refused request may come again, in seconds. */
const retryAfter = 1
/** How long the refusal of one that comes sooner is held back, in ms. */
const heldBack = 200

/** The refusal of a request that would wait too long; made once, so that it costs little. */
export const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
  isLogged: false,
})

/**
 * Lets the refusals of a connection go at once, unless it does not wait as it was told: refusing such ones as fast as
 * they come would take the time of those who are served.
 */
export function paceRefusals(now = () => performance.now()): (socket: Socket) => Promise<void> {
  const lastRefusal = new WeakMap<Socket, number>()
  return async socket => {
    const last = lastRefusal.get(socket)
    if (last !== undefined && now() - last < retryAfter * 1_000) await setTimeout(heldBack)
    lastRefusal.set(socket, now())
  }
}
