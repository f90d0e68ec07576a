import { afterAll, beforeAll, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { type RunningServer, rateLimits, startProcess } from '../support/petstore.ts'
import { serverDatabase } from '../support/server-database.ts'

const database = shared(serverDatabase)
let server: RunningServer
let key: string
beforeAll(async () => {
  server = await startProcess(database.env)
  key = await database.firstKey()
})
afterAll(() => server?.stop())

async function send(method: string, path: string, body?: object, more = {}) {
  const reply = await fetch(server.url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...more },
    ...(body && { body: JSON.stringify(body) }),
  })
  // The document describes these bodies in this way.
  const content = (await reply.json()) as { id: number; quantity: number; secret: string; code: string }
  return { status: reply.status, body: content }
}

test('kill -9 at any moment of an order, and the same order again: there is exactly one', async () => {
  const category = await send('POST', '/categories', { name: 'Survivors' })
  const petId = (await send('POST', '/pets', { name: 'Rex', categoryId: category.body.id })).body.id
  await send('PUT', `/store/inventory/${petId}`, { quantity: 100 })

  for (const [round, delay] of [0, 5, 20].entries()) {
    const order = () =>
      send('POST', '/store/orders', { petId, quantity: 1 }, { 'idempotency-key': `round-${round}` })
    const cut = order().catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, delay))
    await server.stop('SIGKILL')
    await cut
    server = await startProcess(database.env)
    // PostgreSQL may still be about to notice that the killed process is gone.
    await expect.poll(async () => (await order()).status).toBe(201)
    expect((await send('GET', `/store/orders?petId=${petId}`)).body).toHaveLength(round + 1)
  }
  expect((await send('GET', `/store/inventory/${petId}`)).body.quantity).toBe(97)
})

test('kill -9 right after the refusal that bans: the key and the address stay banned', async () => {
  const quotas = { minute: 1, day: 100 }
  const hasty = await send('POST', '/api-keys', {
    name: 'Hasty',
    plan: 'Enterprise',
    quotas,
    scopes: ['read'],
  })
  const call = (secret: string) => send('GET', '/pets', undefined, { 'x-api-key': secret })
  const callTimes = async (times: number, secret: string) => {
    for (let i = 1; i < times; i++) await call(secret)
    return call(secret)
  }
  const anonymousCalls = rateLimits.plans[rateLimits.anonymous].minute + rateLimits.ban.refusals
  expect((await callTimes(anonymousCalls, 'nobody')).status).toBe(429)
  expect((await callTimes(quotas.minute + rateLimits.ban.refusals, hasty.body.secret)).status).toBe(429)
  await server.stop('SIGKILL')

  server = await startProcess(database.env)
  expect(await call(hasty.body.secret)).toMatchObject({ status: 403, body: { code: 'api_key_banned' } })
  expect(await call('nobody')).toMatchObject({ status: 403, body: { code: 'address_banned' } })
})
