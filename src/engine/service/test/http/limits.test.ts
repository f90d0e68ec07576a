import type { LightMyRequestResponse } from 'fastify'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { freshDatabase } from 'spec-served-lab/support/database'
import { renewed, shared } from 'spec-served-lab/support/fixtures'
import { mintKey } from 'spec-served-lab/support/keys'
import { openMachine } from 'spec-served-lab/support/machine'
import { rateLimits } from 'spec-served-lab/support/petstore'
import { has } from 'spec-served-lab/support/programs'
import { requestText } from 'spec-served-lab/support/raw'
import { issueKey, type Server, type StoreOptions, startOn, startStore } from 'spec-served-lab/support/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mostFree } from '../../limits/free-requests.ts'

// Windows, bans and what each request costs, by the document, in memory: src/engine/tools/check/probes/{limits,costs,bans}.ts.
const free = rateLimits.plans.Free.minute
const { refusals, seconds: banSeconds } = rateLimits.ban

const limit = (response: LightMyRequestResponse) => ({
  limit: Number(response.headers['x-ratelimit-limit']),
  remaining: Number(response.headers['x-ratelimit-remaining']),
  reset: Number(response.headers['x-ratelimit-reset']),
})
const quotas = (minute: number, day: number) => ({ plan: 'Enterprise' as const, quotas: { minute, day } })
const get = ({ app }: Pick<Server, 'app'>, key: string, url = '/pets') =>
  app.inject({ url, headers: { 'x-api-key': key } })

const redisIfThere = has('redis-server') ? ['Redis'] : []
/** Returns what leads a server to counters that are new for each test. */
function renewedPlace(name: string): () => StoreOptions {
  const redis = name === 'Redis' ? renewed(() => startRedis()) : undefined
  let machine: ReturnType<typeof openMachine> | undefined
  beforeEach(() => {
    machine = redis ? undefined : openMachine()
  })
  afterEach(() => machine?.close())
  return () => ({ redisUrl: redis?.url, isPatient: true, workers: machine?.join() })
}

describe.each(['memory', 'the memory of a machine', ...redisIfThere])('limits counted in %s', name => {
  const redis = name === 'Redis' ? shared(() => startRedis()) : undefined
  const workers = name === 'the memory of a machine' ? openMachine().join() : undefined
  const store = shared(() => startStore({ redisUrl: redis?.url, isPatient: true, workers }))

  test('refusals ban the key; further calls do not extend that; lifting takes effect at once, and lasts', async () => {
    const body = { name: 'Hasty', ...quotas(1, 1_000), scopes: ['read'] }
    const { id: keyId, secret } = (await store.call('createApiKey', { body })).body
    const { ratelimit } = (await get(store, secret)).headers
    expect(ratelimit).toMatch(/^"minute";r=0;t=(60|5\d),"day";r=999;t=86[34]\d\d$/)
    for (let i = 0; i < refusals; i++) expect((await get(store, secret)).statusCode).toBe(429)
    const first = await get(store, secret)
    expect(first.json()).toMatchObject({ status: 403, code: 'api_key_banned' })
    expect(Number(first.headers['retry-after'])).toBeGreaterThan(banSeconds - 10)
    const until = (await get(store, secret, '/usage')).json().bannedUntil
    for (let i = 0; i < 30; i++) await get(store, secret)
    expect((await get(store, secret, '/usage')).json().bannedUntil).toBe(until)
    const lifted = await store.call('updateApiKey', { path: { keyId }, body: { bannedUntil: null } })
    expect(lifted.body).not.toHaveProperty('bannedUntil')
    for (let i = 0; i < 2; i++) expect((await get(store, secret)).statusCode).toBe(429)
  })

  test('unauthenticated clients share the allowance of their address, and are banned without their neighbours', async () => {
    const from = (remoteAddress: string, headers = {}) =>
      store.app.inject({ url: '/pets', remoteAddress, headers })
    const key = await issueKey(store.db, { plan: 'Pro' })
    for (let i = 0; i < free; i++) {
      const headers = i % 2 ? { 'x-api-key': `pet_live_${i}` } : {}
      const reply = await from(`2001:db8:0:1::${i + 1}`, headers)
      expect([reply.statusCode, limit(reply).remaining]).toEqual([401, free - 1 - i])
    }
    const network = '2001:db8:0:1::ffff'
    for (let i = 0; i < refusals; i++) expect((await from(network)).statusCode).toBe(429)
    expect((await from(network)).json()).toMatchObject({ status: 403, code: 'address_banned' })
    expect((await from(network, { 'x-api-key': key })).statusCode).toBe(200)
    expect((await from('2001:db8:0:9::1')).statusCode).toBe(401)
  })

  test('a forged X-Forwarded-For does not help', async () => {
    const from = async (forwarded: string) => {
      const headers = { 'x-forwarded-for': forwarded }
      return limit(await store.app.inject({ url: '/pets', remoteAddress: '198.51.100.7', headers })).remaining
    }
    expect(await from('203.0.113.1')).toBe((await from('203.0.113.2')) + 1)
  })
})

