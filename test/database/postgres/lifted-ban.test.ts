import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { rateLimits } from '../../../src/generated/operations.ts'
import { freshDatabase } from '../../support/database.ts'
import { startOn } from '../../support/store.ts'

test('a ban that is lifted from a shell ends within a second in a running server', async () => {
  const database = await freshDatabase()
  if (database.config.kind !== 'postgres') throw new Error('This test is for PostgreSQL')
  let time = Date.now()
  const store = await startOn(database.db, { now: () => new Date(time) })
  const quotas = { minute: 1, day: 100 }
  const { id, secret } = (
    await store.call('createApiKey', {
      body: { name: 'Hasty', plan: 'Enterprise', quotas, scopes: ['read'] },
    })
  ).body
  const code = async () =>
    (await store.app.inject({ url: '/pets', headers: { 'x-api-key': secret } })).json().code
  for (let i = 0; i < quotas.minute + rateLimits.ban.refusals; i++) await code()
  expect(await code()).toBe('api_key_banned') // from here on the server knows of the ban

  const env = { PATH: process.env.PATH, DATABASE_URL: database.config.url }
  await promisify(execFile)('node', ['scripts/petstore.ts', 'keys', 'unban', String(id)], { env })
  time += 1_000
  expect(await code()).toBe('rate_limited')
  await store.close()
  await database.close()
})
