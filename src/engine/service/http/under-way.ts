import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError, OutcomeUnknown } from '../errors/api-error.ts'
import { Writes, writesOfRequest } from '../runtime/writes.ts'

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
/** How often unanswered requests are looked at, in ms. */
const lookEvery = 1_000
/** How long the end of a refused request's writes is waited for, in ms. Then nobody knows whether they are stored. */
const endsWithin = 5_000
/** How long it is known whether requests wait too long, in ms: a look at all of them for each new one would cost most. */
const knownFor = 4

/** The refusal of a request that would wait too long. It is made once, so that it costs little. */
const tooBusy = new ApiError('unavailable', 'Too much is under way; retry soon.', {
  headers: { 'Retry-After': String(retryAfter) },
})

/** The end of a request whose client has left before its turn. */
const left = new ApiError('invalid_request', 'The client has left.')

declare module 'fastify' {
  interface FastifyRequest {
    /** null before it comes under way */
    underWay: UnderWay | null
  }
  interface FastifyInstance {
    /** To be called while a request waits for another service, which shows no load of this one. */
    waitElsewhere(request: FastifyRequest, wait: Promise<unknown>): void
    /** To be called when the handler of a request is done. */
    endWork(request: FastifyRequest): void
    /** Runs a handler until its request is refused. Work that begins later than that is not begun. */
    untilRefused<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
    /** Returns the signal of a request, which is aborted when nobody waits for more of its reply. */
    signalOf(request: FastifyRequest): AbortSignal
    /**
     * Runs the handler of a request that may write. Once it is refused, no write begins any more. Those under way are
     * cancelled, and their end decides what is sent.
     * @param isUnavailable whether an error would be sent as a refusal
     */
    withWrites<T>(
      request: FastifyRequest,
      work: () => Promise<T>,
      isUnavailable: (error: unknown) => boolean,
    ): Promise<T>
    /** Refuses all requests that have no answer yet. */
    refuseAll(refusal: ApiError): void
  }
}

type Done = { (): void; (error: Error): void }

/**
 * A request that has no answer yet, or whose handler still runs. It is a class, as are other objects that lead to a request:
 * V8 may place literals among its old objects, where they keep what they lead to until the next full collection of garbage.
 */
class UnderWay {
  /** its place in the set; undefined: it is in none */
  slot: number | undefined
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** when it came, in ms */
  readonly began = performance.now()
  /** when it was whole, as far as is known, in ms */
  since = this.began
  /** when its work began, in ms: as it came, or after its wait for another service */
  workedSince = this.began
  isWaitingElsewhere = false
  /** whether it shows how busy the service is: it has begun, its work is not done, and it is not without cost */
  counts: boolean
  /** whether it is to be refused because it would wait too long */
  readonly isShed: boolean
  /** whether its handler runs, which goes on if the client leaves */
  isRunning = false
  isAnswered = false
  /** why it is refused, though its writes may still be under way; undefined: it is not */
  refusal: ApiError | undefined = undefined
  /** Ends the wait for its handler. */
  giveUp: ((error: Error) => void) | undefined = undefined
  /** absent: its handler writes nothing */
  writes: Writes | undefined = undefined
  /** when it was refused while its writes were under way, in ms */
  refusedAt: number | undefined = undefined
  /** aborted when nobody waits for more; undefined: nobody has asked for its signal */
  ending: AbortController | undefined = undefined

  constructor(slot: number, request: FastifyRequest, reply: FastifyReply, counts: boolean, isShed: boolean) {
    this.slot = slot
    this.request = request
    this.reply = reply
    this.counts = counts
    this.isShed = isShed
  }
}

export interface UnderWayOptions {
  /** longest time from a whole request to its answer, in ms */
  handlerTimeoutMs: number
  /** longest wait for a whole request, in ms */
  requestTimeoutMs: number
  /** longest wait for earlier requests, in ms */
  maxWaitMs: number
  /** Returns the number of requests that wait for what others have locked. They show no overload. */
  waitingForLocks?: (() => number) | undefined
}

/**
 * Refuses requests that would wait too long (503). Callers without quota hear that instead; operations without cost go
 * on. It also refuses requests without an answer in time, so that no handler holds a caller or a transaction for ever.
 */