describe.each(['the memory of a machine', ...redisIfThere])('servers that count in %s', name => {
  const place = renewedPlace(name)

  test.each([
    ['minute', quotas(5, 100)],
    ['day', quotas(100, 7)],
  ] as const)(
    'calls at once over the last of a %s, at two servers, cost nothing else',
    async (window, quota) => {
      await using store = await startStore(place())
      await using beside = await startOn(store.db, place())
      const key = await issueKey(store.db, quota)
      const replies = await Promise.all(
        Array.from({ length: 15 }, () => [get(store, key), get(beside, key)]).flat(),
      )
      const served = replies.filter(({ statusCode }) => statusCode === 200)
      expect(served).toHaveLength(Math.min(...Object.values(quota.quotas)))
      const other = window === 'minute' ? 'day' : 'minute'
      expect((await get(store, key, '/usage')).headers.ratelimit).toContain(
        `"${other}";r=${quota.quotas[other] - served.length};`,
      )
    },
  )

  test('calls and looks of many callers are counted as in memory', async () => {
    await using inMemory = await startStore()
    await using elsewhere = await startStore(place())
    const random = (below: number) => Math.floor(Math.random() * below)
    for (let caller = 0; caller < 20; caller++) {
      const quota = quotas(random(8), random(8))
      const urls = Array.from({ length: 12 }, () => (random(4) ? '/categories' : '/usage'))
      const repliesOf = async (store: Server) => {
        const key = await issueKey(store.db, quota)
        const replies = []
        for (const url of urls) replies.push(await get(store, key, url))
        return replies.map(({ statusCode, headers }) => [
          statusCode,
          String(headers.ratelimit).replaceAll(/t=\d+/g, ''),
        ])
      }
      expect(await repliesOf(elsewhere), JSON.stringify({ quota, urls })).toEqual(await repliesOf(inMemory))
    }
  })
})

test('workers begin a window and end it together, and hear of a ban at once', async () => {
  let time = Math.ceil(Date.now() / 1_000) * 1_000
  const now = () => new Date(time)
  const machine = openMachine(now)
  await using first = await startStore({ now, workers: machine.join() })
  await using second = await startOn(first.db, { now, workers: machine.join() })
  const key = await issueKey(first.db, quotas(4, 9))
  const served = async () => {
    const replies = Array.from({ length: 5 }, () => [get(first, key), get(second, key)]).flat()
    return (await Promise.all(replies)).filter(({ statusCode }) => statusCode === 200).length
  }
  expect(await served()).toBe(4)
  time += 59_999
  expect(await served()).toBe(0)
  time += 1
  expect(await served()).toBe(4)
  time += 60_000
  expect(await served()).toBe(1) // of the day
  for (let i = 0; i < refusals; i++) await get(first, key)
  for (const server of [first, second])
    expect((await get(server, key)).json()).toMatchObject({ code: 'api_key_banned' })
})

test('workers store the windows of the day, and start with those that are stored', async () => {
  await using database = await freshDatabase()
  const key = await issueKey(database.db, quotas(30, 50))
  for (const left of [48, 46]) {
    const machine = openMachine()
    const workers = [machine.join(), machine.join()]
    const [first, second] = await Promise.all(
      workers.map(worker => startOn(database.db, { workers: worker })),
    )
    for (const server of [first, second]) if (server) await get(server, key)
    const usage = first && (await get(first, key, '/usage')).json()
    expect(usage.windows[1]).toMatchObject({ name: 'day', remaining: left })
    await Promise.all([first?.close(), second?.close()])
    await machine.close()
  }
})

