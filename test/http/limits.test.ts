import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../../scripts/local/redis.ts'
import { mintKey } from '../../src/keys/api-key.ts'
import { databaseKind, freshDatabase, type TestDatabase } from '../support/database.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { listenForBytes, type SendRaw } from '../support/socket.ts'
import { issueKey, startOn, startStore, type TestStore } from '../support/store.ts'

const stores = [
  { name: 'memory', run: true },
  { name: 'Redis', run: hasRedis },
]

const limit = (response: LightMyRequestResponse) => ({
  limit: Number(response.headers['x-ratelimit-limit']),
  remaining: Number(response.headers['x-ratelimit-remaining']),
  reset: Number(response.headers['x-ratelimit-reset']),
})
const quotas = (minute: number, day: number) => ({ plan: 'Enterprise' as const, quotas: { minute, day } })

describe.each(stores)('limits counted in $name', ({ name, run }) => {
  let redis: RedisServer | undefined
  let store: TestStore
  const get = (key: string, url = '/pets') => store.app.inject({ url, headers: { 'x-api-key': key } })

  beforeAll(async () => {
    if (!run) return
    if (name === 'Redis') redis = await startRedis()
    store = await startStore({ redisUrl: redis?.url })
  })
  afterAll(async () => {
    await store?.close()
    await redis?.kill()
  })

  test.runIf(run)(
    'a Free key has 60 requests a minute: 59…0 without a gap over 20 connections, then 429',
    async () => {
      const key = await issueKey(store.db)
      const lanes = Array.from({ length: 20 }, async () => [await get(key), await get(key), await get(key)])
      const replies = (await Promise.all(lanes)).flat()
      expect(replies.map(reply => reply.statusCode)).toEqual(Array(60).fill(200))
      const remaining = replies.map(reply => limit(reply).remaining).sort((a, b) => b - a)
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i))
      expect(new Set(replies.map(reply => limit(reply).reset)).size).toBe(1)
      expect(new Set(replies.map(reply => limit(reply).limit))).toEqual(new Set([60]))

      const refused = await get(key)
      expect(refused.json()).toMatchObject({ status: 429, code: 'rate_limited' })
      const wait = Number(refused.headers['retry-after'])
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(60)
      expect(limit(refused)).toMatchObject({ limit: 60, remaining: 0 })
      expect(Math.abs(limit(refused).reset - Date.now() / 1000 - wait)).toBeLessThan(1.5)
    },
  )

  test.runIf(run)(
    'the window that stops the caller first is shown; both stand in the RateLimit fields',
    async () => {
      const key = await issueKey(store.db, quotas(10, 3))
      const reply = await get(key)
      expect(limit(reply)).toMatchObject({ limit: 3, remaining: 2 })
      expect(reply.headers['ratelimit-policy']).toBe('"minute";q=10;w=60,"day";q=3;w=86400')
      expect(reply.headers.ratelimit).toMatch(/^"minute";r=9;t=(60|59|58),"day";r=2;t=\d{5}$/)
      await get(key)
      await get(key)
      const refused = await get(key)
      expect(refused.statusCode).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000)
    },
  )

  test.runIf(run)('equal numbers: the later reset is shown', async () => {
    const reply = await get(await issueKey(store.db, quotas(5, 5)))
    expect(limit(reply).reset).toBeGreaterThan(Date.now() / 1000 + 3600)
  })

  test.runIf(run)('a call that the minute refuses costs nothing of the day', async () => {
    const key = await issueKey(store.db, quotas(2, 100))
    for (let i = 0; i < 6; i++) await get(key)
    const usage = (await get(key, '/usage')).json()
    expect(usage.windows).toMatchObject([
      { name: 'minute', limit: 2, remaining: 0 },
      { name: 'day', limit: 100, remaining: 98 },
    ])
  })

  test.runIf(run)('usage, health, docs and the document show the state and cost nothing', async () => {
    const key = await issueKey(store.db, quotas(5, 100))
    await get(key)
    for (const url of ['/usage', '/health', '/docs/', '/openapi.json', '/openapi.yaml', '/']) {
      const reply = await get(key, url)
      expect(reply.statusCode, url).toBeLessThan(400)
      expect(limit(reply), url).toMatchObject({ limit: 5, remaining: 4 })
    }
  })

  test.runIf(run)(
    '20 refusals in a minute ban the key for 15 minutes; further calls do not extend it',
    async () => {
      const key = await issueKey(store.db, quotas(1, 1000))
      await get(key)
      for (let i = 0; i < 20; i++) expect((await get(key)).statusCode).toBe(429)
      const first = await get(key)
      expect(first.json()).toMatchObject({ status: 403, code: 'api_key_banned' })
      expect(Number(first.headers['retry-after'])).toBeGreaterThan(890)
      expect(limit(first)).toMatchObject({ limit: 1, remaining: 0 })
      const until = (await get(key, '/usage')).json().bannedUntil
      expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(900_000)
      for (let i = 0; i < 30; i++) await get(key)
      expect((await get(key, '/usage')).json().bannedUntil).toBe(until)
    },
  )

  test.runIf(run)('lifting a ban takes effect at once, and lasts', async () => {
    const made = await store.call('createApiKey', {
      body: { name: 'Hasty', plan: 'Enterprise', quotas: { minute: 1, day: 9 }, scopes: ['read'] },
    })
    const { id: keyId, secret } = made.body
    for (let i = 0; i < 21; i++) await get(secret)
    expect((await get(secret)).statusCode).toBe(403)
    const lifted = await store.call('updateApiKey', { path: { keyId }, body: { bannedUntil: null } })
    expect(lifted.body).not.toHaveProperty('bannedUntil')
    expect((await get(secret)).statusCode).toBe(429)
    expect((await get(secret)).statusCode).toBe(429)
  })

  test.runIf(run)(
    'strangers share the Free allowance of their address, and are banned without their neighbours',
    async () => {
      const from = (remoteAddress: string, headers = {}) =>
        store.app.inject({ url: '/pets', remoteAddress, headers })
      const key = await issueKey(store.db, { plan: 'Pro' })
      for (let i = 0; i < 60; i++) {
        const headers = i % 2 ? { 'x-api-key': `pet_live_${i}` } : {}
        const reply = await from(`2001:db8:0:${name === 'Redis' ? 1 : 2}::${i + 1}`, headers)
        expect(reply.statusCode).toBe(401)
        expect(limit(reply).remaining).toBe(59 - i)
      }
      const network = `2001:db8:0:${name === 'Redis' ? 1 : 2}::ffff`
      for (let i = 0; i < 20; i++) expect((await from(network)).statusCode).toBe(429)
      expect((await from(network)).json()).toMatchObject({ status: 403, code: 'address_banned' })
      expect((await from(network, { 'x-api-key': key })).statusCode).toBe(200)
      expect((await from('2001:db8:0:9::1')).statusCode).toBe(401)
    },
  )

  test.runIf(run)('a forged X-Forwarded-For does not help', async () => {
    const from = (forwarded: string) =>
      store.app.inject({
        url: '/pets',
        remoteAddress: '198.51.100.7',
        headers: { 'x-forwarded-for': forwarded },
      })
    const first = await from('203.0.113.1')
    const second = await from('203.0.113.2')
    expect(limit(second).remaining).toBe(limit(first).remaining - 1)
  })
})

