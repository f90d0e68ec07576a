import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { mintKey } from 'spec-served-lab/support/keys'
import { rateLimits } from 'spec-served-lab/support/petstore'
import { issueKey, type Server, startOn } from 'spec-served-lab/support/store'
import { beforeAll, beforeEach, expect, test } from 'vitest'

/** The requests a minute of an address without a key. */
const allowance = rateLimits.plans[rateLimits.anonymous].minute
const database = shared(freshDatabase)
let queries = 0
let time = Date.now()
const now = () => new Date(time)

/** The database, with its queries for keys counted; times of last use are written at whatever moment. */
const countedDb = () =>
  database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('api_keys')) queries++
      return node
    },
    transformResult: async ({ result }) => result,
  })

const store = shared(() => startOn(countedDb(), { now, trustProxy: true }))
beforeAll(async () => void (await store.call('listPets')))
beforeEach(() => {
  queries = 0
  time += 3_600_000 // a new window, and nobody is banned any more
})

const get = async (key: string, address: string, server: Server = store) => {
  const headers = { 'x-api-key': key, 'x-forwarded-for': address }
  const { statusCode } = await server.app.inject({ url: '/pets', headers })
  return statusCode
}
const guess = (count: number, address: (index: number) => string) =>
  Promise.all(Array.from({ length: count }, (_, index) => get(mintKey(), address(index))))
const countOf = (statuses: number[]) => Object.groupBy(statuses, status => String(status))

test('2,000 well-formed guesses from one address cost a few queries, and the address its allowance', async () => {
  const statuses = countOf(await guess(2_000, () => '203.0.113.1'))
  expect(queries).toBeLessThan(20)
  expect(statuses['401']).toHaveLength(allowance)
  // Requests with a shared look-up go on together: some are counted before the ban is there.
  const { '401': _, '429': counted = [], '403': banned = [], ...others } = statuses
  expect([counted.length >= 20, counted.length + banned.length, others]).toEqual([
    true,
    2_000 - allowance,
    {},
  ])
  expect(await get(mintKey(), '203.0.113.1')).toBe(403)
})

test('2,000 guesses from 50 addresses cost a few queries too', async () => {
  const statuses = countOf(await guess(2_000, index => `203.0.113.${index % 50}`))
  expect(queries).toBeLessThan(40)
  expect(statuses['401']).toHaveLength(2_000)
})

test('guesses one after the other get ten look-ups a minute at once; the others wait for a shared query', async () => {
  const waits: number[] = []
  for (let index = 0; index < 10; index++) {
    const began = performance.now()
    await get(mintKey(), '203.0.113.2')
    waits.push(performance.now() - began)
  }
  expect(queries).toBe(10)
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) {
    const began = performance.now()
    await guess(30, () => '203.0.113.2')
    rounds.push(performance.now() - began)
  }
  expect(queries).toBeLessThanOrEqual(16)
  // A request that waits for the others takes 200 ms more. A busy machine holds up a few.
  expect(waits.toSorted((left, right) => left - right)[5]).toBeLessThan(Math.min(...rounds))
})

const free = [
  ['GET', '/health'],
  ['GET', '/docs/'],
  ['GET', '/openapi.json'],
  ['OPTIONS', '/pets'],
] as const

test.each(free)(
  'guesses at %s %s are answered as if they had no key, cost a call, and end in a ban',
  async (method, url) => {
    const address = '203.0.113.9'
    const guessAt = async (key: string) => {
      const headers = { 'x-api-key': key, 'x-forwarded-for': address }
      const { statusCode, headers: fields } = await store.app.inject({ method, url, headers })
      return { statusCode, limit: Number(fields['x-ratelimit-limit']), left: fields['x-ratelimit-remaining'] }
    }
    const { statusCode: usual } = await store.app.inject({ method, url })
    const cached = await issueKey(database.db, { plan: 'Business' })
    const fresh = await issueKey(database.db, { plan: 'Business' })
    const limit = rateLimits.plans.Business.minute
    // An operation that is open to all waits for the identity of its caller for a moment only.
    await expect.poll(async () => (await guessAt(cached)).limit).toBe(limit)
    const replies = []
    for (let i = 0; i < allowance + rateLimits.ban.refusals; i++) replies.push(await guessAt(`pet_live_${i}`))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => usual))
    expect(replies.slice(0, 2).map(({ left }) => left)).toEqual([`${allowance - 1}`, `${allowance - 2}`])
    expect(await get(mintKey(), address)).toBe(403)
    // From then on no guess finds out anything. A key that calls from there is known all the same.
    queries = 0
    expect((await guessAt(fresh)).limit).toBe(allowance)
    expect(queries).toBe(0)
    expect((await guessAt(cached)).limit).toBe(limit)
    expect(await get(fresh, address)).toBe(200)
  },
)

test('the same guess again costs nothing for seconds', async () => {
  const key = mintKey()
  for (let index = 0; index < 20; index++) expect(await get(key, '203.0.113.3')).toBe(401)
  expect(queries).toBe(1)
})

test('valid keys go on behind an address that guesses and is banned, known ones and new ones', async () => {
  const cached = await issueKey(database.db, { plan: 'Business' })
  expect(await get(cached, '203.0.113.4')).toBe(200)
  queries = 0
  const flood = guess(200, () => '203.0.113.4')
  expect(await get(cached, '203.0.113.4')).toBe(200)
  await flood
  expect(await get(mintKey(), '203.0.113.4')).toBe(403)
  expect(await get(cached, '203.0.113.4')).toBe(200)
  const fresh = await issueKey(database.db)
  expect(await get(fresh, '203.0.113.4')).toBe(200)
  const { secret } = (
    await store.call('createApiKey', { body: { name: 'New', plan: 'Free', scopes: ['read'] } })
  ).body
  expect(await get(secret, '203.0.113.4')).toBe(200)
})

test('guesses push out no key that is known', async () => {
  const cached = await issueKey(database.db, { plan: 'Business' })
  expect(await get(cached, '203.0.113.5')).toBe(200)
  await guess(12_000, index => `2001:db8:${(index % 3000).toString(16)}::1`)
  queries = 0
  expect(await get(cached, '203.0.113.5')).toBe(200)
  expect(queries).toBe(0)
})

test('many valid keys that a server does not know yet, at once from one address, are all let in', async () => {
  const keys = await Promise.all(Array.from({ length: 100 }, () => issueKey(database.db)))
  queries = 0
  const statuses = await Promise.all(keys.map(key => get(key, '203.0.113.6')))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(queries).toBeLessThan(10)
})

test('equal requests that come at once share one look-up', async () => {
  const key = await issueKey(database.db)
  queries = 0
  const statuses = await Promise.all(Array.from({ length: 50 }, () => get(key, '203.0.113.7')))
  expect([new Set(statuses), queries]).toEqual([new Set([200]), 1])
})

test('a key that another process makes behind a flooded address counts, and stops counting, within 5 seconds', async () => {
  await guess(2 * allowance, () => '203.0.113.8')
  const other = await startOn(database.db, { now })
  const { id: keyId, secret } = (
    await other.call('createApiKey', { body: { name: 'New', plan: 'Free', scopes: ['read'] } })
  ).body
  expect(await get(secret, '203.0.113.8')).toBe(200)
  await other.call('revokeApiKey', { path: { keyId } })
  time += 5_000
  expect(await get(secret, '203.0.113.8')).toBeOneOf([401, 403])
  await other.close()
})
