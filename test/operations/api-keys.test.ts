import { expect, test } from 'vitest'
import { openStore } from '../support/store.ts'

const store = openStore()

const body = { name: 'Shop window', plan: 'Free', scopes: ['read'] }

test('createApiKey shows the secret once, and never again', async () => {
  const { secret, ...key } = (await store.call('createApiKey', { body })).body
  expect(secret.startsWith(key.preview.slice(0, -1))).toBe(true)
  expect((await store.app.inject({ url: '/pets', headers: { 'x-api-key': secret } })).statusCode).toBe(200)
  const shown = await store.call('getApiKey', { path: { keyId: key.id } })
  expect(shown.body).toMatchObject({ id: key.id, name: 'Shop window', plan: 'Free', scopes: ['read'] })
  const list = await store.call('listApiKeys', { query: { limit: 100 } })
  for (const reply of [shown, list]) expect(JSON.stringify(reply.body)).not.toContain(secret.slice(-20))
  const rows = await store.db.selectFrom('api_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(secret.slice(-20))
})
