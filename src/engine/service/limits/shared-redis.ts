import type { Cluster, Redis } from 'ioredis'
import type { DependencyState } from '../context.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { counterOf } from './memory-store.ts'

/** Pause before a Redis that answers wrongly is tried again, in ms. */
const pause = 1_000

/** Watches whether the servers' shared Redis works. While it does not, it is tried again and again. */
export function watchRedis(redis: Redis, prefix: string, log: Log) {
  let isAway = redis.status !== 'ready'
  let isClosed = false
  let retrying: NodeJS.Timeout | undefined
  /** the counter that failed; in a Redis Cluster, others may be on a healthy node */
  let suspect = '*nobody'

  async function tryToCount(): Promise<void> {
    const trial = prefix + counterOf(suspect, '*trial')
    await redis.incr(trial)
    await redis.pexpire(trial, pause)
    if (!(await isWhole(redis))) throw new Error('A node does not answer')
  }

  function leave(error: Error): void {
    if (isClosed) return
    if (!isAway)
      log.warn({ err: error }, 'Redis is away: each server counts limits in memory until it is back.')
    isAway = true
    // Reconnects after a pause: the connection may hang, or its replies may be out of step.
    if (redis.status === 'ready')
      retrying ??= setTimeout(() => {
        retrying = undefined
        if (redis.status === 'ready') redis.disconnect(true)
      }, pause).unref()
  }

  redis.on('ready', async () => {
    try {
      await tryToCount()
    } catch (error) {
      return leave(error as Error) // ioredis throws nothing else
    }
    clearTimeout(retrying)
    retrying = undefined
    if (!isAway || isClosed) return
    log.info('Redis is there: limits are shared by all servers.')
    isAway = false
  })
  redis.on('error', leave) // without a listener ioredis prints each error
  redis.on('close', () => leave(new Error('The connection was closed')))
  // ioredis gives up for ever if the word of a failover comes while it asks a Sentinel for the address.
  redis.on('end', () => {
    if (isClosed) return
    clearTimeout(retrying)
    retrying = setTimeout(() => {
      retrying = undefined
      if (!isClosed) redis.connect().catch(() => {}) // the events show the outcome
    }, pause).unref()
  })
  redis.on('-node', () => leave(new Error('The connection to a node was closed')))

  return {
    isAway: () => isAway,
    /** To be called with a count that failed, and its counter. */
    fail(error: Error, counter: string): void {
      suspect = counter
      leave(error)
    },
    state(): DependencyState {
      const message = 'Redis is away: each server counts limits in memory.'
      return isAway ? { name: 'redis', status: 'degraded', message } : { name: 'redis', status: 'ok' }
    },
    /** Logs nothing from then on: a stop closes all connections, which is no outage. */
    close(): void {
      isClosed = true
      clearTimeout(retrying)
    },
  }
}

/** Whether every master of a Cluster answers. A dead one belongs to it until another has taken its place. */
async function isWhole(redis: Redis): Promise<boolean> {
  if (!redis.isCluster) return true
  const cluster = redis as unknown as Cluster // `isCluster` says so
  const answers = await Promise.allSettled(cluster.nodes('master').map(node => node.ping()))
  return answers.length > 0 && answers.every(({ status }) => status === 'fulfilled')
}
