import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller, WindowState } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import { createFreeRequests } from '../limits/free-requests.ts'
import { counterOf, type MemoryStore } from '../limits/memory-store.ts'
import { strictClient, watchRedis } from '../limits/shared-redis.ts'
import type { StageOptions } from '../parts.ts'
import { ApiError } from '../replies/api-error.ts'
import { factsFor, takesKeys } from '../routes/paths.ts'
import { isFree } from './authentication.ts'

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
type Limiter = (caller: Caller, isCall: boolean) => Promise<WindowState>

/** The limiters of the windows, and one that counts refused calls. */
interface Limiters {
  windows: readonly Limiter[]
  refusals: Limiter
}

const refusalsName = '*refusals'

/**
 * Counts each call in every window of its caller's plan, one after the other, the shortest first. A call that one window
 * refuses does not count in the others, but counts as a refusal. Too many refusals ban the caller. Free requests only
 * look, up to a bound in each minute. Calls that come at once over the last of a longer window may still count in the
 * shorter ones.
 */
export const rateLimits = fp<StageOptions>(
  async (app, { contract: { rateLimits }, parts: { name, now, bans, memory, redis } }) => {
    const windows = rateLimits?.windows ?? []
    const time = () => now().getTime()

    /** Registers the plugin with a store in a context of its own, and makes that store's limiters. */
    async function limitersWith(settings: object, { ban }: RateLimits): Promise<Limiters> {
      const { promise, resolve } = Promise.withResolvers<Limiters>()
      const { seconds = 60 } = windows.find(({ name }) => name === ban.window) ?? {}
      await app.register(async own => {
        await own.register(rateLimit, { global: false, ...settings })
        resolve({
          windows: windows.map(window => limiterFor(own, window, ({ quotas }) => quotas[window.name] ?? 0)),
          refusals: limiterFor(own, { name: refusalsName, seconds }, () => ban.refusals),
        })
      })
      return promise
    }

    function limiterFor(own: FastifyInstance, window: Window, max: (caller: Caller) => number): Limiter {
      const limit = own.createRateLimit({
        max: ({ caller }) => max(caller),
        timeWindow: () => latestEnd(window.seconds, time()) * 1_000 - time(),
        // With Redis the limiters of a context share their counters, so the key also names the window.
        keyGenerator: ({ caller }) => counterOf(caller.counter, window.name),
      })
      return async (caller, isCall) => {
        const request = { caller, routeOptions: {} } as FastifyRequest // limiters read only these properties
        const found = await limit(request, { increment: isCall })
        if (found.isAllowed) throw new Error('There is no list of callers without limits')
        return stateOf(window, found, time())
      }
    }

    const inMemory = rateLimits && memory && (await limitersWith({ store: storeOf(memory) }, rateLimits))
    const shared = inMemory && redis && watchRedis(redis, `${name}:`, app.log)
    const inRedis =
      shared && (await limitersWith({ redis: strictClient(redis), nameSpace: `${name}:` }, rateLimits))
    app.addHook('onClose', async () => shared?.close())

    async function judge(limiters: Limiters, caller: Caller, isCall: boolean) {
      const later = isCall ? limiters.windows.slice(1).map(limiter => limiter(caller, false)) : []
      let isRefused = (await Promise.all(later)).some(({ remaining }) => remaining === 0)
      const states: WindowState[] = []
      for (const limiter of limiters.windows) {
        const state = await limiter(caller, isCall && !isRefused)
        isRefused ||= state.exceeded
        states.push(state)
      }
      const refusals = isCall && isRefused ? await limiters.refusals(caller, true) : undefined
      return { states, isRefused, refusals }
    }

    /** Counts in Redis, exactly over all servers, or in this server alone while Redis is away. */
    async function judgeWhereItWorks(caller: Caller, isCall: boolean): ReturnType<typeof judge> {
      if (!inMemory) return { states: [], isRefused: false, refusals: undefined }
      if (inRedis && !shared.isAway()) {
        try {
          return await judge(inRedis, caller, isCall)
        } catch (error) {
          shared.fail(error as Error, caller.counter) // ioredis throws nothing else
        }
      }
      return judge(inMemory, caller, isCall)
    }

    async function count(caller: Caller) {
      const { states, isRefused, refusals } = await judgeWhereItWorks(caller, true)
      // Exactly one refusal reaches this number, in whichever process. So a ban is set once, and lifting it lasts.
      const isBanned = refusals?.remaining === 0 && !refusals.exceeded
      // The end is a whole second, as for windows, so that all fields of a reply agree.
      const banEnd = isBanned && rateLimits ? latestEnd(rateLimits.ban.seconds, time()) : 0
      if (isBanned) await bans.ban(caller, new Date(banEnd * 1_000))
      return { states, isRefused, banEnd }
    }

    const look = async (caller: Caller) => (await judgeWhereItWorks(caller, false)).states
    const fieldsOf = (states: readonly WindowState[]) => limitFields(windows, states, now())

    app.decorate('limitsOf', look)
    app.decorate('limitFieldsOf', async (caller: Caller) => fieldsOf(await look(caller)))
    app.decorate('sharedLimitsState', () => shared?.state())

    /** @param isServed whether the request is answered all the same */
    async function charge(request: FastifyRequest, reply: FastifyReply, isServed = false) {
      const { caller } = request
      if (caller.bannedUntil) {
        reply.headers(fieldsOf(bannedStates(windows, caller, caller.bannedUntil)))
        throw banned(caller, caller.bannedUntil, now())
      }
      const { states, isRefused, banEnd } = await count(caller)
      reply.headers(fieldsOf(states))
      // An operation without cost declares no 429. A guess there gets its 401, until its address is banned.
      if (isRefused && !isServed && !factsFor(request)?.quotaFree)
        throw tooManyRequests(states, banEnd, now())
    }

    const freeRequests = createFreeRequests(time)
    app.decorate('charge', async (request: FastifyRequest, reply: FastifyReply) => charge(request, reply))
    app.decorate('giveBack', ({ caller }: FastifyRequest) => freeRequests.giveBack(caller.counter))

    /** Whether a request is answered whatever is left to its caller. Operations without cost have no bound. */
    const isServed = (request: FastifyRequest) =>
      isFree(request) &&
      (factsFor(request)?.quotaFree || freeRequests.take(request.caller.counter)) &&
      !(takesKeys(request) && request.caller.bannedUntil)

    app.addHook('onRequest', async (request, reply) => {
      const { caller, credentialFault } = request
      const isAnswered = isServed(request)
      // A wrong credential is a guess. It costs a call wherever it is sent.
      const isGuess = credentialFault !== undefined && !caller.bannedUntil
      if (isAnswered && !isGuess) reply.headers(fieldsOf(await look(caller)))
      else await charge(request, reply, isAnswered)
    })
  },
  { name: 'rate-limits', dependencies: ['authentication'] },
)

/** The plugin makes its own store, with one for each limiter. All of them count in the same place. */
const storeOf = ({ incr, read }: MemoryStore) =>
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
function limitFields(windows: readonly Window[], states: readonly WindowState[], now: Date): Fields {
  const [first] = states.toSorted((a, b) => a.remaining - b.remaining || b.reset - a.reset)
  if (!first) return {}
  const left = (reset: number) => Math.max(0, Math.ceil(reset - now.getTime() / 1_000))
  return {
    'x-ratelimit-limit': String(first.limit),
    'x-ratelimit-remaining': String(first.remaining),
    'x-ratelimit-reset': String(first.reset),
    'ratelimit-policy': windows
      .map(({ name, seconds }, i) => `"${name}";q=${states[i]?.limit ?? 0};w=${seconds}`)
      .join(),
    ratelimit: states.map(({ name, remaining, reset }) => `"${name}";r=${remaining};t=${left(reset)}`).join(),
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
