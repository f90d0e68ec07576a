import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { rateLimits } from 'spec-served-lab/support/petstore'
import { has } from 'spec-served-lab/support/programs'
import { startRedisCluster } from 'spec-served-lab/support/redis-cluster'
import { startSentinel } from 'spec-served-lab/support/redis-sentinel'
import { issueKey, type Server, startOn, startStore } from 'spec-served-lab/support/store'
import { startTcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../testing/temporary.ts'

const { minute: free } = rateLimits.plans.Free

const quotas = (minute: number, day: number) => ({ plan: 'Enterprise' as const, quotas: { minute, day } })
const get = ({ app }: Pick<Server, 'app'>, key: string, url = '/pets') =>
  app.inject({ url, headers: { 'x-api-key': key } })
const remaining = async (store: Server, key: string) =>
  Number((await get(store, key)).headers['x-ratelimit-remaining'])

/** @param onFinished the `onTestFinished` of the test, where several run at once */
async function withRedis(onFinished = onTestFinished) {
  const redis = await startRedis()
  onFinished(redis.kill)
  const operator = new Redis(redis.url)
  operator.on('error', () => {}) // while it is away
  onFinished(() => operator.disconnect())
  return { redis, operator }
}

describe.runIf(has('redis-server'))('with Redis', () => {
  test('a Redis Cluster counts the calls of many callers at once as a single Redis does', async () => {
    await using cluster = await startRedisCluster({ masters: 2, replicas: false })
    await using store = await startStore({ redisUrl: cluster.urls, isPatient: true })
    const keys = await Promise.all(Array.from({ length: 10 }, () => issueKey(store.db, quotas(3, 10))))
    const statuses = []
    for (let i = 0; i < 5; i++) {
      const replies = await Promise.all(keys.map(key => get(store, key)))
      statuses.push(new Set(replies.map(({ statusCode }) => statusCode)))
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429].map(status => new Set([status])))
    expect((await store.call('getHealth')).body.status).toBe('ok')
    const counters = await cluster.keys()
    expect(Math.min(...counters.map(({ length }) => length))).toBeGreaterThan(0)
    expect(counters.flat().length).toBeGreaterThanOrEqual(3 * keys.length)
    for (const counter of counters.flat()) expect(counter).toMatch(/^petstore:\{(key|address):[^{}]+\}:/)
  })

  test('one address of a Cluster leads to all of its nodes', async () => {
    await using cluster = await startRedisCluster({ masters: 2, replicas: false })
    const [first = ''] = cluster.urls.split(',')
    await using store = await startStore({ redisUrl: first, isPatient: true })
    await using other = await startOn(store.db, {
      redisUrl: first.replace('redis:', 'valkey+cluster:'),
      isPatient: true,
    })
    const keys = await Promise.all(Array.from({ length: 10 }, () => issueKey(store.db)))
    for (const key of keys)
      expect([await remaining(store, key), await remaining(other, key)]).toEqual([free - 1, free - 2])
    for (const { call } of [store, other]) expect((await call('getHealth')).body.status).toBe('ok')
    const counters = await cluster.keys()
    expect(Math.min(...counters.map(({ length }) => length))).toBeGreaterThan(0)
  })

  test('Redis at a Unix socket counts the calls of all servers', async () => {
    const directory = temporaryDirectory()
    onTestFinished(() => rm(directory, { recursive: true }))
    const redis = await startRedis('--unixsocket', `${directory}/redis.sock`, '--requirepass', 'p@ss')
    onTestFinished(redis.kill)
    const redisUrl = `redis+unix://:p%40ss@${directory}/redis.sock?db=2`
    await using store = await startStore({ redisUrl, isPatient: true })
    await using other = await startOn(store.db, { redisUrl, isPatient: true })
    const key = await issueKey(store.db)
    expect([await remaining(store, key), await remaining(other, key)]).toEqual([free - 1, free - 2])
  })

  test('Sentinels lead to the Redis that they know, and to the one that takes its place', async () => {
    await using site = await startSentinel()
    await using store = await startStore({ redisUrl: `redis+sentinel://127.0.0.1:${site.port}/petstore/1` })
    const state = async () => (await store.call('getHealth')).body.status
    const key = await issueKey(store.db)
    expect([await state(), await remaining(store, key)]).toEqual(['ok', free - 1])
    await site.master.kill()
    await expect.poll(state).toBe('degraded')
    await site.failOver()
    await expect.poll(state).toBe('ok')
    expect(await remaining(store, key)).toBeLessThan(free)
    const taken = new Redis(site.replica.url, { db: 1 })
    onTestFinished(() => taken.disconnect())
    expect((await taken.keys(`petstore:*`)).length).toBeGreaterThan(0)
  })

  test('the word of a failover that comes while a Sentinel is asked is no end', async () => {
    await using site = await startSentinel()
    let listening: number | undefined
    let isAway = false
    let isMet = false
    const message = [
      'message',
      '+switch-master',
      `petstore 127.0.0.1 ${site.master.port} 127.0.0.1 ${site.replica.port}`,
    ]
    const switched = `*3\r\n${message.map(part => `$${part.length}\r\n${part}\r\n`).join('')}`
    const proxy = await startTcpProxy(
      new URL(`redis://127.0.0.1:${site.port}`),
      ...[undefined, undefined],
      (from, bytes, connection) => {
        const text = bytes.toString()
        if (from === 'server') return
        if (text.includes('subscribe')) listening = connection
        if (isAway && !isMet && text.includes('get-master-addr-by-name')) {
          isMet = true
          proxy.send(switched, 'now', listening)
        }
      },
    )
    onTestFinished(proxy.stop)
    await using store = await startStore({ redisUrl: `redis+sentinel://127.0.0.1:${proxy.port}/petstore` })
    const state = async () => (await store.call('getHealth')).body.status
    await expect.poll(() => listening).toBeDefined()
    isAway = true
    await site.master.kill()
    await expect.poll(() => isMet).toBe(true)
    await site.failOver()
    await expect.poll(state).toBe('ok')
  })

  test('a Sentinel that says nothing is left for the next one', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo // it listens on a port
    await using site = await startSentinel()
    const redisUrl = `redis+sentinel://127.0.0.1:${port},127.0.0.1:${site.port}/petstore`
    await using store = await startStore({ redisUrl })
    await expect.poll(async () => (await store.call('getHealth')).body.status).toBe('ok')
  })

  test('the service goes on without Redis, counts in memory, says so, and returns to Redis', async () => {
    const { redis } = await withRedis()
    await using store = await startStore({ redisUrl: redis.url })
    const health = async () => (await store.call('getHealth')).body
    expect((await health()).status).toBe('ok')
    const key = await issueKey(store.db)
    await get(store, key)
    await redis.kill()
    const during = await Promise.all(Array.from({ length: free + 10 }, () => get(store, key)))
    const counts = Object.groupBy(during, ({ statusCode }) => statusCode)
    expect(Object.keys(counts)).toEqual(['200', '429'])
    expect(counts[429]?.length).toBeGreaterThanOrEqual(10)
    expect(await health()).toMatchObject({
      status: 'degraded',
      dependencies: [{}, { name: 'redis', status: 'degraded' }],
    })
    await redis.restart()
    await expect.poll(async () => (await health()).status).toBe('ok')
    expect(await remaining(store, key)).toBe(free - 1)
  })

  test('a server starts before its Redis does', async () => {
    await using store = await startStore({ redisUrl: 'redis://127.0.0.1:1' })
    expect((await store.call('listPets')).status).toBe(200)
    expect((await store.call('getHealth')).body.status).toBe('degraded')
  })

  test('calls are counted on after an operator has flushed the scripts of Redis', async () => {
    const { redis, operator } = await withRedis()
    await using store = await startStore({ redisUrl: redis.url })
    const key = await issueKey(store.db)
    const left = async () => free - (await remaining(store, key))
    expect(await Promise.all([left(), left()])).toEqual([1, 2])
    await operator.script('FLUSH')
    expect((await Promise.all([left(), left()])).toSorted()).toEqual([3, 4])
    expect((await store.call('getHealth')).body.status).toBe('ok')
  })

  test('calls at once reach Redis by few commands', async () => {
    const { redis, operator } = await withRedis()
    await using store = await startStore({ redisUrl: redis.url })
    const keys = await Promise.all(Array.from({ length: 10 }, () => issueKey(store.db)))
    const commands = async () => {
      const stats = await operator.info('commandstats')
      return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      )
    }
    const callAll = () =>
      Promise.all(keys.flatMap(key => [get(store, key), get(store, key), get(store, key)]))
    await callAll()
    const before = await commands()
    for (const { statusCode } of await callAll()) expect(statusCode).toBe(200)
    expect((await commands()) - before).toBeLessThan(10)
  })
})

