import type { FastifyInstance } from 'fastify'
import type { Cluster, Redis } from 'ioredis'
import type { Caller } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import { type Counting, type Counts, countersIn, stateOf } from './counting.ts'
import { type Answer, defineCountCalls, type Held, type Request } from './redis-script.ts'

/** A call that waits to be counted, or a mere look. */
interface Asked {
  caller: Caller
  isCall: boolean
  /** how many calls of its batch there are up to it */
  place: number
  resolve(counts: Later<Counts>): void
}

/** The calls of one caller in one turn of the event loop, which one command counts in the order in which they came. */
interface Batch extends Request {
  asked: Asked[]
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

  /**
   * Those of this turn, by what tells a caller from others: of a key its windows, which are made anew when it changes. Each
   * turn has a Map of its own: one that is cleared leaves its former table, in V8, pointing to the next, and so all that was
   * ever in it is kept until what is old is collected, at a tenth of a read’s CPU.
   */
  let batches = new Map<unknown, Batch>()

  function batchOf(caller: Caller): Batch {
    const windows = ofWindows(caller)
    const name = caller.kind === 'key' ? windows : caller.counter
    const known = batches.get(name)
    if (known) return known
    if (batches.size === 0) setImmediate(send)
    const asked: Asked[] = []
    const batch: Batch = {
      counters: { windows, refusals: ofRefusals(caller) },
      calls: 0,
      asked,
      resolve(answer) {
        const time = now().getTime()
        for (const { isCall, place, resolve } of asked)
          resolve(
            isCall ? countsAt(place, batch.calls, answer, time) : { windows: windowsAt(place, answer, time) },
          )
      },
      reject(error) {
        if (!away) redis.disconnect(true) // it may hang: a new connection tells when it is back
        leave(error)
        for (const { isCall, caller, resolve } of asked) resolve(countAlone(caller, isCall))
      },
    }
    batches.set(name, batch)
    return batch
  }

  function send(): void {
    const all = [...batches.values()]
    batches = new Map()
    countCalls(all, now().getTime())
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

  const countAlone = (caller: Caller, isCall: boolean) => (isCall ? alone.count(caller) : alone.look(caller))

  function ask(caller: Caller, isCall: boolean): Later<Counts> {
    if (away) return countAlone(caller, isCall)
    const batch = batchOf(caller)
    if (isCall) batch.calls++
    const place = batch.calls
    return new Promise(resolve => batch.asked.push({ caller, isCall, place, resolve }))
  }

  return {
    count: caller => ask(caller, true),
    look: caller => ask(caller, false),
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

/** What a counter had come to once some of the calls of its batch were counted. */
const stateAfter = ({ counter, before, ttl }: Held, counted: number, time: number) =>
  stateOf(counter.window, counter.limit, before + counted, ttl, time)

/** The windows of a caller, once some of the calls of its batch are counted. */
const windowsAt = (place: number, { windows }: Answer, time: number) =>
  windows.map(held => stateAfter(held, Math.min(place, held.counted), time))

/** The counts of one call among those of its batch. */
function countsAt(place: number, calls: number, answer: Answer, time: number): Counts {
  const windows = windowsAt(place, answer, time)
  if (!windows.some(({ exceeded }) => exceeded)) return { windows }
  // Those that are refused are the last of the batch.
  const { refusals } = answer
  return { windows, refusals: stateAfter(refusals, place - (calls - refusals.counted), time) }
}

/** Whether every master of a Cluster answers: one that is dead belongs to it until another has taken its place. */
async function isWhole(redis: Redis): Promise<boolean> {
  if (!redis.isCluster) return true
  const cluster = redis as unknown as Cluster // as it says
  const answers = await Promise.allSettled(cluster.nodes('master').map(node => node.ping()))
  return answers.length > 0 && answers.every(({ status }) => status === 'fulfilled')
}
