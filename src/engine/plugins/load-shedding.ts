import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { ApiError } from '../replies/api-error.ts'
import { factsFor } from '../routes/paths.ts'

/** Over how long it is measured what the service can do, in ms. */
const measuredOver = 100
/** How fast a measurement gives way to more, and to less, in ms: refusals take time, and would bring about more of them. */
const raisedIn = 300
const loweredIn = 3_000
/** So many requests are always taken: a few slow ones say nothing of how long others take. */
const leastUnderWay = 32
/** For how long more must come than can be done before anything is refused, in ms: a burst is served, if late. */
const burst = 500
/** So many requests are never under way at once, however short a burst is. */
const mostUnderWay = 2_000
/** How long one turn of the event loop may begin work, in ms. */
const turnOfLoop = 5
/** After how long a refused request may come again, in seconds, and how long one that comes sooner is held back, in ms. */
const retryAfter = 1
const heldBack = 200
/** How often the log tells that requests are refused, in ms. */
const warnEvery = 10_000

/** The refusal of a request that would wait too long; made once, so that it costs little. */
export const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
})

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Does a request's work when its turn has come, and counts it as under way until it ends.
     * @throws ApiError when there is no room any more: the request may have waited for its body
     */
    underLoad<T>(work: () => Promise<T>): Promise<T>
  }
}

/**
 * Refuses requests that would wait too long for those before them. It asks no database and counts nothing. Whoever has
 * nothing left is told that instead; what costs no quota goes on, as a caller under load needs to know its limits.
 */
export const loadShedding = fp<{ maxWaitMs: number; connections: number | undefined }>(
  async (app, { maxWaitMs, connections }) => {
    const load = measureLoad(maxWaitMs, connections)
    const pace = paceRefusals()
    let warnedAt = Number.NEGATIVE_INFINITY
    app.decorate('underLoad', load.during)
    app.addHook('onRequest', async (request, reply) => {
      const facts = factsFor(request)
      if (!facts || facts.quotaFree || request.method === 'OPTIONS' || !load.isTooHigh()) return
      request.caller = app.recallCaller(request)
      const states = await app.limitsOf(request)
      if (request.caller.bannedUntil || states.some(({ remaining }) => remaining === 0)) return
      if (performance.now() - warnedAt >= warnEvery) {
        warnedAt = performance.now()
        request.log.warn(
          'More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.',
        )
      }
      await pace(request.raw.socket)
      await app.showLimits(request, reply)
      throw tooBusy
    })
  },
  { name: 'load-shedding' },
)

/**
 * Compares what is under way with what ends in a millisecond. Fixed limits, as of @fastify/under-pressure, do not do: the
 * loop is never late while PostgreSQL is the bottleneck, and each database allows another number of requests.
 * @param maxWait how long a request may wait, in ms
 * @param connections requests that the database works on at a time
 * @param now a clock that never jumps, in ms
 */
export function measureLoad(maxWait: number, connections = 1, now = () => performance.now()) {
  const least = Math.max(leastUnderWay, 2 * connections)
  let underWay = 0
  let perMs = 1
  let measured = { ended: 0, busy: 0, busySince: now(), most: 0 }

  function measure(): void {
    const busy = measured.busy + (underWay > 0 ? now() - measured.busySince : 0)
    if (busy < measuredOver) return
    const rate = measured.ended / busy
    // Where hardly anything waited, more could have been done.
    if (rate > perMs || measured.most >= least)
      perMs += (rate - perMs) * (1 - Math.exp(-busy / (rate > perMs ? raisedIn : loweredIn)))
    measured = { ended: 0, busy: 0, busySince: now(), most: underWay }
  }

  // What comes late in a long turn of the event loop has waited that long, and its reply waits for most of the next one.
  let turn = { since: 0, arrived: 0 }
  let wasLate = false
  const isLate = () => turn.arrived > least && now() - turn.since > maxWait / 2
  function arrive(): void {
    if (turn.arrived++ > 0) return
    turn.since = now()
    setImmediate(() => {
      wasLate = isLate()
      turn = { since: 0, arrived: 0 }
    })
  }

  let isRefusing = false
  /** since when there is reason to begin refusing, or to end it */
  let changesSince: number | undefined
  function isFull(): boolean {
    const limit = Math.max(least, perMs * maxWait)
    const isOver = underWay >= limit || isLate()
    const isReason = isRefusing ? underWay < limit / 2 && !wasLate && !isLate() : isOver || wasLate
    changesSince = isReason ? (changesSince ?? now()) : undefined
    if (changesSince !== undefined && now() - changesSince >= burst) {
      isRefusing = !isRefusing
      changesSince = undefined
    }
    return underWay >= mostUnderWay || (isRefusing && isOver)
  }

  // The embedded database works in the event loop: each turn begins work for some milliseconds, so that connections have theirs.
  let lastTurn = Promise.resolve()
  let turnEnds = now()
  function myTurn(): Promise<void> {
    lastTurn = lastTurn.then(async () => {
      if (now() < turnEnds) return
      await nextTurn()
      turnEnds = now() + turnOfLoop
    })
    return lastTurn
  }

  return {
    /** Whether a request that comes now would wait too long. */
    isTooHigh(): boolean {
      arrive()
      measure()
      return isFull()
    },
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (isFull()) throw tooBusy
      if (underWay++ === 0) measured.busySince = now()
      measured.most = Math.max(measured.most, underWay)
      try {
        if (connections === 1) await myTurn()
        return await work()
      } finally {
        measured.ended++
        measure()
        if (--underWay === 0) measured.busy += now() - measured.busySince
      }
    },
  }
}

/**
 * Lets the refusals of a connection go at once, unless it does not wait as it was told: refusing such ones as fast as
 * they come would take the time of those who are served.
 */
export function paceRefusals(now = () => performance.now()): (socket: Socket) => Promise<void> {
  const lastRefusal = new WeakMap<Socket, number>()
  return async socket => {
    const last = lastRefusal.get(socket)
    if (last !== undefined && now() - last < retryAfter * 1_000) await sleep(heldBack)
    lastRefusal.set(socket, now())
  }
}