describe('a trusted X-Forwarded-For', () => {
  let lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => lines.push(line) } }
  let time = Date.now()
  const store = shared(() => startStore({ trustProxy: 1, logger, now: () => new Date(time) }))
  beforeEach(() => {
    lines = []
    time += 86_400_000 // a new window
  })

  test.each([
    ['an address is one caller, whatever its port', '203.0.113.1:4711', '203.0.113.1'],
    ['an IPv6 address is one caller, whatever its port', '[2001:db8::1]:4711', '2001:db8::1'],
    ['what stands before an address does not count', '<script>, 203.0.113.1', '203.0.113.1'],
    ['what is no address is not taken for a caller', '203.0.113.1, \u009b2J', '127.0.0.1'],
    ['a name is not taken for a caller', 'unknown', '127.0.0.1'],
    ['a longer text is not taken for a caller', 'a'.repeat(10_000), '127.0.0.1'],
  ])('in a trusted X-Forwarded-For, %s', async (_, forwarded, address) => {
    const from = async (chain: string) =>
      limit(await store.app.inject({ url: '/pets', headers: { 'x-forwarded-for': chain } })).remaining
    expect([await from(forwarded), await from(address), await from('192.0.2.1')]).toEqual([
      free - 1,
      free - 2,
      free - 1,
    ])
    expect(lines.slice(0, 2).map(line => JSON.parse(line).ip)).toEqual([address, address])
  })
})

test('every response carries the limits and a request id, even if it is refused', async () => {
  await using store = await startStore()
  const request = (line: string, fields = {}, body = '') =>
    requestText(line, { 'X-API-Key': store.key, Connection: 'close', ...fields }, body)
  const cases: [status: number, bytes: string][] = [
    [200, request('GET /pets')],
    [304, request('GET /pets', { 'If-None-Match': '*' })],
    [204, request('OPTIONS /pets')],
    [400, request('GET /pets?limit=0')],
    [400, request('GET /pets/%ff')],
    [400, 'NONSENSE\r\n\r\n'],
    [401, requestText('GET /pets', { Connection: 'close' })],
    [404, request('GET /nowhere')],
    [404, request('GET /pets/99')],
    [405, request('DELETE /pets')],
    [413, request('POST /categories', { 'Content-Type': 'application/json', 'Content-Length': '1048577' })],
    [414, request(`GET /pets?name=${'a'.repeat(9000)}`)],
    [415, request('POST /categories', { 'Content-Type': 'text/plain', 'Content-Length': '1' }, 'x')],
    [431, request('GET /pets', { 'X-Long': 'a'.repeat(20_000) })],
    [200, request('GET /docs/')],
    [404, request('GET /docs/static/none.js')],
    [302, request('GET /')],
  ]
  for (const [status, bytes] of cases) {
    const [reply] = (await store.exchange(bytes)).replies
    expect(reply?.status, bytes.slice(0, 50)).toBe(status)
    const names = ['limit', 'remaining', 'reset'].map(name => `x-ratelimit-${name}`)
    for (const name of [...names, 'ratelimit-policy', 'ratelimit', 'x-request-id'])
      expect(reply?.headers[name], `${name} of ${bytes.slice(0, 50)}`).toMatch(/./)
  }
  const key = await issueKey(store.db)
  await store.cut()
  const reply = await get(store, key) // which can't be looked up
  expect([reply.statusCode, limit(reply).limit]).toEqual([503, free])
})