export const underWay = fp<UnderWayOptions>(
  async (app, { handlerTimeoutMs, requestTimeoutMs, maxWaitMs, waitingForLocks = () => 0 }) => {
    const requests = createRequests()
    const isTooHigh = measureLoad(requests, maxWaitMs, waitingForLocks)
    const inTurn = shareTurns()
    const later = slowDown()
    let warnedAt = Number.NEGATIVE_INFINITY

    async function shed(request: FastifyRequest, reply: FastifyReply, done: Done) {
      request.caller = app.recallCaller(request)
      const states = await app.limitsOf(request.caller)
      if (request.caller.bannedUntil || states.some(({ remaining }) => remaining === 0)) return done()
      if (performance.now() - warnedAt >= warnEvery) {
        warnedAt = performance.now()
        request.log.warn(warning)
      }
      reply.headers(app.limitFieldsOf(states))
      // Fast refusals to clients that come again at once would take the time of the others.
      later(() => done(tooBusy))
    }

    app.decorateRequest('underWay', null)
    app.addHook('onRequest', (request, reply, done) => {
      const { facts, isProbe } = request.destination
      const isFree = facts?.quotaFree === true || isProbe === true
      const isShed = !isFree && isTooHigh()
      requests.begin(request, reply, !isFree && !isShed, isShed)
      if (isFree) return done()
      inTurn(() => done(reply.raw.closed ? left : undefined))
    })
    // After the hooks of a project's plugins, whose header fields are on every reply.
    app.addHook('preParsing', (request, reply, _payload, done) => {
      if (request.underWay?.isShed) shed(request, reply, done).catch(done)
      else done()
    })
    // Only the time to the answer counts. A body may take longer.
    app.addHook('onSend', (request, _reply, payload, done) => {
      requests.answered(request)
      // A handler ends its work itself, which may take longer than its reply.
      if (request.underWay?.isRunning === false) requests.end(request)
      done(null, payload)
    })

    function refuse(entry: UnderWay, refusal: ApiError): void {
      entry.refusal ??= refusal
      entry.writes?.refuse(refusal)
      entry.ending?.abort(refusal)
      if (entry.writes?.areNone === false) entry.refusedAt ??= performance.now()
      else answer(entry, refusal)
    }

    function answer({ request, reply, giveUp }: UnderWay, error: Error): void {
      requests.answered(request)
      requests.end(request)
      if (giveUp) giveUp(error)
      else if (!reply.sent) reply.send(error)
    }

    function look(): void {
      const time = performance.now()
      requests.forEach(entry => {
        if (entry.isAnswered) return
        const { request, reply, refusedAt } = entry
        if (reply.sent) {
          // A plugin has taken the connection (`hijack`), as for a WebSocket.
          requests.answered(request)
          requests.end(request)
          return
        }
        entry.writes?.dropIfLeft()
        if (refusedAt !== undefined) {
          if (time - refusedAt >= endsWithin) answer(entry, new OutcomeUnknown(tooLate(handlerTimeoutMs)))
          return
        }
        // Until it is whole, a request has another limit.
        if (request.raw.complete === false && time - entry.began < requestTimeoutMs) entry.since = time
        if (time - entry.since >= handlerTimeoutMs) refuse(entry, tooLate(handlerTimeoutMs))
      })
    }
    const looking = setInterval(look, Math.min(lookEvery, handlerTimeoutMs / 4)).unref()
    app.addHook('onClose', async () => clearInterval(looking))

    app.decorate('endWork', requests.end)
    app.decorate('waitElsewhere', requests.waitElsewhere)
    app.decorate('signalOf', endingsFor(app.stopping))
    app.decorate('refuseAll', (refusal: ApiError) => {
      requests.forEach(entry => {
        if (!entry.isAnswered) refuse(entry, refusal)
      })
    })
    app.decorate('untilRefused', <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
      const entry = request.underWay
      if (!entry) return work()
      if (entry.refusal) return Promise.reject(entry.refusal)
      entry.isAnswered = false // it may run once more, as a commit can fail for a lock
      return new Promise((resolve, reject) => {
        entry.giveUp = reject
        work().then(result => {
          requests.answered(request) // it may be stored from now on, and is not reported as refused
          resolve(result)
        }, reject)
      })
    })
    app.decorate(
      'withWrites',
      async <T>(
        request: FastifyRequest,
        work: () => Promise<T>,
        isUnavailable: (error: unknown) => boolean,
      ): Promise<T> => {
        const { raw } = request.underWay?.reply ?? {}
        const writes = new Writes(() => raw?.closed === true)
        if (request.underWay) request.underWay.writes = writes
        try {
          return await writesOfRequest.run(writes, work)
        } catch (error) {
          const isRefusal =
            error instanceof ApiError ? error.code === 'unavailable' && !error.outcome : isUnavailable(error)
          if (!isRefusal || writes.areNone) throw error
          throw error instanceof OutcomeUnknown ? error : new OutcomeUnknown(error)
        } finally {
          writes.leaveRequest()
        }
      },
    )
  },
  { name: 'under-way' },
)

