import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isFree } from '../callers/authentication.ts'
import type { Caller, WindowState } from '../callers/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../contract/extensions.ts'
import { ApiError } from '../errors/api-error.ts'
import type { StageOptions } from '../parts.ts'
import { createFreeRequests } from './free-requests.ts'
import { type CounterStore, counterOf, type MemoryStore } from './memory-store.ts'
import { createRedisStore } from './redis-store.ts'
import { watchRedis } from './shared-redis.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the windows of a caller. It costs no quota. */
    limitsOf(caller: Caller): Promise<readonly WindowState[]>
    /** Returns the header fields with a caller's windows. It costs no quota. */
    limitFieldsOf(caller: Caller): Promise<Fields>
    /** Counts a call of a request that was let through as free. @throws ApiError when its caller is banned or has none left */
    charge(request: FastifyRequest, reply: FastifyReply): Promise<void>
    /** Takes back what a free request counted, because the calls that it makes count. */
    giveBack(request: FastifyRequest): void
    /** Returns the state of the shared store of limits; undefined if limits are not shared. */
    sharedLimitsState(): DependencyState | undefined
  }
}

type Fields = Record<string, string>
type Window = RateLimits['windows'][number]
/** Counts a call of a caller in a window, or looks at it. */
type Limiter = (caller: Caller, isCall: boolean) => Promise<WindowState>

/** The limiters of the windows, and one that counts refused calls. */
interface Limiters {
  windows: readonly Limiter[]
  refusals: Limiter
}

/** Counts a call in all windows of its caller unless one of them refuses it, or looks at them. */
type Judge = (caller: Caller, isCall: boolean) => Promise<Judged>

/** The decision on a call. */
interface Judged {
  states: WindowState[]
  isRefused: boolean
  /** the state of its refusals; undefined: it was not refused */
  refusals: WindowState | undefined
}

const refusalsName = '*refusals'

/**
 * Counts each call in every window of its caller's plan, one after the other, the shortest first. A call that one window
 * refuses does not count in the others, but counts as a refusal. Too many refusals ban the caller. Free requests only
 * look, up to a bound in each minute. In memory, calls that come at once over the last of a longer window may still
 * count in the shorter ones.
 */
