import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { WindowState } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import { counterOf, type MemoryStore } from '../limits/memory-store.ts'
import { strictClient, watchRedis } from '../limits/shared-redis.ts'
import { banned, bannedStates, lengthOf, limitFields, stateOf, tooManyRequests } from '../limits/states.ts'
import type { Parts } from '../parts.ts'
import { isFree } from './authentication.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The windows of a request's caller, at no cost. */
    limitsOf(request: FastifyRequest): Promise<readonly WindowState[]>
    /** Tells a request's caller its windows, at no cost. */
    showLimits(request: FastifyRequest, reply: FastifyReply): Promise<void>
    /** The header fields that tell an address its windows, where its request could not be read. */
    limitFieldsOf(ip: string): Promise<Record<string, string>>
    /** The state of what limits are shared through; undefined where they are not shared. */
    sharedLimitsState(): DependencyState | undefined
  }
}

export interface RateLimitsOptions {
  /** undefined: nobody is limited */
  rateLimits: RateLimits | undefined
  parts: Pick<Parts<unknown, unknown>, 'name' | 'now' | 'bans' | 'memory' | 'redis'>
}

type Window = RateLimits['windows'][number]
type Limiter = (request: FastifyRequest, isCall: boolean) => Promise<WindowState>

/** No window is called so. */
const refusalsName = '*refusals'

/**
 * Counts each call in every window of its caller's plan, one after the other: a call that one of them refuses costs nothing
 * in those that follow, and counts as a refusal. One refusal too many bans the caller. What costs nothing only looks.
 */
export const rateLimits = fp<RateLimitsOptions>(
  async (app, { rateLimits, parts: { name, now, bans, memory, redis } }) => {
    const windows = rateLimits?.windows ?? []
    const time = () => now().getTime()

    /** Registers the plugin with a store, in a context of its own, and makes the limiters of that store. */
    async function limitersWith(settings: Parameters<typeof rateLimit>[1], { ban }: RateLimits) {
      const limiters: Limiter[] = []
      let refusals: Limiter | undefined
      await app.register(async own => {
        await own.register(rateLimit, { global: false, ...settings })
        for (const window of windows)
          limiters.push(limiterFor(own, window, ({ caller }) => caller.quotas[window.name] ?? 0))
        const { seconds } = windows.find(({ name }) => name === ban.window) ?? { seconds: 60 }
        refusals = limiterFor(own, { name: refusalsName, seconds }, () => ban.refusals)
      })
      if (!refusals) throw new Error('The context of the limiters was not loaded')
      return { windows: limiters, refusals }
    }

    function limiterFor(
      own: FastifyInstance,
      window: Window,
      max: (request: FastifyRequest) => number,
    ): Limiter {
      const limit = own.createRateLimit({
        max,
        timeWindow: () => lengthOf(window.seconds, time()),
        // With Redis the limiters of a context share their counters, so the key names the window, too.
        keyGenerator: ({ caller }) => counterOf(caller.counter, window.name),
      })
      return async (request, isCall) => {
        const found = await limit(request, { increment: isCall })
        if (found.isAllowed) throw new Error('There is no list of callers without limits')
        return stateOf(window, found, time())
      }
    }

    const inMemory = rateLimits && memory && (await limitersWith({ store: storeOf(memory) }, rateLimits))
    const shared = inMemory && redis && watchRedis(redis, `${name}:`, app.log)
    const inRedis =
      shared &&
      rateLimits &&
      (await limitersWith({ redis: strictClient(redis), nameSpace: `${name}:` }, rateLimits))
    app.addHook('onClose', async () => shared?.close())

    async function judge(limiters: NonNullable<typeof inMemory>, request: FastifyRequest, isCall: boolean) {
      const states: WindowState[] = []
      let isRefused = false
      for (const limiter of limiters.windows) {
        const state = await limiter(request, isCall && !isRefused)
        isRefused ||= state.exceeded
        states.push(state)
      }
      return { states, refusals: isCall && isRefused ? await limiters.refusals(request, true) : undefined }
    }

    /** In Redis, exactly over all servers; while that is away, in this server alone. */
    async function judgeWhereItWorks(request: FastifyRequest, isCall: boolean): ReturnType<typeof judge> {
      if (!inMemory) return { states: [], refusals: undefined }
      if (inRedis && !shared.isAway()) {
        try {
          return await judge(inRedis, request, isCall)
        } catch (error) {
          shared.fail(error as Error, request.caller.counter) // ioredis throws nothing else
        }
      }
      return judge(inMemory, request, isCall)
    }

    async function count(request: FastifyRequest): Promise<readonly WindowState[]> {
      const { states, refusals } = await judgeWhereItWorks(request, true)
      // Exactly one refusal comes to this number, in whichever process: a ban is set once, and lifting it lasts.
      if (rateLimits && refusals && refusals.remaining === 0 && !refusals.exceeded) {
        // To a whole second, as windows: then every field of a reply tells the same end.
        const end = Math.floor(time() / 1_000) + rateLimits.ban.seconds
        await bans.ban(request.caller, new Date(end * 1_000))
      }
      return states
    }

    const look = async (request: FastifyRequest) => (await judgeWhereItWorks(request, false)).states
    const fieldsOf = (states: readonly WindowState[]) => limitFields(windows, states, now())

    app.decorate('limitsOf', look)
    app.decorate('showLimits', async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(fieldsOf(await look(request)))
    })
    app.decorate('limitFieldsOf', async (ip: string) => {
      const { caller, routeOptions } = { caller: app.unauthenticatedAt(ip), routeOptions: {} }
      return fieldsOf(await look({ caller, routeOptions } as FastifyRequest)) // all that limiters read of it
    })
    app.decorate('sharedLimitsState', () => shared?.state())

    app.addHook('onRequest', async (request, reply) => {
      if (isFree(request)) return app.showLimits(request, reply)
      const { caller } = request
      if (caller.bannedUntil) {
        reply.headers(fieldsOf(bannedStates(windows, caller, caller.bannedUntil)))
        throw banned(caller, caller.bannedUntil, now())
      }
      const states = await count(request)
      reply.headers(fieldsOf(states))
      if (states.some(({ exceeded }) => exceeded)) throw tooManyRequests(states, now())
    })
  },
  { name: 'rate-limits', dependencies: ['authentication'] },
)

/** The plugin makes its store itself, and has that make one for each limiter: all of them count in the same place. */
const storeOf = ({ incr, read }: MemoryStore) =>
  class {
    incr = incr
    read = read
    child() {
      return this
    }
  }
