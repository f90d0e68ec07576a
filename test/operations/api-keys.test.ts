import { describe, expect, test } from 'vitest'
import { mintKey } from '../../src/keys/api-key.ts'
import { freshDatabase } from '../support/database.ts'
import { renewed, shared } from '../support/fixtures.ts'
import { issueKey, type Server, startOn, startStore } from '../support/store.ts'

let time = Date.now()
const store = shared(() => startStore({ now: () => new Date(time) }))

const body = { name: 'Shop window', plan: 'Free', scopes: ['read'] }
const create = async (more = {}) => (await store.call('createApiKey', { body: { ...body, ...more } })).body
const use = async (secret: string, url = '/pets') =>
  (await store.app.inject({ url, headers: { 'x-api-key': secret } })).statusCode

describe('createApiKey', () => {
  test('shows the secret once, and never again', async () => {
    const { secret, ...key } = await create()
    expect(secret.startsWith(key.preview.slice(0, -1))).toBe(true)
    expect(await use(secret)).toBe(200)
    const shown = await store.call('getApiKey', { path: { keyId: key.id } })
    expect(shown.body).toMatchObject({ id: key.id, name: 'Shop window', plan: 'Free', scopes: ['read'] })
    const list = await store.call('listApiKeys', { query: { limit: 100 } })
    for (const reply of [shown, list]) expect(JSON.stringify(reply.body)).not.toContain(secret.slice(-20))
    const { rows } = await store.db.executeQuery<object>({
      ...store.db.selectFrom('api_keys').selectAll().compile(),
    })
    expect(JSON.stringify(rows)).not.toContain(secret.slice(-20))
  })

  test.each([
    ['Enterprise without quotas', { plan: 'Enterprise' }, '/quotas'],
    ['quotas for another plan', { quotas: { minute: 1, day: 1 } }, '/quotas'],
    ['more a minute than a day', { plan: 'Enterprise', quotas: { minute: 9, day: 5 } }, '/quotas/minute'],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
  ])('refuses %s, and stores nothing', async (_, change, path) => {
    const before = (await store.call('listApiKeys', { query: { limit: 100 } })).body.length
    const reply = await store.call('createApiKey', { body: { ...body, ...change } })
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path }] } })
    expect((await store.call('listApiKeys', { query: { limit: 100 } })).body).toHaveLength(before)
  })
})

describe('a key is refused', () => {
  test.each([
    ['too long', `pet_live_${'a'.repeat(5000)}`],
    ['of odd characters', 'pet_live_äöü\u00a0%$§'.replace(/[^\x20-\x7e]/g, '?')],
    ['empty', ''],
    ['mistyped', `${mintKey().slice(0, -1)}_`],
    ['unknown', mintKey()],
  ])('when it is %s: 401', async (_, key) => expect(await use(key)).toBe(401))

  test('from the moment it expires', async () => {
    const { secret } = await create({ expiresAt: new Date(time + 60_000).toISOString() })
    expect(await use(secret)).toBe(200)
    time += 60_000
    expect(await use(secret)).toBe(401)
  })
})

test('a key is refused at once when it is disabled or revoked', async () => {
  const { secret, id: keyId } = await create()
  const path = { keyId }
  const seen = [await use(secret)]
  for (const disabled of [true, false]) {
    await store.call('updateApiKey', { path, body: { disabled } })
    seen.push(await use(secret))
  }
  await store.call('revokeApiKey', { path })
  expect([...seen, await use(secret)]).toEqual([200, 401, 200, 401])
})

describe('updateApiKey', () => {
  test('changes plan, quotas and scopes at once', async () => {
    const { secret, id: keyId } = await create()
    const change = async (patch: object) => {
      const reply = await store.call('updateApiKey', { path: { keyId }, body: patch })
      expect(reply.status).toBe(200)
      const usage = await store.app.inject({ url: '/usage', headers: { 'x-api-key': secret } })
      return usage.json().windows?.map((window: { limit: number }) => window.limit)
    }
    expect(await change({ plan: 'Pro' })).toEqual([300, 10_000])
    expect(await change({ plan: 'Enterprise', quotas: { minute: 7, day: 70 } })).toEqual([7, 70])
    expect(await change({ quotas: { minute: 8, day: 70 } })).toEqual([8, 70])
    expect(await change({ plan: 'Business' })).toEqual([1000, 100_000])
    await change({ scopes: ['write'] })
    expect(await use(secret)).toBe(403)
  })
})

describe('rotateApiKey', () => {
  test.each([1, 24, 168])('with %i hours of overlap keeps the old secret exactly as long', async hours => {
    const { secret, id: keyId } = await create({ plan: 'Enterprise', quotas: { minute: 100, day: 100 } })
    const rotated = await store.call('rotateApiKey', { path: { keyId }, body: { overlapHours: hours } })
    expect([await use(secret), await use(rotated.body.secret)]).toEqual([200, 200])
    time += hours * 3_600_000 - 1000
    expect(await use(secret)).toBe(200)
    time += 1000
    expect([await use(secret), await use(rotated.body.secret)]).toEqual([401, 200])
  })

  test('tells of no secret that outlives its key, whenever the key was given its end', async () => {
    const expiresAt = new Date(time + 9_000).toISOString()
    const body = { overlapHours: 24 }
    const ending = { path: { keyId: (await create({ expiresAt })).id } }
    const rotated = await store.call('rotateApiKey', { ...ending, body })
    expect(rotated.body).toMatchObject({ expiresAt, previousSecretExpiresAt: expiresAt })
    const endless = { path: { keyId: (await create()).id } }
    await store.call('rotateApiKey', { ...endless, body })
    const ended = await store.call('updateApiKey', { ...endless, body: { expiresAt } })
    expect(ended.body).toMatchObject({ expiresAt, previousSecretExpiresAt: expiresAt })
    time += 9_000
    expect((await store.call('getApiKey', ending)).body).not.toHaveProperty('previousSecretExpiresAt')
  })
})

