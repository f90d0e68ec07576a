import rateLimit from '@fastify/rate-limit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { RateLimits } from 'spec-served-document/contract/extensions'
import { isFree } from '../callers/authentication.ts'
import type { Caller, WindowState } from '../callers/caller.ts'
import type { DependencyState } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import type { StageOptions } from '../parts.ts'
import { createAskingStore } from './asking-store.ts'
import { createFreeRequests } from './free-requests.ts'
import { type CounterStore, type CounterValue, counterOf, type MemoryStore } from './memory-store.ts'
import { createRedisStore } from './redis-store.ts'
import { watchRedis } from './shared-redis.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the windows of a caller. It costs no quota. */
    limitsOf(caller: Caller): Promise<readonly WindowState[]>
    /** Returns the header fields with a caller's windows. */
    limitFieldsOf(states: readonly WindowState[]): Fields
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
/** Counts calls of callers in one store, and looks at their windows. */
interface Counting {
  /** Counts a call in all windows of its caller unless one of them refuses it. */
  judge(request: FastifyRequest): Promise<Judged>
  /** Returns the windows of a caller. It costs no quota. */
  look(caller: Caller): Promise<WindowState[]>
}

/** The decision on a call. */
interface Judged {
  states: WindowState[]
  isRefused: boolean
  /** the state of its refusals; undefined: it was not refused */
  refusals: WindowState | undefined
}

const refusalsName = '*refusals'

/**
 * Counts each call in every window of its caller's plan, the shortest first: in that one by the limiter of
 * @fastify/rate-limit, in the others in its store. A call that one window
 * refuses does not count in the others, but counts as a refusal. Too many refusals ban the caller. Free requests only
 * look, up to a bound in each minute. In memory, calls that come at once over the last of a longer window may still
 * count in the shorter ones.
 */