export const rateLimits = fp<StageOptions>(
  async (app, { contract: { rateLimits }, parts: { name, now, time, bans, memory, redis } }) => {
    const windows = rateLimits?.windows ?? []

    /** Registers the plugin with a store in a context of its own, and makes that store's judge. */
    async function judgeWith(
      store: CounterStore,
      { ban }: RateLimits,
      judgeBy: (limiters: Limiters) => Judge,
    ): Promise<Judge> {
      const { promise, resolve } = Promise.withResolvers<Judge>()
      const { seconds = 60 } = windows.find(({ name }) => name === ban.window) ?? {}
      await app.register(async own => {
        await own.register(rateLimit, { global: false, store: storeOf(store) })
        const limiters = {
          windows: windows.map(one => limiterFor(own, one, ({ quotas }) => quotas[one.name] ?? 0)),
          refusals: limiterFor(own, { name: refusalsName, seconds }, () => ban.refusals),
        }
        resolve(judgeBy(limiters))
      })
      return promise
    }

    function limiterFor(own: FastifyInstance, window: Window, max: (caller: Caller) => number): Limiter {
      const limit = own.createRateLimit({
        max: ({ caller }) => max(caller),
        timeWindow: () => latestEnd(window.seconds, time()) * 1_000 - time(),
        // The limiters of a context share their store, so the key also names the window.
        keyGenerator: ({ caller }) => counterOf(caller.counter, window.name),
      })
      return async (caller, isCall) => {
        const request = { caller, routeOptions: {} } as FastifyRequest // limiters read only these properties
        const found = await limit(request, isCall ? undefined : looking)
        if (found.isAllowed) throw new Error('There is no list of callers without limits')
        return stateOf(window, found, time())
      }
    }

    /** Counts in this process, window by window. */
    const countInMemory = (store: MemoryStore, limiters: Limiters): Judge =>
      async function judge(caller, isCall) {
        const { counter, quotas } = caller
        const isUsedUp = ({ name }: Window) => store.countOf(counterOf(counter, name)) >= (quotas[name] ?? 0)
        // A call that a later window refuses costs nothing in the first.
        const isRefused = isCall && windows.some((window, i) => i > 0 && isUsedUp(window))
        const states: WindowState[] = []
        let isCounted = isCall && !isRefused
        for (const limiter of limiters.windows) {
          const state = await limiter(caller, isCounted)
          if (state.exceeded) isCounted = false
          if (isRefused && states.length > 0 && state.remaining === 0) state.exceeded = true
          states.push(state)
        }
        return conclusion(states, isCall) ?? refused(states, limiters, caller)
      }

    /** Counts in Redis, in all windows at once. */
    const countInRedis = (limiters: Limiters): Judge =>
      async function judge(caller, isCall) {
        const states = await Promise.all(limiters.windows.map(limiter => limiter(caller, isCall)))
        return conclusion(states, isCall) ?? refused(states, limiters, caller)
      }

    /** Returns the decision on a call that no window refuses, or on a look. */
    const conclusion = (states: WindowState[], isCall: boolean): Judged | undefined =>
      isCall && states.some(({ exceeded }) => exceeded)
        ? undefined
        : { states, isRefused: false, refusals: undefined }

    async function refused(states: WindowState[], { refusals }: Limiters, caller: Caller): Promise<Judged> {
      return { states, isRefused: true, refusals: await refusals(caller, true) }
    }

    const inMemory =
      rateLimits &&
      memory &&
      (await judgeWith(memory, rateLimits, limiters => countInMemory(memory, limiters)))
    const shared = inMemory && redis && watchRedis(redis, `${name}:`, app.log)
    const inRedis =
      shared && (await judgeWith(createRedisStore(redis, `${name}:`, countedWith), rateLimits, countInRedis))
    app.addHook('onClose', async () => shared?.close())

    /** Counts in Redis, exactly over all servers, or in this server alone while Redis is away. */
    function judgeWhereItWorks(caller: Caller, isCall: boolean): Promise<Judged> {
      if (!inMemory) return unlimited
      if (!inRedis || shared.isAway()) return inMemory(caller, isCall)
      return inRedis(caller, isCall).catch((error: Error) => {
        shared.fail(error, caller.counter)
        return inMemory(caller, isCall)
      })
    }

    /** Bans a caller at its last refusal. @returns the end of the ban, in seconds since 1970; 0 for none */
    async function banAfter(caller: Caller, { refusals }: Judged): Promise<number> {
      // Exactly one refusal reaches this number, in whichever process. So a ban is set once, and lifting it lasts.
      if (!rateLimits || refusals?.remaining !== 0 || refusals.exceeded) return 0
      // The end is a whole second, as for windows, so that all fields of a reply agree.
      const banEnd = latestEnd(rateLimits.ban.seconds, time())
      await bans.ban(caller, new Date(banEnd * 1_000))
      return banEnd
    }

    const look = async (caller: Caller) => (await judgeWhereItWorks(caller, false)).states
    const fieldsOf = (states: readonly WindowState[]) => limitFields(windows, states, time())

    app.decorate('limitsOf', look)
    app.decorate('limitFieldsOf', async (caller: Caller) => fieldsOf(await look(caller)))
    app.decorate('sharedLimitsState', () => shared?.state())

    /** @param isServed whether the request is answered all the same */
    function charge(request: FastifyRequest, reply: FastifyReply, done: Done, isServed = false): void {
      const { caller } = request
      if (caller.bannedUntil) {
        reply.headers(fieldsOf(bannedStates(windows, caller, caller.bannedUntil)))
        done(banned(caller, caller.bannedUntil, now()))
        return
      }
      judgeWhereItWorks(caller, true).then(judged => {
        reply.headers(fieldsOf(judged.states))
        if (!judged.isRefused) return done()
        banAfter(caller, judged).then(banEnd => {
          // An operation without cost declares no 429. A guess there gets its 401, until its address is banned.
          if (isServed || request.destination.facts?.quotaFree) done()
          else done(tooManyRequests(judged.states, banEnd, now()))
        }, done)
      }, done)
    }

    const freeRequests = createFreeRequests(time)
    app.decorate('charge', (request: FastifyRequest, reply: FastifyReply) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      charge(request, reply, (error?: Error) => (error ? reject(error) : resolve()))
      return promise
    })
    app.decorate('giveBack', ({ caller }: FastifyRequest) => freeRequests.giveBack(caller.counter))

    /** Whether a request is answered whatever is left to its caller. Operations without cost have no bound. */
    const isServed = (request: FastifyRequest) =>
      isFree(request) &&
      (request.destination.facts?.quotaFree ||
        request.destination.isProbe ||
        freeRequests.take(request.caller.counter)) &&
      !(request.destination.takesKeys && request.caller.bannedUntil)

    app.addHook('preParsing', (request, reply, _payload, done) => {
      const { caller, credentialFault } = request
      const isAnswered = isServed(request)
      // A wrong credential is a guess. It costs a call wherever it is sent.
      const isGuess = credentialFault !== undefined && !caller.bannedUntil
      if (!isAnswered || isGuess) return charge(request, reply, done, isAnswered)
      look(caller).then(states => {
        reply.headers(fieldsOf(states))
        done()
      }, done)
    })
  },
  { name: 'rate-limits', dependencies: ['authentication'] },
)

