import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/generated/operations.ts'
import { databaseKind } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { mintKey } from '../support/keys.ts'
import { issueKey, startStore } from '../support/store.ts'

const { minute: free } = rateLimits.plans.Free

describe('a store where as much is under way as may be', () => {
  const store = shared(() => startStore({ maxWaitMs: 1 }))
  let release: () => Promise<void>
  let served: Promise<{ status: number }[]>
  let exhausted: string
  let known: string

  const get = (url: string, key = known) => store.app.inject({ url, headers: { 'x-api-key': key } })

  beforeAll(async () => {
    known = await issueKey(store.db)
    exhausted = await issueKey(store.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1 } })
    for (const key of [known, exhausted, store.key]) await get('/pets', key)
    release = await holdDatabase()
    // The last one is more than can be done, and is taken as a burst is.
    served = Promise.all(Array.from({ length: 33 }, () => store.call('listPets')))
    await new Promise(resolve => setTimeout(resolve, 700))
  })
  afterAll(() => release())

  /** Makes every list of animals wait. */
  async function holdDatabase(): Promise<() => Promise<void>> {
    const released = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const held = store.db.transaction().execute(async trx => {
      await sql`lock table pets in access exclusive mode`.execute(trx)
      begun.resolve()
      await released.promise
    })
    await begun.promise
    return async () => {
      released.resolve()
      await held
    }
  }

  test('a full store refuses new requests at once, in the form of the document, and counts nothing', async () => {
    const start = performance.now()
    const replies = await Promise.all(Array.from({ length: 10 }, () => get('/pets')))
    expect(performance.now() - start).toBeLessThan(10_000) // what waits does so until the database is released
    for (const reply of replies) {
      expect(reply.statusCode).toBe(503)
      expect(reply.json()).toMatchObject({ code: 'unavailable', status: 503 })
      expect(reply.headers).toMatchObject({
        'retry-after': '1',
        'x-ratelimit-limit': String(free),
        'x-ratelimit-remaining': String(free - 1),
        ratelimit: expect.any(String),
        'x-request-id': expect.any(String),
      })
    }
  })

  test('a full store does not look up a key that it does not know yet', async () => {
    const reply = await get('/pets', mintKey())
    expect(reply.statusCode).toBe(503)
    expect(reply.headers['x-ratelimit-limit']).toBe(String(rateLimits.plans[rateLimits.anonymous].minute))
  })

  test('a full store still tells a caller that its quota is used up', async () => {
    expect((await get('/pets', exhausted)).json()).toMatchObject({ code: 'rate_limited' })
  })

  test.each(['/usage', '/docs/', '/openapi.json', '/nowhere'])('goes on with %s', async url => {
    expect((await get(url)).statusCode).toBe(url === '/nowhere' ? 404 : 200)
  })

  test('a full store goes on with /health', async () => {
    const start = performance.now()
    // The embedded database serves nobody while it is held, PostgreSQL all who need no animal.
    expect((await get('/health')).statusCode).toBe(databaseKind === 'pglite' ? 503 : 200)
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('a full store serves the requests under way, and afterwards new ones again', async () => {
    await release()
    expect((await served).map(reply => reply.status)).toEqual(Array(33).fill(200))
    await expect.poll(async () => (await get('/pets')).statusCode).toBe(200)
  })
})
