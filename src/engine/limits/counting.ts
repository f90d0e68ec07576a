import rateLimit, { type CreateRateLimitOptions, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Redis } from 'ioredis'
import type { Caller } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import type { MemoryCounters } from './memory-counters.ts'

/** What a counter says after one more call, or after a mere look. */
export interface Count {
  max: number
  remaining: number
  /** milliseconds to the end of the window; 0 when none has begun */
  ttl: number
  isExceeded: boolean
}

/** Counts a call of the caller in a window, or looks without counting. */
export type Counter = (caller: Caller, options?: { increment: boolean }) => Promise<Count>

/** A counter for each window by its name, and one for the refusals that lead to a ban. */
export interface Counting {
  windows: readonly { name: string; seconds: number; count: Counter }[]
  refusals: Counter
  /** The state of what the counts are shared through, where there is such a thing. */
  shared?: () => DependencyState
}

/** Ends a window on a whole second, so that its end is the same number in every reply. */
const lengthOf = (seconds: number, now: Date) => seconds * 1_000 - (now.getTime() % 1_000)

type Limiter = (request: FastifyRequest, options?: { increment?: boolean }) => Promise<unknown>

/** Where counts are kept, and under which names. */
export interface CountingOptions {
  rateLimits: RateLimits
  /** what names in a shared store begin with */
  prefix: string
  now(): Date
}

async function createCounting(
  app: FastifyInstance,
  { rateLimits, prefix, now }: CountingOptions,
  store: { redis: Redis } | { store: FastifyRateLimitStoreCtor },
): Promise<Counting> {
  /** One limiter; its name is part of the counter's key, as all of them share one store. */
  function limiter(
    scope: FastifyInstance,
    name: string,
    seconds: number,
    max: (caller: Caller) => number,
  ): Counter {
    // The plugin asks for a request; the caller is all that these functions read of it.
    const callerOf = (request: FastifyRequest) => (request as unknown as { caller: Caller }).caller
    const options: CreateRateLimitOptions = {
      max: request => max(callerOf(request)),
      timeWindow: () => lengthOf(seconds, now()),
      // Braces make a Redis Cluster keep all counters of a caller on one node.
      keyGenerator: request => `{${callerOf(request).counter}}:${name}`,
    }
    const limit: Limiter = scope.createRateLimit(options)
    return (caller, { increment } = { increment: true }) =>
      // Without an allow list the plugin always gives a count.
      limit({ caller, routeOptions: {} } as unknown as FastifyRequest, { increment }) as Promise<Count>
  }

  const { ban, windows } = rateLimits
  const banWindow = windows.find(window => window.name === ban.window)?.seconds ?? 60
  let counting: Counting | undefined
  await app.register(async scope => {
    await scope.register(rateLimit, { global: false, nameSpace: prefix, ...store })
    counting = {
      windows: windows.map(({ name, seconds }) => ({
        name,
        seconds,
        count: limiter(scope, name, seconds, caller => caller.quotas[name] ?? 0),
      })),
      refusals: limiter(scope, 'refusals', banWindow, () => ban.refusals),
    }
  })
  if (!counting) throw new Error('The rate limiter was not registered')
  return counting
}

/** Counting nothing, where nobody is limited. */
export const noCounting: Counting = {
  windows: [],
  refusals: async () => ({ max: 0, remaining: 0, ttl: 0, isExceeded: false }),
}

/** Counting in this process alone. */
export function countInMemory(
  app: FastifyInstance,
  options: CountingOptions,
  counters: MemoryCounters,
): Promise<Counting> {
  // The plugin makes its store itself, from a class; every limiter is to have the one that is there already.
  function Shared() {
    return { ...counters, child: () => counters }
  }
  return createCounting(app, options, { store: Shared as unknown as FastifyRateLimitStoreCtor })
}

/**
 * Counting in Redis, exact over all processes that share it. While Redis is away each process counts in memory, and
 * goes back to Redis as soon as that answers.
 */
export async function countInRedis(
  app: FastifyInstance,
  options: CountingOptions,
  redis: Redis,
  memory: Counting,
): Promise<Counting> {
  const shared = await createCounting(app, options, { redis })
  const { log } = app
  let away = redis.status !== 'ready'
  redis.on('ready', () => {
    if (away) log.info('Redis is there: limits are shared by all processes.')
    away = false
  })
  redis.on('error', leave) // without a listener ioredis would print each of them
  redis.on('close', () => leave(new Error('The connection was closed')))

  function leave(error: Error): void {
    if (!away)
      log.warn({ err: error }, 'Redis is away: each process counts limits in memory until it is back.')
    away = true
  }

  const withFallback = (first: Counter, second: Counter): Counter => {
    return async (caller, options) => {
      if (away) return second(caller, options)
      try {
        return await first(caller, options)
      } catch (error) {
        if (!away) redis.disconnect(true) // it may hang: a new connection tells when it is back
        leave(error as Error) // ioredis rejects with Errors
        return second(caller, options)
      }
    }
  }
  return {
    windows: shared.windows.map((window, index) => ({
      ...window,
      count: withFallback(window.count, memory.windows[index]?.count ?? window.count),
    })),
    refusals: withFallback(shared.refusals, memory.refusals),
    shared: () =>
      away
        ? {
            name: 'redis',
            status: 'degraded',
            message: 'Redis is away: each process counts limits in memory.',
          }
        : { name: 'redis', status: 'ok' },
  }
}
