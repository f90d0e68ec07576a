import { expect, test } from 'vitest'
import { freshDatabase } from '../../src/engine/test/support/database.ts'
import { shared } from '../../src/engine/test/support/fixtures.ts'
import { startOn, startStore } from '../../src/engine/test/support/store.ts'

const store = shared(() => startStore())

const body = { name: 'Shop window', plan: 'Free', scopes: ['read'] }

test('createApiKey shows the secret once, and never again', async () => {
  const { secret, ...key } = (await store.call('createApiKey', { body })).body
  expect(secret.startsWith(key.preview.slice(0, -1))).toBe(true)
  expect((await store.app.inject({ url: '/pets', headers: { 'x-api-key': secret } })).statusCode).toBe(200)
  const shown = await store.call('getApiKey', { path: { keyId: key.id } })
  expect(shown.body).toMatchObject({ id: key.id, name: 'Shop window', plan: 'Free', scopes: ['read'] })
  const list = await store.call('listApiKeys', { query: { limit: 100 } })
  for (const reply of [shown, list]) expect(JSON.stringify(reply.body)).not.toContain(secret.slice(-20))
  const { rows } = await store.db.executeQuery<object>({
    ...store.db.selectFrom('api_keys').selectAll().compile(),
  })
  expect(JSON.stringify(rows)).not.toContain(secret.slice(-20))
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