/** Connections that a server may open while it retries: the first ones soon, then one a second. */
const fewConnections = (ms: number) => 6 + ms / 1_000

/** A store whose Redis an operator makes sick, over a proxy. */
async function startSick(onFinished: typeof onTestFinished) {
  const { redis, operator } = await withRedis(onFinished)
  const proxy = await startTcpProxy(new URL(redis.url))
  onFinished(proxy.stop)
  const lines: string[] = []
  const store = await startStore({
    redisUrl: `redis://127.0.0.1:${proxy.port}`,
    logger: { level: 'info', stream: { write: line => void lines.push(line) } },
  })
  onFinished(store.close)
  const countOf = (text: string) => lines.filter(line => line.includes(text)).length
  return {
    store,
    operator,
    proxy,
    key: await issueKey(store.db),
    status: async () => (await store.call('getHealth')).body.status,
    /** How many lines tell that Redis is away, and that it is back. */
    outages: () => [countOf('Redis is away'), countOf('Redis is there')],
  }
}

// These wait until the service connects again, and do so side by side.
describe.runIf(has('redis-server'))(
  'a Redis that is asked and refuses to count',
  { concurrent: true },
  () => {
    test.for<[string, (operator: Redis) => Promise<unknown>, (operator: Redis) => Promise<unknown>]>([
      [
        'its memory is full',
        operator =>
          operator
            .config('SET', 'maxmemory-policy', 'noeviction')
            .then(() => operator.config('SET', 'maxmemory', '1')),
        operator => operator.config('SET', 'maxmemory', '0'),
      ],
      [
        'it has become a replica',
        operator => operator.replicaof('127.0.0.1', 1),
        operator => operator.replicaof('NO', 'ONE'),
      ],
    ])('a Redis that is %s is left alone until it counts again', async ([, fallIll, heal], context) => {
      const { expect: expects, onTestFinished: onFinished } = context
      const { store, operator, key, status, outages } = await startSick(onFinished)
      const connections = async () =>
        Number(/total_connections_received:(\d+)/.exec(await operator.info('stats'))?.[1])
      expects(await remaining(store, key)).toBe(free - 1)
      await fallIll(operator)
      const opened = await connections()
      const begun = performance.now()
      const statuses: number[] = []
      const states = new Set<unknown>()
      for (let i = 0; i < free + 10; i++) {
        statuses.push((await get(store, key)).statusCode)
        states.add(await status())
      }
      // Each server begins again.
      expects(statuses).toEqual([...Array(free).fill(200), ...Array(10).fill(429)])
      expects([...states]).toEqual(['degraded'])
      await expects.poll(connections).toBeGreaterThan(opened + 3) // it is tried
      expects(await connections()).toBeLessThan(opened + fewConnections(performance.now() - begun))
      expects(outages()).toEqual([1, 0])
      await heal(operator)
      await expects.poll(status).toBe('ok')
      expects(await remaining(store, key)).toBe(free - 2)
      expects(outages()).toEqual([1, 1])
    })
  },
)