test('Retry-After leads to a 200 once waited for, and not a second earlier', async () => {
  let time = Date.parse('2026-11-21T12:00:00.400Z')
  const store = await startStore({ now: () => new Date(time) })
  const key = await issueKey(store.db)
  const get = () => store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
  for (let i = 0; i < 60; i++) {
    expect(limit(await get()).reset).toBe(Date.parse('2026-11-21T12:01:00Z') / 1000)
    time += 137
  }
  const wait = Number((await get()).headers['retry-after'])
  time += (wait - 1) * 1000
  expect((await get()).statusCode).toBe(429)
  time += 1000
  expect((await get()).statusCode).toBe(200)
  await store.close()
})

test('with TRUST_PROXY the forwarded address is the one that counts', async () => {
  const store = await startStore({ trustProxy: 1 })
  const from = (forwarded: string) =>
    store.app.inject({ url: '/pets', headers: { 'x-forwarded-for': forwarded } })
  expect(limit(await from('203.0.113.1')).remaining).toBe(59)
  expect(limit(await from('203.0.113.2')).remaining).toBe(59)
  expect(limit(await from('203.0.113.2')).remaining).toBe(58)
  await store.close()
})

test.each([
  ['an address is one caller, whatever its port', '203.0.113.1:4711', '203.0.113.1'],
  ['an IPv6 address is one caller, whatever its port', '[2001:db8::1]:4711', '2001:db8::1'],
  ['what stands before an address does not count', '<script>, 203.0.113.1', '203.0.113.1'],
  ['what is no address is not taken for a caller', '203.0.113.1, \u009b2J', '127.0.0.1'],
  ['a name is not taken for a caller', 'unknown', '127.0.0.1'],
  ['a longer text is not taken for a caller', 'a'.repeat(10_000), '127.0.0.1'],
])('in a trusted X-Forwarded-For %s', async (_, forwarded, address) => {
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => lines.push(line) } }
  const store = await startStore({ trustProxy: 1, logger })
  const from = (headers: Record<string, string>) => store.app.inject({ url: '/pets', headers })
  const first = await from({ 'x-forwarded-for': forwarded })
  const second = await from({ 'x-forwarded-for': address })
  expect([limit(first).remaining, limit(second).remaining]).toEqual([59, 58])
  expect(lines.map(line => JSON.parse(line).ip)).toEqual([address, address])
  await store.close()
})

