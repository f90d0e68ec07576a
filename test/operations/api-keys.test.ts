import { describe, expect, test } from 'vitest'
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

describe('rotateApiKey', () => {
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
  const alone = renewed(() => startOn(database.db))

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
