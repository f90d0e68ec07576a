import { Cluster, Redis } from 'ioredis'
import type { Db } from './database/tables.ts'
import { type Bans, openBans } from './http/limits/bans.ts'
import { type MemoryCounters, openMemoryCounters } from './http/limits/memory-counters.ts'
import { countDeprecatedCalls, type DeprecatedCalls } from './store/deprecated-calls.ts'
import { removeOldReplies } from './store/idempotency.ts'
import { createKeyDirectory, type KeyDirectory } from './store/key-directory.ts'

/** How often replies to repeatable requests that have outlived their time are removed, in ms. */
const cleanEvery = 3_600_000

/** What the server works with and somebody else opens and closes. */
export interface Resources {
  db: Db
  now: () => Date
  keys: KeyDirectory
  bans: Bans
  counters: MemoryCounters
  deprecatedCalls: DeprecatedCalls
  redis: Redis | undefined
  /** Stops what runs in the background and writes what is noted; the database stays open. */
  close(): Promise<void>
}

/** Opens what the server needs besides a migrated database. */
export async function openResources(db: Db, redisUrl?: string, now = () => new Date()): Promise<Resources> {
  const keys = createKeyDirectory(db, now)
  const bans = await openBans(db, keys, now)
  const counters = await openMemoryCounters(db, () => now().getTime())
  const deprecatedCalls = countDeprecatedCalls(db, now)
  // A failure leaves old replies for the next hour.
  const cleaning = setInterval(() => removeOldReplies(db, now()).catch(() => {}), cleanEvery).unref()
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl)
  if (redis) await settled(redis)
  return {
    db,
    now,
    keys,
    bans,
    counters,
    deprecatedCalls,
    redis,
    async close() {
      clearInterval(cleaning)
      bans.close()
      redis?.disconnect()
      await Promise.all([keys.close(), counters.close(), deprecatedCalls.close()])
    },
  }
}

/** Longest wait for a connection to Redis, in ms. */
const connectTimeout = 2_000

/**
 * Connects to Redis, or to a Redis Cluster when several URLs are given, separated by commas. A command that can't be
 * sent or answered at once fails instead of waiting: the caller counts in memory then.
 */
function connectRedis(urls: string): Redis {
  const options = {
    connectTimeout,
    commandTimeout: 500,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 1_000),
  }
  const nodes = urls.split(',')
  if (nodes.length === 1) return new Redis(urls, options)
  const { enableOfflineQueue, enableAutoPipelining, retryStrategy, ...redisOptions } = options
  // A Cluster has the same commands and events as a Redis, which is all that the rate limiter uses.
  return new Cluster(nodes, {
    redisOptions,
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: retryStrategy,
  }) as unknown as Redis
}

/** Waits until Redis is there or is known to be away, so that the first requests are counted where the next ones are. */
async function settled(redis: Redis): Promise<void> {
  await new Promise<void>(resolve => {
    redis.once('ready', () => resolve())
    redis.once('error', () => resolve())
    redis.once('close', () => resolve())
    setTimeout(resolve, connectTimeout).unref()
  })
}