test.runIf(has('redis-server')).for([
  ['now', '+OK\r\n'],
  ['before the next reply', '$-1\r\n'],
  ['before the next reply', '*1\r\n:1\r\n'],
  ['before the next reply', '-ERR surplus\r\n'],
] as const)(
  'a connection to Redis with a reply too many (%s: %j) is replaced, and calls are counted there again',
  { concurrent: true },
  async ([when, reply], { expect: expects, onTestFinished: onFinished }) => {
    const { store, operator, proxy, key, status, outages } = await startSick(onFinished)
    const counted = async () => {
      const names = (await operator.keys('*:minute')).filter(name => name.includes('key:'))
      const counts = await Promise.all(names.map(name => operator.get(name)))
      return counts.reduce((sum, count) => sum + Number(count), 0)
    }
    await get(store, key)
    const before = await counted()
    proxy.send(reply, when)
    const replies = await Promise.all(Array.from({ length: 5 }, () => get(store, key)))
    for (const { statusCode, headers } of replies) {
      expects(statusCode).toBe(200)
      expects(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(free - 10)
    }
    await expects
      .poll(async () => (await get(store, key)) && (await counted()), { interval: 200 })
      .toBeGreaterThan(before + 5)
    expects(await status()).toBe('ok')
    expects(outages()).toEqual([1, 1])
  },
)