describe('every response carries the three headers:', () => {
  let store: TestStore
  let send: SendRaw
  beforeAll(async () => {
    store = await startStore()
    send = await listenForBytes(store.app)
  })
  afterAll(() => store.close())

  const withKey =
    (first: string, rest = '') =>
    () =>
      `${first} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${store.key}\r\n${rest}\r\n`
  const json = (body: string, type = 'application/json') =>
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test.each([
    ['200', 200, withKey('GET /pets')],
    ['201', 201, () => withKey('POST /categories')().slice(0, -2) + json('{"name":"x"}')],
    ['204', 204, withKey('DELETE /categories/1')],
    ['400 by validation', 400, withKey('GET /pets?limit=0')],
    ['400 by the router', 400, withKey('GET /pets/%ff')],
    ['400 by the parser', 400, () => 'NONSENSE\r\n\r\n'],
    [
      '400 without Host',
      400,
      () => `GET /pets HTTP/1.1\r\nConnection: close\r\nX-API-Key: ${store.key}\r\n\r\n`,
    ],
    ['401', 401, () => 'GET /pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['404 for an unknown path', 404, withKey('GET /nowhere')],
    ['404 for a missing record', 404, withKey('GET /pets/99')],
    ['405', 405, withKey('DELETE /pets')],
    ['413', 413, () => withKey('POST /categories')().slice(0, -2) + json(' '.repeat(1_048_577))],
    ['414', 414, withKey(`GET /pets?name=${'a'.repeat(9000)}`)],
    ['415', 415, () => withKey('POST /categories')().slice(0, -2) + json('x', 'text/plain')],
    ['431', 431, withKey('GET /pets', `X-Long: ${'a'.repeat(20_000)}\r\n`)],
    ['304', 304, withKey('GET /pets', 'If-None-Match: *\r\n')],
    ['HEAD', 200, withKey('HEAD /pets')],
    ['OPTIONS', 204, withKey('OPTIONS /pets')],
    ['OPTIONS for an unknown path', 404, withKey('OPTIONS /nowhere')],
    ['a docs page', 200, withKey('GET /docs/')],
    ['a docs asset', 200, withKey('GET /docs/static/swagger-ui.css')],
    ['a missing docs asset', 404, withKey('GET /docs/static/none.js')],
    ['a redirect', 302, withKey('GET /')],
  ])('%s', async (_, status, request) => {
    const head = (await send(request())).split('\r\n\r\n')[0]?.toLowerCase() ?? ''
    expect(head).toMatch(new RegExp(`^http/1.1 ${status} `))
    for (const name of [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit-policy',
      'ratelimit',
    ])
      expect(head).toMatch(new RegExp(`\r\n${name}: .+`))
    expect(head).toMatch(/\r\nx-request-id: .+/)
  })

  test('503, when the key can’t be looked up', async () => {
    const other = await startStore()
    const key = await issueKey(other.db)
    await other.cut()
    const reply = await other.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
    expect(reply.statusCode).toBe(503)
    expect(limit(reply)).toMatchObject({ limit: 60, remaining: 60 })
    await other.close()
  })
})

describe('a restart', () => {
  test('gives back neither the quota of the day nor the freedom of the banned', async () => {
    const database: TestDatabase = await freshDatabase()
    const first = await startOn(database.db)
    const key = await issueKey(database.db, quotas(1, 50))
    const get = (store: typeof first, headers = {}) =>
      store.app.inject({ url: '/pets', remoteAddress: '203.0.113.9', headers })
    for (let i = 0; i < 21; i++) await get(first, { 'x-api-key': key })
    for (let i = 0; i < 81; i++) await get(first)
    await first.close()

    const second = await startOn(database.db)
    expect((await get(second, { 'x-api-key': key })).json()).toMatchObject({ code: 'api_key_banned' })
    expect((await get(second)).json()).toMatchObject({ code: 'address_banned' })
    const usage = await second.app.inject({ url: '/usage', headers: { 'x-api-key': key } })
    expect(usage.json().windows[1]).toMatchObject({ name: 'day', remaining: 49 })
    await second.close()
    await database.close()
  })
})

// One database is enough here, and several processes need PostgreSQL.
if (databaseKind === 'postgres')
  describe.runIf(hasRedis)('three servers on one Redis and one PostgreSQL', () => {
    test('let exactly 60 of 100 concurrent requests of a Free key through', async () => {
      const redis = await startRedis()
      const database = await freshDatabase()
      const servers = await Promise.all([1, 2, 3].map(() => startOn(database.db, { redisUrl: redis.url })))
      const key = await issueKey(database.db)
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          servers[i % 3]?.app.inject({ url: '/pets', headers: { 'x-api-key': key } }),
        ),
      )
      const statuses = Map.groupBy(replies, reply => reply?.statusCode)
      expect(statuses.get(200)).toHaveLength(60)
      expect(new Set(replies.map(reply => reply?.headers['x-ratelimit-reset'])).size).toBeLessThanOrEqual(2)
      for (const server of servers) await server.close()
      await database.close()
      await redis.kill()
    })
  })

