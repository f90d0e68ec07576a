import type { LightMyRequestResponse } from 'fastify'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { rateLimits } from 'spec-served-lab/support/petstore'
import { issueKey, startOn, startStore } from 'spec-served-lab/support/store'
import { beforeEach, expect, test } from 'vitest'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const { Free: free } = rateLimits.plans
const begin = Date.parse('2026-11-21T12:00:00.400Z')
let time = begin
const store = shared(() => startStore({ now: () => new Date(time) }))
beforeEach(() => {
  time = begin
})

/** The seconds that a reply names, none of which may be longer than what it counts. */
function waits(reply: LightMyRequestResponse) {
  const ends = [...String(reply.headers.ratelimit).matchAll(/t=(\d+)/g)].map(([, seconds]) => Number(seconds))
  return {
    retryAfter: Number(reply.headers['retry-after'] ?? 0),
    reset: Number(reply.headers['x-ratelimit-reset']) - Math.floor(time / 1_000),
    minute: ends[0],
    day: ends[1],
  }
}

test.each([
  ['back an hour', -hour],
  ['back by half a minute', -minute / 2],
  ['back by two days', -2 * day],
])(
  'after the clock was set %s nobody waits longer than a window, and what was used stays used',
  async (_, by) => {
    const key = await issueKey(store.db)
    const get = () => store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
    for (let i = 0; i < free.minute; i++) await get()
    time += by
    const refused = await get()
    expect(refused.statusCode).toBe(429)
    const { retryAfter, reset, minute: left, day: leftOfDay } = waits(refused)
    for (const seconds of [retryAfter, reset, left]) expect(seconds).toBeLessThanOrEqual(60)
    expect(leftOfDay).toBeLessThanOrEqual(86_400)
    time += retryAfter * 1_000
    const after = await get()
    expect(after.statusCode).toBe(200)
    const usage = await store.app.inject({ url: '/usage', headers: { 'x-api-key': key } })
    expect(usage.json().windows).toMatchObject([
      { remaining: free.minute - 1 },
      { remaining: free.day - free.minute - 1 },
    ])
  },
)

test('a caller who has not called yet, or whose window has ended, sees a whole quota', async () => {
  const key = await issueKey(store.db)
  const get = (url: string) => store.app.inject({ url, headers: { 'x-api-key': key } })
  const remaining = async () =>
    (await get('/usage')).json().windows.map((window: { remaining: number }) => window.remaining)
  expect(await remaining()).toEqual([free.minute, free.day])
  await get('/pets')
  expect(await remaining()).toEqual([free.minute - 1, free.day - 1])
  time += minute
  expect(await remaining()).toEqual([free.minute, free.day - 1])
})

test('a clock that goes an hour ahead and back gives one minute back, and takes none', async () => {
  const key = await issueKey(store.db)
  const get = () => store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })
  for (let i = 0; i < free.minute; i++) await get()
  time += hour
  for (let i = 0; i < free.minute; i++) expect((await get()).statusCode).toBe(200)
  time -= hour
  const refused = await get()
  expect([refused.statusCode, waits(refused).retryAfter]).toEqual([429, 60])
  time += minute
  expect((await get()).statusCode).toBe(200)
})

test('a banned key hears at most the length of a ban, and is free after it', async () => {
  const quotas = { minute: 1, day: 1_000 }
  const body = { name: 'Hasty', plan: 'Enterprise', quotas, scopes: ['read'] }
  const { id: keyId, secret } = (await store.call('createApiKey', { body })).body
  const get = (url = '/pets') => store.app.inject({ url, headers: { 'x-api-key': secret } })
  for (let i = 0; i < 21; i++) await get()
  time -= hour
  const refused = await get()
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([403, '900'])
  expect(Date.parse((await get('/usage')).json().bannedUntil)).toBe(time + 15 * minute)
  expect((await store.call('getApiKey', { path: { keyId } })).body.bannedUntil).toBe(
    new Date(time + 15 * minute).toISOString(),
  )
  time += 15 * minute
  expect((await get()).statusCode).toBe(200)
  // It can be banned again, though the stored end of the first ban is still to come.
  expect((await get()).statusCode).toBe(429)
  time += minute
  expect((await get()).statusCode).toBe(200)
  for (let i = 0; i < 20; i++) expect((await get()).statusCode).toBe(429)
  expect((await get()).statusCode).toBe(403)
})

test('ended records are removed while the service runs, and others stay', async () => {
  const database = await freshDatabase()
  const now = () => new Date(time)
  const server = await startOn(database.db, { now })
  const after = (offset: number) => new Date(time + offset)
  const ends = Array.from({ length: 2_500 }, (_, i) => after(i < 2_400 ? -1 - i : day))
  await database.db
    .insertInto('limit_windows')
    .values(ends.map((ends_at, i) => ({ counter: `c${i}`, count: 1, ends_at })))
    .execute()
  await database.db
    .insertInto('address_bans')
    .values([
      { address: 'a', banned_until: after(-1) },
      { address: 'b', banned_until: after(minute) },
    ])
    .execute()
  await database.db
    .insertInto('deprecated_calls')
    .values(
      [29, 30, 31, 400].map(days => ({
        key_id: 1,
        operation_id: 'getPet',
        day: after(-days * day),
        calls: 1,
      })),
    )
    .execute()
  await server.clean()
  const count = async (table: 'limit_windows' | 'address_bans' | 'deprecated_calls') =>
    (await database.db.selectFrom(table).selectAll().execute()).length
  expect([
    await count('limit_windows'),
    await count('address_bans'),
    await count('deprecated_calls'),
  ]).toEqual([100, 1, 2])
  await server.close()
  await database.close()
})