describe('the last key that can administer keys', () => {
  const patch = (keyId: number, body: object) => (s: Server) =>
    s.call('updateApiKey', { path: { keyId }, body })
  const revoke = (keyId: number) => (s: Server) => s.call('revokeApiKey', { path: { keyId } })
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

  const database = renewed(freshDatabase)
  /** the key 1 administers for ever, unless a test says until when */
  const alone = renewed(() => startOn(database.db))
  const expire = (id: number, at: Date) =>
    database.db.updateTable('api_keys').set({ expires_at: at }).where('id', '=', id).execute()

  test('is not changed so that it ends, while others are expired, disabled, about to expire or without the scope', async () => {
    await issueKey(database.db, { expiresAt: new Date(0) })
    await issueKey(database.db, { expiresAt: inHours(24) })
    await issueKey(database.db, { scopes: ['read', 'write'] })
    await issueKey(database.db)
    expect((await patch(5, { disabled: true })(alone)).status).toBe(200)
    const changes = [
      revoke(1),
      patch(1, { disabled: true }),
      patch(1, { scopes: ['read'] }),
      patch(1, { expiresAt: '9999-12-31T23:59:59Z' }),
      patch(1, { expiresAt: new Date(Date.now() + 2_000).toISOString() }),
      patch(1, { bannedUntil: null, expiresAt: inHours(1).toISOString() }),
    ]
    for (const change of changes)
      expect(await change(alone)).toMatchObject({ status: 409, body: { code: 'last_admin_key' } })
    expect((await alone.call('listApiKeys')).status).toBe(200)
  })

  test('may change in all that does not touch that, and is another once there is another', async () => {
    const harmless = { name: 'First', scopes: ['admin'], disabled: false, expiresAt: null, bannedUntil: null }
    expect((await patch(1, harmless)(alone)).status).toBe(200)
    expect((await alone.call('rotateApiKey', { path: { keyId: 1 }, body: { overlapHours: 1 } })).status).toBe(
      200,
    )
    await issueKey(database.db) // banned keys count: a ban ends by itself
    await database.db
      .updateTable('api_keys')
      .set({ banned_until: inHours(0.2) })
      .where('id', '=', 2)
      .execute()
    expect((await patch(1, { expiresAt: inHours(1).toISOString() })(alone)).status).toBe(200)
    expect((await patch(2, { expiresAt: inHours(2).toISOString() })(alone)).status).toBe(409)
    expect((await revoke(1)(alone)).status).toBe(204)
  })

  test('that has an end may be given a later one or none, and no earlier one', async () => {
    await expire(1, inHours(5))
    await issueKey(database.db, { expiresAt: inHours(3) })
    const end = (id: number, hours: number) => patch(id, { expiresAt: inHours(hours).toISOString() })(alone)
    expect((await end(1, 4)).status).toBe(409)
    expect((await revoke(1)(alone)).status).toBe(409)
    expect((await end(2, 1)).status).toBe(200)
    expect((await end(1, 6)).status).toBe(200)
    expect((await end(2, 7)).status).toBe(200)
    expect((await end(1, 5)).status).toBe(200)
    expect((await patch(2, { disabled: true })(alone)).status).toBe(409)
    expect((await patch(2, { expiresAt: null })(alone)).status).toBe(200)
    expect((await end(2, 1_000)).status).toBe(409)
  })

  test.each([
    ['revoke', revoke],
    ['disable', (id: number) => patch(id, { disabled: true })],
    ['limit the time of', (id: number) => patch(id, { expiresAt: inHours(1).toISOString() })],
  ])('is left when two administrators %s each other at once', async (_, change) => {
    await issueKey(database.db)
    const replies = await Promise.all([1, 2].map(keyId => change(keyId)(alone)))
    expect(replies.filter(reply => reply.status < 300)).toHaveLength(1)
    expect(replies.filter(reply => [401, 409].includes(reply.status))).toHaveLength(1)
  })
})
test('the last use is kept to the minute, and written by the time the server stops', async () => {
  const database = await freshDatabase()
  const first = await startOn(database.db, { now: () => new Date('2026-11-21T12:34:56Z') })
  await first.call('listPets')
  await first.close()
  const { last_used_at } = await database.db
    .selectFrom('api_keys')
    .select('last_used_at')
    .executeTakeFirstOrThrow()
  expect(last_used_at).toEqual(new Date('2026-11-21T12:34:00Z'))
  await database.close()
})

test('a change made by another process counts within 5 seconds', async () => {
  const database = await freshDatabase()
  let clock = Date.now()
  const now = () => new Date(clock)
  const [here, there] = [await startOn(database.db, { now }), await startOn(database.db, { now })]
  const { id: keyId, secret } = (await here.call('createApiKey', { body })).body
  const use = async () =>
    (await there.app.inject({ url: '/pets', headers: { 'x-api-key': secret } })).statusCode
  expect(await use()).toBe(200)
  await here.call('updateApiKey', { path: { keyId }, body: { disabled: true } })
  clock += 5000
  expect(await use()).toBe(401)
  await here.close()
  await there.close()
  await database.close()
})