type Done = { (): void; (error: Error): void }

/** Makes a limiter look, and not count. */
const looking = { increment: false }
const unlimited = Promise.resolve<Judged>({ states: [], isRefused: false, refusals: undefined })

/** The windows of a caller are counted together, its refusals apart. */
const countedWith = (counter: string) =>
  counter.endsWith(refusalsName) ? counter : counter.slice(0, counter.lastIndexOf('}'))

/** The plugin makes its own store, with one for each limiter. All of them count in the same place. */
const storeOf = ({ incr, read }: CounterStore) =>
  class {
    incr = incr
    read = read
    child() {
      return this
    }
  }

/** The end of a window that begins now, in seconds since 1970. It is whole, so that every reply has the same. */
const latestEnd = (seconds: number, time: number) => Math.floor(time / 1_000) + seconds

/** Returns a limiter's result for callers. @param ttl ms to the end of the window; 0 when none has begun */
function stateOf(
  { name, seconds }: Window,
  { max, remaining, isExceeded, ttl }: { max: number; remaining: number; isExceeded: boolean; ttl: number },
  time: number,
): WindowState {
  const latest = latestEnd(seconds, time)
  // Rounding removes the time on the way to the counter.
  const reset = ttl > 0 ? Math.min(Math.round((time + ttl) / 1_000), latest) : latest
  return { name, limit: max, remaining, reset, exceeded: isExceeded }
}

/** Returns the windows of a banned caller: nothing is left until the ban ends. */
function bannedStates(windows: readonly Window[], { quotas }: Caller, until: Date): WindowState[] {
  const reset = Math.ceil(until.getTime() / 1_000)
  return windows.map(({ name }) => ({ name, limit: quotas[name] ?? 0, remaining: 0, reset, exceeded: true }))
}

/** Returns the fields on the first window to stop a caller, and on all (draft-ietf-httpapi-ratelimit-headers). */
function limitFields(windows: readonly Window[], states: readonly WindowState[], time: number): Fields {
  let first: WindowState | undefined
  let policy = ''
  let limits = ''
  const seconds = time / 1_000
  for (const [i, state] of states.entries()) {
    const { name, limit, remaining, reset } = state
    const isTighter = first && (remaining - first.remaining || first.reset - reset) < 0
    if (!first || isTighter) first = state
    const between = i > 0 ? ',' : ''
    policy += `${between}"${name}";q=${limit};w=${windows[i]?.seconds}`
    limits += `${between}"${name}";r=${remaining};t=${Math.max(0, Math.ceil(reset - seconds))}`
  }
  if (!first) return {}
  return {
    'x-ratelimit-limit': String(first.limit),
    'x-ratelimit-remaining': String(first.remaining),
    'x-ratelimit-reset': String(first.reset),
    'ratelimit-policy': policy,
    ratelimit: limits,
  }
}

/** Returns when a caller may come again, in whole seconds. */
function retryAfter(time: number, now: Date) {
  const seconds = Math.max(1, Math.ceil(time - now.getTime() / 1_000))
  return { seconds, headers: { 'Retry-After': String(seconds) } }
}

/**
 * Returns the refusal of a call that exceeds a window. Retry-After waits for the last exhausted window.
 * @param banEnd in seconds since 1970, for a refusal that bans; else 0
 */
function tooManyRequests(states: readonly WindowState[], banEnd: number, now: Date): ApiError {
  const exhausted = states.filter(({ remaining }) => remaining === 0)
  const { seconds, headers } = retryAfter(Math.max(banEnd, ...exhausted.map(({ reset }) => reset)), now)
  const used = exhausted.map(({ limit, name }) => `${limit} requests a ${name}`).join(' and ')
  return new ApiError('rate_limited', `${used} are used up: retry in ${seconds} seconds.`, { headers })
}

function banned({ kind }: Caller, until: Date, now: Date): ApiError {
  const who = kind === 'key' ? 'this key is' : 'calls without a valid key from this address are'
  const code = kind === 'key' ? 'api_key_banned' : 'address_banned'
  const message = `Too many requests after 429: ${who} banned until ${until.toISOString()}.`
  return new ApiError(code, message, { headers: retryAfter(until.getTime() / 1_000, now).headers })
}
