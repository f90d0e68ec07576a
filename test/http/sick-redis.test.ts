import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../scripts/local/redis.ts'
import { issueKey, startStore, type TestStore } from '../support/store.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** Longest that a server may need to be back at Redis, and a test at all, in ms: without a retry it never is. */
const backWithin = 10_000
const timeout = 60_000
/** Connections that a server may open while it retries: the first ones soon, then one a second. */
const fewConnections = (ms: number) => 6 + ms / 1_000

let redis: RedisServer
let operator: Redis
let proxy: TcpProxy
let store: TestStore
let lines: string[]

beforeEach(async () => {
  if (!hasRedis) return
  lines = []
  redis = await startRedis()
  operator = new Redis(redis.url)
  proxy = await startTcpProxy(new URL(redis.url))
  store = await startStore({
    redisUrl: `redis://127.0.0.1:${proxy.port}`,
    logger: { level: 'info', stream: { write: line => void lines.push(line) } },
  })
})
afterEach(async () => {
  if (!hasRedis) return
  await store.close()
  operator.disconnect()
  await proxy.stop()
  await redis.kill()
})

const get = (key: string) => store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
const status = async () => (await store.call('getHealth')).body.status
const told = (text: string) => lines.filter(line => line.includes(text)).length
/** How many lines tell that Redis is away, and that it is back. */
const outages = () => [told('Redis is away'), told('Redis is there')]
const countedInRedis = async () => {
  const names = (await operator.keys('*:minute')).filter(name => name.includes('key:'))
  const counts = await Promise.all(names.map(name => operator.get(name)))
  return counts.reduce((sum, count) => sum + Number(count), 0)
}
const connections = async () =>
  Number(/total_connections_received:(\d+)/.exec(await operator.info('stats'))?.[1])

describe.runIf(hasRedis)('a Redis that is asked and refuses to count', { timeout }, () => {
  test.each([
    {
      why: 'its memory is full',
      async fallIll() {
        await operator.config('SET', 'maxmemory-policy', 'noeviction')
        await operator.config('SET', 'maxmemory', '1')
      },
      heal: () => operator.config('SET', 'maxmemory', '0'),
    },
    {
      why: 'it has become a replica',
      fallIll: () => operator.replicaof('127.0.0.1', 1),
      heal: () => operator.replicaof('NO', 'ONE'),
    },
  ])('as $why is left alone until it counts again, which the log tells once', async ({ fallIll, heal }) => {
    const key = await issueKey(store.db)
    expect((await get(key)).headers['x-ratelimit-remaining']).toBe('59')
    await fallIll()
    const opened = await connections()
    const begun = performance.now()
    const statuses: number[] = []
    const states = new Set<unknown>()
    for (let i = 0; i < 70; i++) {
      statuses.push((await get(key)).statusCode)
      states.add(await status())
    }
    // Each server begins anew.
    expect(statuses).toEqual([...Array(60).fill(200), ...Array(10).fill(429)])
    expect([...states]).toEqual(['degraded'])
    await expect.poll(connections, { timeout: backWithin }).toBeGreaterThan(opened + 3) // it is tried
    expect(await connections()).toBeLessThan(opened + fewConnections(performance.now() - begun))
    expect(outages()).toEqual([1, 0])
    await heal()
    await expect.poll(status, { timeout: backWithin }).toBe('ok')
    expect((await get(key)).headers['x-ratelimit-remaining']).toBe('58')
    expect(outages()).toEqual([1, 1])
  })
})

describe.runIf(hasRedis)('a connection to Redis with one reply too many', { timeout }, () => {
  test.each([
    ['now', '+OK\r\n'],
    ['before the next reply', '+OK\r\n'],
    ['before the next reply', '$-1\r\n'],
    ['before the next reply', '*1\r\n:1\r\n'],
    ['before the next reply', '-ERR surplus\r\n'],
  ] as const)('(%s: %j) is replaced, and calls are counted in Redis again', async (when, reply) => {
    const key = await issueKey(store.db)
    await get(key)
    const before = await countedInRedis()
    proxy.send(reply, when)
    const replies = await Promise.all(Array.from({ length: 5 }, () => get(key)))
    for (const { statusCode, headers } of replies) {
      expect(statusCode).toBe(200)
      expect(headers['x-ratelimit-remaining']).toMatch(/^5\d$/)
    }
    await expect
      .poll(async () => (await get(key)) && (await countedInRedis()), { timeout: backWithin, interval: 200 })
      .toBeGreaterThan(before + 5)
    expect(await status()).toBe('ok')
    expect(outages()).toEqual([1, 1])
  })
})
