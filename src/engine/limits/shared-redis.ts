import type { Cluster, Redis } from 'ioredis'
import type { Log } from '../batch-writer.ts'
import type { DependencyState } from '../context.ts'
import { counterOf } from './memory-store.ts'

/** How long a Redis that answers wrongly is left alone before it is tried again, in ms. */
const pause = 1_000

/** Knows whether the Redis that servers share can be used now; while it can't, it is tried again and again. */
export function watchRedis(redis: Redis, prefix: string, log: Log) {
  let isAway = redis.status !== 'ready'
  let isClosed = false
  let retrying: NodeJS.Timeout | undefined
  /** whose count failed: in a Redis Cluster, others may be on a node that is well */
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
    // Connects again after a pause: the connection may hang, or be out of step with its replies.
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
  redis.on('error', leave) // without a listener ioredis would print each of them
  redis.on('close', () => leave(new Error('The connection was closed')))
  redis.on('-node', () => leave(new Error('The connection to a node was closed')))

  return {
    isAway: () => isAway,
    /** To be told of a count that failed, and whose it was. */
    fail(error: Error, counter: string): void {
      suspect = counter
      leave(error)
    },
    state(): DependencyState {
      const message = 'Redis is away: each server counts limits in memory.'
      return isAway ? { name: 'redis', status: 'degraded', message } : { name: 'redis', status: 'ok' }
    },
    /** From then on nothing is told: a stop closes all connections, and that is no outage. */
    close(): void {
      isClosed = true
      clearTimeout(retrying)
    },
  }
}

type Callback = (error: Error | null, reply: unknown) => void
type Command = (...args: unknown[]) => void

/** A client for @fastify/rate-limit that refuses what is no reply of a script: after one too many, each is another's. */
export function strictClient(redis: Redis): Record<string, unknown> {
  const client: Record<string, unknown> = {
    defineCommand(name: string, definition: Parameters<Redis['defineCommand']>[1]) {
      redis.defineCommand(name, definition)
      client[name] = (...args: unknown[]) => {
        const done = args.pop() as Callback // each command of the plugin ends with one
        const command = (redis as unknown as Record<string, Command>)[name] // as it was just defined
        command?.call(redis, ...args, (error: Error | null, reply: unknown) => {
          if (error || isCount(reply)) done(error, reply)
          else done(new Error('Redis answers something else than what was asked'), null)
        })
      }
    },
  }
  return client
}

/** Whether a reply is a count and the milliseconds that are left of its window. */
const isCount = (reply: unknown) =>
  Array.isArray(reply) && reply.length === 2 && reply.every(part => Number.isInteger(part))

/** Whether every master of a Cluster answers: one that is dead belongs to it until another has taken its place. */
async function isWhole(redis: Redis): Promise<boolean> {
  if (!redis.isCluster) return true
  const cluster = redis as unknown as Cluster // as it says
  const answers = await Promise.allSettled(cluster.nodes('master').map(node => node.ping()))
  return answers.length > 0 && answers.every(({ status }) => status === 'fulfilled')
}
