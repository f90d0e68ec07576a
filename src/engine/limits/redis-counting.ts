import type { FastifyInstance } from 'fastify'
import type { Cluster, Redis } from 'ioredis'
import type { Caller } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import { type Counting, type Counts, countersIn, countOf } from './counting.ts'
import { type Answer, defineCountCalls, type Request } from './redis-script.ts'

/** The calls of one caller in one turn of the event loop, which one command counts in the order in which they came. */
interface Batch extends Request {
  promise: Promise<Answer>
}

/**
 * Counting in Redis, exact over all processes that share it, in one round trip. While Redis is away each server counts
 * by itself, and goes back to Redis as soon as that answers.
 * @param prefix what names in Redis begin with
 * @param alone how a server counts while Redis is away
 */
export function countInRedis(
  app: FastifyInstance,
  rateLimits: RateLimits,
  prefix: string,
  redis: Redis,
  alone: Counting,
  now: () => Date,
): Counting {
  const { log } = app
  const { ofWindows, ofRefusals } = countersIn(rateLimits)
  const countCalls = defineCountCalls(redis, prefix)

  /** those of this turn, by the caller and what it may have, which may have changed since the turn began */
  const batches = new Map<string, Batch>()

  function batchOf(caller: Caller): Batch {
    const windows = ofWindows(caller)
    const name = `${caller.counter} ${windows.map(({ max }) => max)}`
    const known = batches.get(name)
    if (known) return known
    if (batches.size === 0) setImmediate(send)
    const counters = { windows, refusals: ofRefusals(caller) }
    const batch = { counters, calls: 0, ...Promise.withResolvers<Answer>() }
    batches.set(name, batch)
    return batch
  }

  function send(): void {
    const all = [...batches.values()]
    batches.clear()
    countCalls(all, now().getTime())
  }

  async function ask(caller: Caller, isCall: boolean): Promise<Counts> {
    const batch = batchOf(caller)
    if (isCall) batch.calls++
    const place = batch.calls
    const { windows, refusals } = await batch.promise
    const counts = windows.map(({ max, before, counted, ttl }) =>
      countOf(max, before + Math.min(place, counted), ttl),
    )
    if (!isCall || !counts.some(({ isExceeded }) => isExceeded)) return { windows: counts }
    // Those that are refused are the last of the batch.
    const refused = place - (batch.calls - refusals.counted)
    return { windows: counts, refusals: countOf(refusals.max, refusals.before + refused, refusals.ttl) }
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

  function withFallback(caller: Caller, isCall: boolean): Later<Counts> {
    const fallback = () => (isCall ? alone.count(caller) : alone.look(caller))
    if (away) return fallback()
    return ask(caller, isCall).catch((error: Error) => {
      if (!away) redis.disconnect(true) // it may hang: a new connection tells when it is back
      leave(error)
      return fallback()
    })
  }

  return {
    count: caller => withFallback(caller, true),
    look: caller => withFallback(caller, false),
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
