import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { factsFor } from '../contract/destination.ts'
import { ApiError } from '../errors/api-error.ts'
import { createSlots, type Slotted } from '../runtime/slots.ts'

/** The most requests under way without a bound on their time: as many wait for each other on a busy machine. */
const leastUnderWay = 128
/** How long requests must wait too long before any is refused, in ms. So a burst is served, if late. */
const burst = 500
/** The most requests under way at once, however short a burst is. */
const mostUnderWay = 2_000
/** The requests that begin in one turn of the event loop. Each turn accepts one new connection. */
const begunInTurn = 64
/** The Retry-After of a refused request, in seconds. */
const retryAfter = 1
/** Refusals leave in groups, so many in each interval (in ms), and none later than a time (in ms) after its request. */
const refused = { atOnce: 20, every: 20, within: 1_000 }
/** The least time between two log lines on refused requests, in ms. */
const warnEvery = 10_000
const warning = 'More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.'

/** The refusal of a request that would wait too long. It is made once, so that it costs little. */
const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
})

/** The end of a request whose client has left before its turn. */
const left = new ApiError('invalid_request', 'The client has left.')

declare module 'fastify' {
  interface FastifyRequest {
    /** null while it is not under way */
    underWay: UnderWay | null
  }
  interface FastifyInstance {
    /** To be called when the handler of a request is done. */
    endWork(request: FastifyRequest): void
  }
}

interface UnderWay extends Slotted {
  /** when it came, in ms */
  since: number
  /** whether its handler runs, which goes on if the client leaves */
  isRunning: boolean
}

export interface LoadOptions {
  maxWaitMs: number
  /** Returns the number of requests that wait for what others have locked. They show no overload. */
  waitingForLocks?: (() => number) | undefined
}

/** Refuses requests that would wait too long. Callers without quota are told so instead; operations without cost go on. */
export const loadShedding = fp<LoadOptions>(
  async (app, { maxWaitMs, waitingForLocks = () => 0 }) => {
    const load = measureLoad(maxWaitMs, waitingForLocks)
    const inTurn = shareTurns()
    const later = slowDown()
    let warnedAt = Number.NEGATIVE_INFINITY

    async function refuse(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
      request.caller = app.recallCaller(request)
      const states = await app.limitsOf(request.caller)
      if (request.caller.bannedUntil || states.some(({ remaining }) => remaining === 0)) return done()
      if (performance.now() - warnedAt >= warnEvery) {
        warnedAt = performance.now()
        request.log.warn(warning)
      }
      reply.headers(await app.limitFieldsOf(request.caller))
      // Fast refusals to clients that come again at once would take the time of the others.
      later(() => done(tooBusy))
    }

    app.decorateRequest('underWay', null)
    app.decorate('endWork', load.end)
    app.addHook('onRequest', (request, reply, done) => {
      const facts = factsFor(request)
      if (facts?.quotaFree) return done()
      const isTooHigh = load.isTooHigh()
      if (!isTooHigh) load.begin(request)
      inTurn(() => {
        if (reply.raw.closed) done(left)
        else if (isTooHigh) refuse(request, reply, done).catch(done)
        else done()
      })
    })
    // A handler ends its work itself, which may take longer than its reply.
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (request.underWay?.isRunning === false) load.end(request)
      done(null, payload)
    })
  },
  { name: 'load-shedding' },
)

/**
 * Measures whether a new request would wait too long: more than a few under way have taken longer than `maxWait` ms.
 * @fastify/under-pressure does not fit: the loop is never late while PostgreSQL is the bottleneck.
 */
function measureLoad(maxWait: number, waitingForLocks: () => number) {
  const underWay = createSlots<UnderWay>()
  let overload = { from: 0, to: Number.NEGATIVE_INFINITY }

  /** Returns since when more than a few have been late; undefined if they are not. Usually there are not even so many. */
  function lateSince(time: number): number | undefined {
    if (underWay.size() <= leastUnderWay) return undefined
    const few = leastUnderWay + waitingForLocks()
    const late: number[] = []
    underWay.forEach(({ since }) => {
      if (time - since > maxWait) late.push(since)
    })
    if (late.length <= few) return undefined
    return (late.sort((a, b) => a - b)[few] ?? time) + maxWait
  }

  return {
    /** Whether a request that comes now would wait too long. */
    isTooHigh(): boolean {
      if (underWay.size() >= mostUnderWay) return true
      const time = performance.now()
      const since = lateSince(time)
      if (since === undefined) return false
      overload = { from: time - overload.to < burst ? overload.from : since, to: time }
      return time - overload.from >= burst
    },
    begin(request: FastifyRequest): void {
      request.underWay = { since: performance.now(), isRunning: false, slot: undefined }
      underWay.add(request.underWay)
    },
    end(request: FastifyRequest): void {
      if (request.underWay) underWay.remove(request.underWay)
      request.underWay = null
    },
  }
}

/** Lets each turn of the event loop begin a few requests only, in order of arrival. */
function shareTurns(): (begin: () => void) => void {
  let waiting: (() => void)[] = []
  let begun = 0

  function next(): void {
    const beginning = waiting.slice(0, begunInTurn)
    waiting = waiting.slice(beginning.length)
    begun = beginning.length
    if (begun > 0) setImmediate(next)
    for (const begin of beginning) begin()
  }

  return begin => {
    if (begun === 0) setImmediate(next)
    if (begun >= begunInTurn) return void waiting.push(AsyncResource.bind(begin)) // each in its own context
    begun++
    begin()
  }
}

/** Runs what is handed over in order, and no more than a few in each interval. */
function slowDown(): (leave: () => void) => void {
  let held: { since: number; leave(): void }[] = []

  function next(): void {
    const oldest = performance.now() - refused.within
    const due = held.findIndex(({ since }, index) => index >= refused.atOnce && since > oldest)
    const leaving = due === -1 ? held : held.slice(0, due)
    held = due === -1 ? [] : held.slice(due)
    for (const { leave } of leaving) leave()
    if (held.length > 0) setTimeout(next, refused.every)
  }

  return leave => {
    if (held.push({ since: performance.now(), leave: AsyncResource.bind(leave) }) === 1)
      setTimeout(next, refused.every)
  }
}
