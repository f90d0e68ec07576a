import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { within } from '../runtime/within.ts'
import { type RedisPlace, readRedisPlace } from './redis-place.ts'

/** How often a command asks for its key's node, and the pauses between, in ms. A call waits for its count. */
const soon = { maxRedirections: 3, retryDelayOnFailover: 50, retryDelayOnClusterDown: 50 }
/** Longest waits for a connection to Redis, and for its answer, in ms. Then calls are counted in memory. */
const patience = { connectTimeout: 2_000, commandTimeout: 500 }
/** Longest wait for what a Sentinel says, in ms, before another one is asked. */
const sentinelCommandTimeout = 1_000
const retryStrategy = (attempt: number) => Math.min(attempt * 100, 1_000)

/**
 * Connects to the Redis of a setting, and waits until it is ready or away, so that all requests are counted in one place. A
 * command that can't be sent at once fails without waiting.
 * @param waits the longest waits for it, in ms
 * @returns the client, and why Redis is away, if known
 */
export async function connectRedis(
  text: string,
  waits = patience,
): Promise<{ redis: Redis; fault: Error | undefined }> {
  const place = readRedisPlace(text)
  const redis = await connect(place, waits)
  const fault = await settled(redis, waits)
  if (place.kind !== 'single' || fault || !(await isOfCluster(redis))) return { redis, fault }
  // One address of a Cluster is enough to find the others.
  redis.disconnect()
  const cluster = await connect({ ...place, kind: 'cluster' }, waits)
  return { redis: cluster, fault: await settled(cluster, waits) }
}

async function connect(
  { kind, nodes, socket, master, authority, hasTls, ...place }: RedisPlace,
  waits: typeof patience,
): Promise<Redis> {
  const { Cluster, Redis: Client } = await import('ioredis')
  const { username, password, db, sentinelUsername, sentinelPassword } = place
  const tls = hasTls ? { tls: { ca: authority === undefined ? undefined : readAuthority(authority) } } : {}
  const pipelining = {
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: ['countCalls'], // the limits' store sends all of a turn at once
  }
  const redisOptions = { ...waits, maxRetriesPerRequest: 0, username, password, ...tls }
  const waiting = { ...pipelining, enableOfflineQueue: false }
  if (kind === 'cluster')
    // A Cluster has the commands and events of a Redis. The rate limiter uses nothing else.
    return new Cluster(nodes, {
      redisOptions,
      ...waiting,
      clusterRetryStrategy: retryStrategy,
      ...soon,
    }) as unknown as Redis
  const options = { ...redisOptions, ...waiting, db, retryStrategy }
  if (socket !== undefined) return new Client({ ...options, path: socket })
  if (kind === 'single') return new Client({ ...options, ...nodes[0] })
  return new Client({
    ...options,
    sentinels: nodes,
    name: master,
    sentinelUsername,
    sentinelPassword,
    enableTLSForSentinelMode: hasTls,
    sentinelTLS: tls.tls,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout,
    failoverDetector: true,
  })
}

/** @param file the authority that must have signed Redis' certificates, as `sslrootcert` in PostgreSQL's URLs */
function readAuthority(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { message } = error as Error // readFileSync throws Errors
    throw new Error(`The file ${file}, sslrootcert in REDIS_URL, can't be read: ${message}`, { cause: error })
  }
}

async function isOfCluster(redis: Redis): Promise<boolean> {
  try {
    return /^cluster_enabled:1\b/m.test(await redis.info('cluster'))
  } catch {
    return false // whoever may not ask that names the Cluster by redis+cluster://
  }
}

/** Waits until Redis is ready or away. @returns why it is away */
async function settled(redis: Redis, { connectTimeout }: typeof patience): Promise<Error | undefined> {
  const outcome = Promise.race([once(redis, 'ready'), once(redis, 'close')]) // rejects at an error
  const fault = outcome.then(() => undefined).catch((error: Error) => error)
  return within(connectTimeout, fault, undefined)
}
