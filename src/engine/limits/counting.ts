import DataLoader from 'dataloader'
import type { FastifyInstance } from 'fastify'
import type { Cluster, Redis } from 'ioredis'
import type { Caller } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import { createJudge } from './judge.ts'
import type { MemoryCounters } from './memory-counters.ts'
import { countScript, type RedisCounts, readScript } from './redis-script.ts'

/** What a counter says after one more call, or after a mere look. */
export interface Count {
  max: number
  remaining: number
  /** milliseconds to the end of the window; 0 when none has begun */
  ttl: number
  isExceeded: boolean
}

/** The counts of a caller: of each window, in the order of the document, and of its refusals when there was one. */
export interface Counts {
  windows: readonly Count[]
  refusals?: Count | undefined
}

/** Counts the calls of callers. */
export interface Counting {
  /**
   * Counts a call. Windows are counted one after the other, and a call that one of them refuses costs nothing in those
   * that follow; it counts as a refusal.
   */
  count(caller: Caller): Later<Counts>
  /** The counts as they are. */
  look(caller: Caller): Later<Counts>
  /** The state of what the counts are shared through, where there is such a thing. */
  shared?: () => DependencyState
}

/** Counting nothing, where nobody is limited. */
export const noCounting: Counting = { count: () => ({ windows: [] }), look: () => ({ windows: [] }) }

/** Ends a window on a whole second, so that its end is the same number in every reply. */
const lengthOf = (seconds: number, time: number) => seconds * 1_000 - (time % 1_000)

interface CountedWindow {
  name: string
  seconds: number
  max(caller: Caller): number
}

/** The windows of a document, and that in which refusals are counted. */
function windowsOf({ windows, ban }: RateLimits): { calls: CountedWindow[]; refusals: CountedWindow } {
  const seconds = windows.find(({ name }) => name === ban.window)?.seconds ?? 60
  return {
    calls: windows.map(window => ({ ...window, max: ({ quotas }) => quotas[window.name] ?? 0 })),
    refusals: { name: 'refusals', seconds, max: () => ban.refusals },
  }
}

/** Braces make a Redis Cluster keep all counters of a caller on one node. */
const nameOf = ({ counter }: Caller, { name }: CountedWindow) => `{${counter}}:${name}`

/** Counting in the memory of one process. */
export function countInMemory(rateLimits: RateLimits, counters: MemoryCounters, now: () => Date): Counting {
  const { calls, refusals } = windowsOf(rateLimits)
  type Counter = CountedWindow & { counter: string }
  interface Counters {
    calls: readonly Counter[]
    refusals: Counter
  }
  const known = new WeakMap<Caller, Counters>()
  function countersOf(caller: Caller): Counters {
    const own = known.get(caller)
    if (own) return own
    const counterOf = (window: CountedWindow) => ({ ...window, counter: nameOf(caller, window) })
    const made = { calls: calls.map(counterOf), refusals: counterOf(refusals) }
    // A stranger is another one with each request.
    if (caller.kind === 'key') known.set(caller, made)
    return made
  }
  function one(caller: Caller, { counter, seconds, max }: Counter, time: number, increment: boolean): Count {
    const length = lengthOf(seconds, time)
    const { current, ttl } = increment
      ? counters.add(counter, length, time)
      : counters.read(counter, length, time)
    const most = max(caller)
    return { max: most, remaining: Math.max(0, most - current), ttl, isExceeded: current > most }
  }
  return {
    count(caller) {
      const time = now().getTime()
      const own = countersOf(caller)
      let isRefused = false
      const windows = own.calls.map(counter => {
        const count = one(caller, counter, time, !isRefused)
        isRefused ||= count.isExceeded
        return count
      })
      return isRefused ? { windows, refusals: one(caller, own.refusals, time, true) } : { windows }
    },
    look(caller) {
      const time = now().getTime()
      return { windows: countersOf(caller).calls.map(counter => one(caller, counter, time, false)) }
    },
  }
}

/** What is asked of Redis for one call. */
interface Asked {
  caller: Caller
  command: keyof RedisCounts
}

/** Calls in one command at most: others wait in Redis while it runs. */
const atOnce = 100

/**
 * Counting in Redis, exact over all processes that share it, in one round trip. While Redis is away each server counts
 * by itself, and goes back to Redis as soon as that answers.
 * @param prefix what names in Redis begin with
 * @param alone how a server counts while Redis is away
 */
