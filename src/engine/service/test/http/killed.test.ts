import { shared } from 'spec-served-lab/support/fixtures'
import { type RunningServer, rateLimits, startProcess } from 'spec-served-lab/support/petstore'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { afterAll, beforeAll, expect, test } from 'vitest'

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
  const content = (await reply.json()) as { secret: string; code: string } // as the document says
  return { status: reply.status, body: content }
}

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