export const rateLimits = fp<StageOptions>(
  async (
    app,
    { contract: { rateLimits: declared }, parts: { name, now, time, bans, memory, machine, redis } },
  ) => {
    const windows = declared?.windows ?? []
    const [first, ...later] = windows
    const refusalsWindow = {
      name: refusalsName,
      seconds: windows.find(({ name: windowName }) => windowName === declared?.ban.window)?.seconds ?? 60,
    }

    const restOf = ({ seconds }: Window) => latestEnd(seconds, time()) * 1_000 - time()
    const limitOf = ({ quotas }: Caller, { name: windowName }: Window) =>
      windowName === refusalsName ? (declared?.ban.refusals ?? 0) : (quotas[windowName] ?? 0)

    /** Registers the plugin with a store in a context of its own. @returns its limiter, which counts in the first window */
    async function limiterOn(store: CounterStore, window: Window) {
      const { promise, resolve } = Promise.withResolvers<(request: FastifyRequest) => Promise<WindowState>>()
      await app.register(async scope => {
        await scope.register(rateLimit, { global: false, store: storeOf(store) })
        const limit = scope.createRateLimit({
          max: ({ caller }) => limitOf(caller, window),
          timeWindow: () => restOf(window),
          keyGenerator: ({ caller }) => counterOf(caller.counter, window.name),
        })
        resolve(async request => {
          const found = await limit(request)
          if (found.isAllowed) throw new Error('There is no list of callers without limits')
          return stateOf(window, found, time())
        })
      })
      return promise
    }

    const stateFrom = (caller: Caller, window: Window, { current, ttl }: CounterValue) => {
      const max = limitOf(caller, window)
      const found = { max, remaining: Math.max(0, max - current), isExceeded: current > max, ttl }
      return stateOf(window, found, time())
    }

    /** Counts in this process, window by window. */
    async function countInMemory(store: MemoryStore, window: Window): Promise<Counting> {
      const limiter = await limiterOn(store, window)
      const stateIn = (caller: Caller, each: Window, count: MemoryStore['count']) =>
        stateFrom(caller, each, count(counterOf(caller.counter, each.name), restOf(each)))
      const lookAtAll = (caller: Caller) => windows.map(each => stateIn(caller, each, store.look))
      const refused = (caller: Caller, states: WindowState[]): Judged => ({
        ...{ states, isRefused: true, refusals: stateIn(caller, refusalsWindow, store.count) },
      })
      return {
        look: async caller => lookAtAll(caller),
        async judge(request) {
          const { caller } = request
          const isUsedUp = (each: Window) =>
            store.look(counterOf(caller.counter, each.name), restOf(each)).current >= limitOf(caller, each)
          // A call that a later window refuses costs nothing in the first.
          if (later.some(isUsedUp)) {
            const [firstState, ...others] = lookAtAll(caller)
            for (const state of others) if (state.remaining === 0) state.exceeded = true
            return refused(caller, firstState ? [firstState, ...others] : others)
          }
          const firstState = await limiter(request)
          const count = firstState.exceeded ? store.look : store.count
          const states = [firstState, ...later.map(each => stateIn(caller, each, count))]
          return states.some(({ exceeded }) => exceeded)
            ? refused(caller, states)
            : { states, isRefused: false, refusals: undefined }
        },
      }
    }

    /** Counts in another process, in all windows at once. */
    async function countElsewhere(store: CounterStore, window: Window): Promise<Counting> {
      const limiter = await limiterOn(store, window)
      const ask = (caller: Caller, each: Window, how: 'incr' | 'read') =>
        new Promise<WindowState>((resolve, reject) =>
          store[how](
            counterOf(caller.counter, each.name),
            (error, value = { current: 0, ttl: 0 }) =>
              error ? reject(error) : resolve(stateFrom(caller, each, value)),
            restOf(each),
            limitOf(caller, each),
          ),
        )
      return {
        look: caller => Promise.all(windows.map(each => ask(caller, each, 'read'))),
        async judge(request) {
          const { caller } = request
          const states = await Promise.all([
            limiter(request),
            ...later.map(each => ask(caller, each, 'incr')),
          ])
          if (!states.some(({ exceeded }) => exceeded))
            return { states, isRefused: false, refusals: undefined }
          return { states, isRefused: true, refusals: await ask(caller, refusalsWindow, 'incr') }
        },
      }
    }

    const order = windows.map(window => window.name)
    const inMemory =
      first &&
      (machine
        ? await countElsewhere(createAskingStore(machine, countedWith, order), first)
        : memory && (await countInMemory(memory, first)))
    const shared = inMemory && redis && watchRedis(redis, `${name}:`, app.log)
    const inRedis =
      shared && (await countElsewhere(createRedisStore(redis, `${name}:`, countedWith, order), first))
    app.addHook('onClose', async () => shared?.close())

    /** Counts in Redis, exactly over all servers, or in this machine alone while Redis is away. */
    function judge(request: FastifyRequest): Promise<Judged> {
      if (!inMemory) return unlimited
      if (!inRedis || shared.isAway()) return inMemory.judge(request)
      return inRedis.judge(request).catch((error: Error) => {
        shared.fail(error, request.caller.counter)
        return inMemory.judge(request)
      })
    }

    /** As `judge`, and costs no quota. */
    function look(caller: Caller): Promise<WindowState[]> {
      if (!inMemory) return noWindows
      if (!inRedis || shared.isAway()) return inMemory.look(caller)
      return inRedis.look(caller).catch((error: Error) => {
        shared.fail(error, caller.counter)
        return inMemory.look(caller)
      })
    }

    /** Bans a caller at its last refusal. @returns the end of the ban, in seconds since 1970; 0 for none */
    async function banAfter(caller: Caller, { refusals }: Judged): Promise<number> {
      // Exactly one refusal reaches this number, in whichever process. So a ban is set once, and lifting it lasts.
      if (!declared || refusals?.remaining !== 0 || refusals.exceeded) return 0
      // The end is a whole second, as for windows, so that all fields of a reply agree.
      const banEnd = latestEnd(declared.ban.seconds, time())
      await bans.ban(caller, new Date(banEnd * 1_000))
      return banEnd
    }

    const fieldsOf = (states: readonly WindowState[]) => limitFields(windows, states, time())

    app.decorate('limitsOf', look)
    app.decorate('limitFieldsOf', fieldsOf)
    app.decorate('sharedLimitsState', () => shared?.state())

    /** @param isPaid whether the request is answered all the same */
    function charge(request: FastifyRequest, reply: FastifyReply, done: Done, isPaid = false): void {
      const { caller } = request
      if (caller.bannedUntil) {
        reply.headers(fieldsOf(bannedStates(windows, caller, caller.bannedUntil)))
        done(banned(caller, caller.bannedUntil, now()))
        return
      }
      judge(request).then(judged => {
        reply.headers(fieldsOf(judged.states))
        if (!judged.isRefused) return done()
        banAfter(caller, judged).then(banEnd => {
          // An operation without cost declares no 429. A guess there gets its 401, until its address is banned.
          if (isPaid || request.destination.facts?.quotaFree) done()
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

const unlimited = Promise.resolve<Judged>({ states: [], isRefused: false, refusals: undefined })
const noWindows = Promise.resolve<WindowState[]>([])

/** The windows of a caller are counted together, its refusals apart. */
const countedWith = (counter: string) =>
  counter.endsWith(refusalsName) ? counter : counter.slice(0, counter.lastIndexOf('}'))

/** The plugin makes its own store, with one for its limiter. Both count in the same place. */
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