export async function countInRedis(
  app: FastifyInstance,
  rateLimits: RateLimits,
  prefix: string,
  redis: Redis,
  alone: Counting,
  now: () => Date,
): Promise<Counting> {
  const { calls, refusals } = windowsOf(rateLimits)
  const judge = await createJudge(app)
  const { log } = app
  const windows = [...calls, refusals]
  // With their number a command begins with a key, by which the client finds the node of a Cluster that it goes to.
  const numberOfKeys = windows.length
  redis.defineCommand('countCall', { lua: countScript, numberOfKeys })
  redis.defineCommand('readCalls', { lua: readScript, numberOfKeys })
  const scripts = redis as Redis & RedisCounts // as just defined

  /** What calls share that one command may count. */
  const sharedBy = ({ caller, command }: Asked) =>
    `${command} ${caller.counter} ${windows.map(({ max }) => max(caller))}`

  /** Sends what is asked in one turn of the event loop by one command a caller, whose calls it takes one after the other. */
  function send(asked: readonly Asked[]): Promise<number[]>[] {
    const time = now().getTime()
    const answers = new Map<Asked, Promise<number[]>>()
    for (const alike of Map.groupBy(asked, sharedBy).values()) {
      const [first] = alike
      if (!first) continue
      const { caller, command } = first
      const answer = scripts[command](
        ...windows.map(window => prefix + nameOf(caller, window)),
        ...windows.flatMap(({ max, seconds }) => [max(caller), lengthOf(seconds, time)]),
        alike.length,
      )
      const size = 2 * windows.length
      for (const [i, one] of alike.entries())
        answers.set(
          one,
          answer.then(all => all.slice(i * size, (i + 1) * size)),
        )
    }
    return asked.map(one => answers.get(one) ?? Promise.reject(new Error('Redis was not asked')))
  }
  const sending = new DataLoader<Asked, Promise<number[]>>(async asked => send(asked), {
    cache: false,
    maxBatchSize: atOnce,
    batchScheduleFn: begin => void setImmediate(begin),
  })

  async function ask(caller: Caller, command: Asked['command']): Promise<Counts> {
    const answer = await sending.load({ caller, command })
    const judged = (window: CountedWindow, i: number) =>
      judge({ max: window.max(caller), current: answer[2 * i] ?? 0, ttl: answer[2 * i + 1] ?? 0 })
    const counts = await Promise.all(calls.map(judged))
    return counts.some(({ isExceeded }) => isExceeded) && command === 'countCall'
      ? { windows: counts, refusals: await judged(refusals, calls.length) }
      : { windows: counts }
  }

  let away = redis.status !== 'ready'
  redis.on('ready', async () => {
    if (!(await isWhole(redis))) {
      if (redis.status === 'ready') redis.disconnect(true) // which tries again
      return
    }
    if (away) log.info('Redis is there: limits are shared by all servers.')
    away = false
  })
  redis.on('error', leave) // without a listener ioredis would print each of them
  const closed = () => leave(new Error('The connection was closed'))
  redis.on('close', closed)
  const nodeClosed = () => {
    if (away) return
    leave(new Error('The connection to a node was closed'))
    redis.disconnect(true)
  }
  redis.on('-node', nodeClosed)
  // A stop closes all, and that is no outage.
  app.addHook('onClose', async () => void redis.off('close', closed).off('-node', nodeClosed))

  function leave(error: Error): void {
    if (!away)
      log.warn({ err: error }, 'Redis is away: each server counts limits in memory until it is back.')
    away = true
  }

  const withFallback =
    (command: keyof RedisCounts, fallback: Counting['count']) =>
    async (caller: Caller): Promise<Counts> => {
      if (away) return fallback(caller)
      try {
        return await ask(caller, command)
      } catch (error) {
        if (!away) redis.disconnect(true) // it may hang: a new connection tells when it is back
        leave(error as Error) // ioredis rejects with Errors
        return fallback(caller)
      }
    }
  return {
    count: withFallback('countCall', alone.count),
    look: withFallback('readCalls', alone.look),
    shared: () =>
      away
        ? {
            name: 'redis',
            status: 'degraded',
            message: 'Redis is away: each server counts limits in memory.',
          }
        : { name: 'redis', status: 'ok' },
  }
}

/** Whether every master of a Cluster answers: one that is dead belongs to it until another has taken its place. */
async function isWhole(redis: Redis): Promise<boolean> {
  if (!redis.isCluster) return true
  const cluster = redis as unknown as Cluster // as it says
  const answers = await Promise.allSettled(cluster.nodes('master').map(node => node.ping()))
  return answers.length > 0 && answers.every(({ status }) => status === 'fulfilled')
}
