import { freshPostgres } from 'spec-served-lab/support/database'
import { operate } from 'spec-served-lab/support/operate'
import { rateLimits } from 'spec-served-lab/support/petstore'
import { startOn } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

test('a ban that is lifted from a shell ends within a second in a running server', async () => {
  await using database = await freshPostgres()
  let time = Date.now()
  await using store = await startOn(database.db, { now: () => new Date(time) })
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

  await operate({ DATABASE_URL: database.config.url }, 'keys', 'unban', String(id))
  time += 1_000
  expect(await code()).toBe('rate_limited')
})