function tooLate(timeoutMs: number): ApiError {
  const cause = new Error(`no answer within ${timeoutMs} ms (HANDLER_TIMEOUT_MS): it was refused`)
  const headers = { 'Retry-After': '5' }
  return new ApiError('unavailable', 'The operation takes too long; retry later.', { headers, cause })
}

/** The client of a request left before its reply was whole. */
const gone = new Error('The client has left')

/** Returns a function for the signals of requests. A stop aborts those whose reply is being sent. */
function endingsFor(stopping: AbortSignal): (request: FastifyRequest) => AbortSignal {
  const open = new Set<UnderWay>()
  stopping.addEventListener('abort', () => {
    for (const { ending, isAnswered } of open) if (isAnswered) ending?.abort(stopping.reason)
  })
  return ({ underWay: entry }) => {
    if (!entry) return stopping
    if (entry.ending) return entry.ending.signal
    const ending = new AbortController()
    entry.ending = ending
    const { raw } = entry.reply
    open.add(entry)
    raw.once('close', () => {
      open.delete(entry)
      if (!raw.writableFinished) ending.abort(gone)
    })
    return ending.signal
  }
}

type Requests = ReturnType<typeof createRequests>

/**
 * The requests that have no answer yet, or whose handlers still run. They are kept in slots: a `Set` or `Map` makes a new
 * table of itself again and again, and the old tables keep requests in memory until the next full collection of garbage,
 * which costs a fifth of a read's time.
 */
function createRequests() {
  const slots: (UnderWay | undefined)[] = []
  const free: number[] = []
  let counted = 0

  function leave(entry: UnderWay): void {
    if (entry.slot === undefined || entry.counts || !entry.isAnswered) return
    slots[entry.slot] = undefined
    free.push(entry.slot)
    entry.slot = undefined
  }

  return {
    /** Returns the number of those that count. */
    counted: () => counted,
    begin(request: FastifyRequest, reply: FastifyReply, counts: boolean, isShed: boolean): void {
      const slot = free.pop() ?? slots.length
      request.underWay = new UnderWay(slot, request, reply, counts, isShed)
      slots[slot] = request.underWay
      if (counts) counted++
    },
    answered({ underWay: entry }: FastifyRequest): void {
      if (!entry) return
      entry.isAnswered = true
      leave(entry)
    },
    /** Ends the work of a request, unless it has ended. */
    end({ underWay: entry }: FastifyRequest): void {
      if (entry) entry.isWaitingElsewhere = false
      if (!entry?.counts) return
      entry.counts = false
      counted--
      leave(entry)
    },
    /** Counts a request no longer until a wait is over. */
    waitElsewhere({ underWay: entry }: FastifyRequest, wait: Promise<unknown>): void {
      if (!entry?.counts) return
      entry.counts = false
      entry.isWaitingElsewhere = true
      counted--
      const goOn = () => {
        if (!entry.isWaitingElsewhere || entry.isAnswered) return
        entry.isWaitingElsewhere = false
        entry.workedSince = performance.now()
        entry.counts = true
        counted++
      }
      wait.then(goOn, goOn)
    },
    /** Whether a condition holds for more than so many of them. */
    areMore(than: number, condition: (entry: UnderWay) => boolean): boolean {
      let found = 0
      for (const entry of slots) if (entry && condition(entry) && ++found > than) return true
      return false
    },
    /** Calls a function for each, in no particular order. It may end the request. */
    forEach(visit: (entry: UnderWay) => void): void {
      for (const entry of slots) if (entry) visit(entry)
    },
  }
}

