import type { Cluster, Redis } from 'ioredis'
import type { Log } from '../batch-writer.ts'
import type { DependencyState } from '../context.ts'

/** Whether the Redis that servers share can be used now. ioredis tries to reach it again, less and less often. */
export interface SharedRedis {
  isAway(): boolean
  /** To be told of a command that failed. */
  fail(error: Error): void
  state(): DependencyState
  /** From then on nothing is told: a stop closes all connections, and that is no outage. */
  close(): void
}

export function watchRedis(redis: Redis, log: Log): SharedRedis {
  let isAway = redis.status !== 'ready'
  let isClosed = false

  function leave(error: Error): void {
    if (!isAway && !isClosed)
      log.warn({ err: error }, 'Redis is away: each server counts limits in memory until it is back.')
    isAway = true
  }
  function reconnect(): void {
    if (!isClosed) redis.disconnect(true)
  }

  redis.on('ready', async () => {
    if (!(await isWhole(redis))) {
      if (redis.status === 'ready') reconnect()
      return
    }
    if (isAway) log.info('Redis is there: limits are shared by all servers.')
    isAway = false
  })
  redis.on('error', leave) // without a listener ioredis would print each of them
  redis.on('close', () => leave(new Error('The connection was closed')))
  redis.on('-node', () => {
    if (isAway) return
    leave(new Error('The connection to a node was closed'))
    reconnect()
  })

  return {
    isAway: () => isAway,
    fail(error) {
      if (!isAway) reconnect() // it may hang: a new connection tells when it is back
      leave(error)
    },
    state: () =>
      isAway
        ? {
            name: 'redis',
            status: 'degraded',
            message: 'Redis is away: each server counts limits in memory.',
          }
        : { name: 'redis', status: 'ok' },
    close() {
      isClosed = true
    },
  }
}

/** Whether every master of a Cluster answers: one that is dead belongs to it until another has taken its place. */
async function isWhole(redis: Redis): Promise<boolean> {
  if (!redis.isCluster) return true
  const cluster = redis as unknown as Cluster // as it says
  const answers = await Promise.allSettled(cluster.nodes('master').map(node => node.ping()))
  return answers.length > 0 && answers.every(({ status }) => status === 'fulfilled')
}
