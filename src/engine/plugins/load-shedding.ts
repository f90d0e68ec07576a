import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { ApiError } from '../replies/api-error.ts'
import { factsFor } from '../routes/paths.ts'

/** So many requests may take as long as they like: a few slow ones say nothing of how long others wait. */
const leastUnderWay = 32
/** For how long requests must wait too long before any is refused, in ms: a burst is served, if late. */
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
const warning = 'More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.'

/** The refusal of a request that would wait too long; made once, so that it costs little. */
const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
})

declare module 'fastify' {
  interface FastifyInstance {
    /** Does a request's work when its turn has come. @throws ApiError when there is no room any more */
    underLoad<T>(work: () => Promise<T>): Promise<T>
  }
}

/** Refuses requests that would wait too long. Whoever has no quota left is told that instead; what costs none goes on. */
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
      // To refuse a client as fast as it comes would take the time of those who are served.
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
 * Tells whether a new request would wait too long: whether more than a few under way have taken longer than `maxWait` ms.
 * @fastify/under-pressure does not do: the loop is never late while PostgreSQL is the bottleneck.
 * @param connections requests that the database works on at a time
 */
function measureLoad(maxWait: number, connections = 1) {
  const least = Math.max(leastUnderWay, 2 * connections)
  /** the oldest first */
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

  // The embedded database works in the event loop.
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

/** Has each turn of the event loop begin work for some milliseconds only, in the order in which it came. */
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
