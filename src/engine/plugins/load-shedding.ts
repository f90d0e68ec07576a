import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { ApiError } from '../replies/api-error.ts'
import { factsFor } from '../routes/paths.ts'

/** The most requests under way without a bound on their time: a few slow ones do not show how long others wait. */
const leastUnderWay = 32
/** How long requests must wait too long before any is refused, in ms. So a burst is served, if late. */
const burst = 500
/** The most requests under way at once, however short a burst is. */
const mostUnderWay = 2_000
/** How long one turn of the event loop may begin work, in ms. */
const turnOfLoop = 5
/** The Retry-After of a refused request, in seconds, and the delay of one that comes sooner, in ms. */
const retryAfter = 1
const heldBack = 200
/** The least time between two log lines on refused requests, in ms. */
const warnEvery = 10_000
const warning = 'More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.'

/** The refusal of a request that would wait too long. It is made once, so that it costs little. */
const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
})

declare module 'fastify' {
  interface FastifyInstance {
    /** Runs a request's work in its turn. @throws ApiError when there is no room */
    underLoad<T>(work: () => Promise<T>): Promise<T>
  }
}

/** Refuses requests that would wait too long. Callers without quota are told so instead; free requests go on. */
export const loadShedding = fp<{ maxWaitMs: number; connections: number | undefined }>(
  async (app, { maxWaitMs, connections }) => {
    const load = measureLoad(maxWaitMs, connections)
    let warnedAt = Number.NEGATIVE_INFINITY
    const refusedAt = new WeakMap<Socket, number>()
    app.decorate('underLoad', load.during)
    app.addHook('onRequest', async (request, reply) => {
      const facts = factsFor(request)
      if (!facts || facts.quotaFree || request.method === 'OPTIONS' || !load.isTooHigh()) return
      request.caller = app.recallCaller(request)
      const states = await app.limitsOf(request.caller)
      if (request.caller.bannedUntil || states.some(({ remaining }) => remaining === 0)) return
      if (performance.now() - warnedAt >= warnEvery) {
        warnedAt = performance.now()
        request.log.warn(warning)
      }
      // Fast refusals to a client that comes again at once would take the time of the others.
      const { socket } = request.raw
      const last = refusedAt.get(socket) ?? Number.NEGATIVE_INFINITY
      if (performance.now() - last < retryAfter * 1_000) await sleep(heldBack)
      refusedAt.set(socket, performance.now())
      reply.headers(await app.limitFieldsOf(request.caller))
      throw tooBusy
    })
  },
  { name: 'load-shedding' },
)

/**
 * Measures whether a new request would wait too long: more than a few under way have taken longer than `maxWait` ms.
 * @fastify/under-pressure does not fit: the loop is never late while PostgreSQL is the bottleneck.
 * @param connections requests that the database handles at the same time
 */
function measureLoad(maxWait: number, connections = 1) {
  const least = Math.max(leastUnderWay, 2 * connections)
  /** requests under way, the oldest first */
  const underWay = new Set<{ since: number }>()
  let overload = { from: 0, to: Number.NEGATIVE_INFINITY }

  function isTooHigh(): boolean {
    if (underWay.size >= mostUnderWay) return true
    const [late] = underWay.values().drop(least).take(1)
    const tooLate = (late?.since ?? Number.POSITIVE_INFINITY) + maxWait
    const time = performance.now()
    if (time <= tooLate) return false
    overload = { from: time - overload.to < burst ? overload.from : tooLate, to: time }
    return time - overload.from >= burst
  }

  // The embedded database runs in the event loop.
  const myTurn = connections === 1 ? shareTurns() : async () => {}

  return {
    /** Whether a request that comes now would wait too long. */
    isTooHigh,
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (isTooHigh()) throw tooBusy
      const own = { since: performance.now() }
      underWay.add(own)
      try {
        await myTurn()
        return await work()
      } finally {
        underWay.delete(own)
      }
    },
  }
}

/** Lets each turn of the event loop begin work for some milliseconds only, in order of arrival. */
function shareTurns(): () => Promise<void> {
  let lastTurn = Promise.resolve()
  let turnEnds = performance.now()
  return () => {
    lastTurn = lastTurn.then(async () => {
      if (performance.now() < turnEnds) return
      await nextTurn()
      turnEnds = performance.now() + turnOfLoop
    })
    return lastTurn
  }
}