test.each([
  ['GET', '/openapi.json'],
  ['GET', '/docs/llms.txt'],
  ['OPTIONS', '/pets'],
  ['POST', '/mcp'],
] as const)(
  '%s %s is free up to a bound a minute; beyond it a request costs, is refused and bans',
  async (method, url) => {
    const time = Date.now()
    await using store = await startStore({ now: () => new Date(time) })
    const key = await issueKey(store.db, quotas(2, 100))
    const fields = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const message = { payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) }
    const ask = (headers = {}) =>
      store.app.inject({
        ...(method === 'POST' && message),
        ...{ method, url, headers: method === 'POST' ? { ...fields, ...headers } : headers },
      })
    const statuses = async (count: number, headers = {}) => {
      const found = []
      for (let i = 0; i < count; i++) found.push((await ask(headers)).statusCode)
      return [...new Set(found)]
    }
    const keyed = { 'x-api-key': key }
    expect(await statuses(mostFree, keyed)).toEqual([method === 'OPTIONS' ? 204 : 200])
    expect(limit(await get(store, key, '/usage')).remaining).toBe(2)
    expect(limit(await ask(keyed)).remaining).toBe(1)
    expect(limit(await ask(keyed)).remaining).toBe(0)
    expect(await statuses(refusals, keyed)).toEqual([429])
    expect((await ask(keyed)).json()).toMatchObject({ code: 'api_key_banned' })
    for (const open of ['/health', '/usage']) expect((await get(store, key, open)).statusCode).toBe(200)
    // An address is another caller.
    expect(await statuses(mostFree)).toEqual([method === 'OPTIONS' ? 204 : 200])
    expect(limit(await ask()).remaining).toBe(free - 1)
  },
)

test('a restart neither gives back the quota of the day nor ends a ban', async () => {
  await using database = await freshDatabase()
  const key = await issueKey(database.db, quotas(1, 50))
  const ask = ({ app }: Server, headers = {}) =>
    app.inject({ url: '/pets', remoteAddress: '203.0.113.9', headers })
  {
    await using first = await startOn(database.db)
    for (let i = 0; i <= refusals; i++) await ask(first, { 'x-api-key': key })
    for (let i = 0; i <= free + refusals; i++) await ask(first)
  }
  await using second = await startOn(database.db)
  expect((await ask(second, { 'x-api-key': key })).json()).toMatchObject({ code: 'api_key_banned' })
  expect((await ask(second)).json()).toMatchObject({ code: 'address_banned' })
  const usage = await get(second, key, '/usage')
  expect(usage.json().windows[1]).toMatchObject({ name: 'day', remaining: 49 })
})

test('an address without calls left is shown the plan of a valid key at open paths, and of no other', async () => {
  await using store = await startStore()
  const key = async (isDisabled: boolean) => {
    const { id, secret } = (
      await store.call('createApiKey', { body: { name: 'Pro', plan: 'Pro', scopes: ['read'] } })
    ).body
    if (isDisabled) await store.call('updateApiKey', { path: { keyId: id }, body: { disabled: isDisabled } })
    return secret
  }
  const [valid, disabled] = [await key(false), await key(true)]
  for (const secret of [valid, disabled]) await get(store, secret) // from another address, and known from now on
  const remoteAddress = '192.0.2.7'
  for (let i = 0; i < free; i++) await store.app.inject({ url: '/pets', remoteAddress })
  const shown = async (secret: string) => {
    const headers = { 'x-api-key': secret }
    const response = await store.app.inject({ url: '/openapi.json', headers, remoteAddress })
    return [response.statusCode, limit(response).limit]
  }
  expect(await shown(valid)).toEqual([200, rateLimits.plans.Pro.minute])
  for (const secret of [disabled, mintKey()]) expect(await shown(secret)).toEqual([200, free])
})

test('each request counts for its own key, over whatever connection', async () => {
  await using store = await startStore()
  const keys = [await issueKey(store.db), await issueKey(store.db), mintKey()]
  const requests = [0, 0, 1, 2].map(i => requestText('GET /pets', { 'X-API-Key': String(keys[i]) }))
  const last = requestText('GET /pets', { 'X-API-Key': String(keys[0]), Connection: 'close' })
  const { replies } = await store.exchange(requests.join('') + last)
  const costs = replies.map(({ status, headers }) => [
    status,
    free - Number(headers['x-ratelimit-remaining']),
  ])
  expect(costs).toEqual([
    [200, 1],
    [200, 2],
    [200, 1],
    [401, 1],
    [200, 3],
  ])
})