/**
 * Returns whether a request that comes now would wait too long: more than a few under way have taken longer than
 * `maxWait` ms. @fastify/under-pressure does not fit: the loop is never late while PostgreSQL is the bottleneck.
 */
function measureLoad(requests: Requests, maxWait: number, waitingForLocks: () => number): () => boolean {
  let overload = { from: 0, to: Number.NEGATIVE_INFINITY }
  let lastLook = { at: Number.NEGATIVE_INFINITY, isTooHigh: false }

  function look(time: number): boolean {
    const few = leastUnderWay + waitingForLocks()
    const isLate = ({ counts, workedSince, reply }: UnderWay) =>
      counts && time - workedSince > maxWait && !reply.sent
    if (!requests.areMore(few, isLate)) return false
    overload = { from: time - overload.to < burst ? overload.from : lateSince(few, isLate, time), to: time }
    return time - overload.from >= burst
  }

  /** Returns since when more than a few have been late. */
  function lateSince(few: number, isLate: (entry: UnderWay) => boolean, time: number): number {
    const late: number[] = []
    requests.forEach(entry => {
      if (isLate(entry)) late.push(entry.workedSince)
    })
    return (late.sort((a, b) => a - b)[few] ?? time) + maxWait
  }

  return () => {
    if (requests.counted() >= mostUnderWay) return true
    if (requests.counted() <= leastUnderWay) return false
    const time = performance.now()
    if (time - lastLook.at >= knownFor) lastLook = { at: time, isTooHigh: look(time) }
    return lastLook.isTooHigh
  }
}

/** Lets each turn of the event loop begin a few requests only, in order of arrival. */
function shareTurns(): (begin: () => void) => void {
  const waiting = new Queue()
  let begun = 0

  function next(): void {
    begun = Math.min(waiting.length, begunInTurn)
    if (begun > 0) setImmediate(next)
    for (let rest = begun; rest > 0; rest--) waiting.runFirst()
  }

  return begin => {
    if (begun === 0) setImmediate(next)
    if (begun >= begunInTurn) return waiting.push(begin)
    begun++
    begin()
  }
}

/** Runs what is handed over in order, and no more than a few in each interval. */
function slowDown(): (leave: () => void) => void {
  const held = new Queue()
  let isTimed = false

  function next(): void {
    isTimed = false
    const oldest = performance.now() - refused.within
    for (
      let released = 0;
      held.first && (released < refused.atOnce || held.first.since <= oldest);
      released++
    )
      held.runFirst()
    goOn()
  }

  function goOn(): void {
    if (isTimed || !held.first) return
    isTimed = true
    setTimeout(next, refused.every)
  }

  return leave => {
    held.push(leave)
    goOn()
  }
}

/** A call that waits in a queue. It runs in the context in which it came. */
class Waiting extends AsyncResource {
  readonly run: () => void
  /** when it came, in ms */
  readonly since = performance.now()
  next: Waiting | undefined = undefined

  constructor(run: () => void) {
    super('Waiting')
    this.run = run
  }
}

/** Calls that wait, in order. It is no array, as each new one may keep in memory what it held. See `createRequests`. */
class Queue {
  first: Waiting | undefined = undefined
  length = 0
  #last: Waiting | undefined = undefined

  push(run: () => void): void {
    const added = new Waiting(run)
    if (this.#last) this.#last.next = added
    else this.first = added
    this.#last = added
    this.length++
  }

  runFirst(): void {
    const { first } = this
    if (!first) return
    this.first = first.next
    if (!first.next) this.#last = undefined
    first.next = undefined // as an old object it would keep those behind it in memory
    this.length--
    first.runInAsyncScope(first.run)
  }
}