describe.runIf(hasRedis)('a Redis Cluster', () => {
  test('counts as a single Redis does, the calls of many callers at once', async () => {
    const cluster = await startRedisCluster({ masters: 2, replicas: false })
    onTestFinished(cluster.close)
    const store = await startStore({ redisUrl: cluster.urls })
    const keys = await Promise.all(Array.from({ length: 10 }, () => issueKey(store.db, quotas(3, 10))))
    const callAll = () =>
      Promise.all(
        keys.map(
          async key => (await store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })).statusCode,
        ),
      )
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push(new Set(await callAll()))
    expect(statuses).toEqual([200, 200, 200, 429, 429].map(status => new Set([status])))
    expect((await store.call('getHealth')).body.status).toBe('ok')
    const counters = await cluster.keys()
    expect(Math.min(...counters.map(({ length }) => length))).toBeGreaterThan(0)
    expect(counters.flat().length).toBeGreaterThanOrEqual(3 * keys.length)
    await store.close()
  })
})

describe.runIf(hasRedis)('when Redis goes away', () => {
  test('the service goes on, counts in memory, says so, and returns to Redis', async () => {
    const redis = await startRedis()
    const store = await startStore({ redisUrl: redis.url })
    const health = async () => (await store.call('getHealth')).body
    expect((await health()).status).toBe('ok')
    const key = await issueKey(store.db)
    const get = () => store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
    await get()
    await redis.kill()
    const during = await Promise.all(Array.from({ length: 70 }, get))
    expect(during.map(reply => reply.statusCode).every(status => status === 200 || status === 429)).toBe(true)
    expect(during.filter(reply => reply.statusCode === 429).length).toBeGreaterThanOrEqual(10)
    expect(await health()).toMatchObject({
      status: 'degraded',
      dependencies: [{}, { name: 'redis', status: 'degraded' }],
    })
    await redis.restart()
    await expect.poll(async () => (await health()).status).toBe('ok')
    expect(limit(await get())).toMatchObject({ remaining: 59 })
    await store.close()
    await redis.kill()
  })

  test('a server starts without it', async () => {
    const store = await startStore({ redisUrl: 'redis://127.0.0.1:1' })
    expect((await store.call('listPets')).status).toBe(200)
    expect((await store.call('getHealth')).body.status).toBe('degraded')
    await store.close()
  })
})

test('each request counts for the key that it was sent with, over whatever connection', async () => {
  const store = await startStore()
  const send = await listenForBytes(store.app)
  const keys = [await issueKey(store.db), await issueKey(store.db), mintKey()]
  const requests = [0, 0, 1, 2, 0].map(
    i => `GET /pets HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[i]}\r\n`, // an empty line is still to come
  )
  const text = await send(`${requests.join('\r\n')}Connection: close\r\n\r\n`)
  const replies = text.split('HTTP/1.1 ').slice(1)
  const told = replies.map(reply => [
    Number(reply.slice(0, 3)),
    Number(/^x-ratelimit-remaining: (\d+)/m.exec(reply)?.[1]),
  ])
  expect(told).toEqual([
    [200, 59],
    [200, 58],
    [200, 59],
    [401, 59],
    [200, 57],
  ])
  await store.close()
})
