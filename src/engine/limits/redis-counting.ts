import type { FastifyInstance } from 'fastify'
import type { Cluster, Redis } from 'ioredis'
import type { Caller } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import { type Counting, type Counts, countersIn, nameOf, stateOf } from './counting.ts'
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

/** How long a server waits before it tries a Redis that does not count again, in ms: twice as long each time. */
const shortestPause = 100
const longestPause = 1_000
/** Redis has to count for so long, in ms, until the pauses are short again. */
const steadyAfter = 10_000

/**
 * Counting in Redis, exact over all processes that share it, in one round trip. While Redis is away each server counts
 * by itself, and goes back to Redis as soon as that counts again.
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
        suspect = caller.counter
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
  let backSince = performance.now()
  let pause = shortestPause
  let retrying: NodeJS.Timeout | undefined
  /** the caller whose calls could not be counted: in a Redis Cluster, others may be on a node that is well */
  let suspect = '*nobody'

  /** Counts a call of nobody's, beside the counters of the suspect. */
  const tryToCount = () =>
    new Promise<void>((resolve, reject) => {
      const counter = (name: string) => ({
        name: nameOf(suspect, { name }),
        window: { name, seconds: 1 },
        limit: 1,
      })
      const counters = { windows: [counter('*trial')], refusals: counter('*trial-refusals') }
      countCalls([{ counters, calls: 1, resolve: () => resolve(), reject }], now().getTime())
    })

  redis.on('ready', async () => {
    try {
      await tryToCount()
      if (!(await isWhole(redis))) throw new Error('A node does not answer')
    } catch (error) {
      leave(error instanceof Error ? error : new Error(String(error)))
      return
    }
    clearTimeout(retrying)
    retrying = undefined
    if (!away) return
    log.info('Redis is there: limits are shared by all servers.')
    away = false
    backSince = performance.now()
  })
  redis.on('error', leave) // without a listener ioredis would print each of them
  const closed = () => leave(new Error('The connection was closed'))
  redis.on('close', closed)
  const nodeClosed = () => {
    if (!away) leave(new Error('The connection to a node was closed'))
  }
  redis.on('-node', nodeClosed)
  // A stop closes all, and that is no outage.
  app.addHook('onClose', async () => {
    clearTimeout(retrying)
    redis.off('close', closed).off('-node', nodeClosed)
  })

  function leave(error: Error): void {
    if (!away) {
      log.warn({ err: error }, 'Redis is away: each server counts limits in memory until it is back.')
      if (performance.now() - backSince > steadyAfter) pause = shortestPause
    }
    away = true
    if (redis.status === 'ready') retryLater()
  }

  /** Connects anew after a pause: the connection may hang, or be out of step with its replies. */
  function retryLater(): void {
    retrying ??= setTimeout(() => {
      retrying = undefined
      if (redis.status === 'ready') redis.disconnect(true)
    }, pause).unref()
    pause = Math.min(pause * 2, longestPause)
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
