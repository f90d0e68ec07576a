import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { addPet, issueKey, type Server, startOn, startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { callersOf } from '../../lifecycle/lifecycle.ts'

// When each operation ends and is warned of: src/engine/tools/check/probes/{lifecycle,lifetimes}.ts.
const store = shared(() => startStore({ now: () => new Date('2026-11-21T12:00:00Z') }))

const get = (url: string, headers = {}) => store.request({ url, headers })

test('a deprecated operation links to its successor with the request’s own parameters, and no other does', async () => {
  expect((await get('/pets/42')).headers.link).toContain('</pets?ids=42>; rel="successor-version"')
  expect((await get('/pets/a%3Eb')).headers.link).toContain('</pets?ids=a%3Eb>; rel="successor-version"')
  const { headers } = await get('/pets')
  for (const name of ['deprecation', 'sunset']) expect(headers).not.toHaveProperty(name)
})

test('a deprecated operation works until the day before its sunset and answers 410 from 00:00 UTC of that day', async () => {
  await using database = await freshDatabase()
  let clock = Date.parse('2030-12-05T00:00:00Z') - 1
  await using later = await startOn(database.db, { now: () => new Date(clock) })
  const path = { petId: await addPet(later.call) }
  expect((await later.call('getPet', { path })).status).toBe(200)
  const warning = 'getPet ends on 2030-12-05, in 1 day; listPets replaces it.'
  expect((await later.call('getHealth')).body.warnings).toContain(warning)
  expect((await store.call('getHealth')).body.warnings).toEqual([])
  clock++
  const gone = await later.call('getPet', { path })
  expect(gone).toMatchObject({ status: 410, body: { code: 'operation_sunset' } })
  expect(gone.body.message).toContain('listPets')
  expect(gone.headers.link).toContain('rel="successor-version"')
  expect((await later.app.inject('/pets/1')).statusCode).toBe(401)
  expect((await later.request('/pets/abc')).statusCode).toBe(410)
  expect((await later.call('updatePet', { path, body: { name: 'Max' } })).status).toBe(200)
})

test('calls of deprecated operations are counted by key and day, shown, kept over restarts, and listed for operators', async () => {
  await using database = await freshDatabase()
  let clock = Date.parse('2026-11-21T12:00:00Z')
  const start = () => startOn(database.db, { now: () => new Date(clock) })
  const headers = { 'x-api-key': await issueKey(database.db) }
  const usageOf = (calls: number) => [{ operationId: 'getPet', calls, sunset: '2030-12-05' }]
  const usage = async (instance: Server) => (await instance.call('getUsage', { headers })).body.deprecated
  {
    await using server = await start()
    expect(await usage(server)).toEqual([])
    for (const url of ['/pets/1', '/pets/1', '/pets/1', '/pets']) await server.app.inject({ url, headers })
    expect(await usage(server)).toEqual(usageOf(3))
    clock += 20 * 86_400_000
    await server.app.inject({ url: '/pets/1', headers })
  }
  await using server = await start()
  expect(await usage(server)).toEqual(usageOf(4))
  const callers = await callersOf(database.db, 'getPet', { deprecatedCalls: 30 * 86_400 }, new Date(clock))
  expect(callers).toEqual([{ id: 1, name: 'Test', calls: 4, lastDay: '2026-12-11' }])
  clock += 20 * 86_400_000
  expect(await usage(server)).toEqual(usageOf(1))
})

test('calls of a key that is revoked meanwhile are let go', async () => {
  const body = { name: 'Brief', plan: 'Free', scopes: ['read'] }
  const { id: keyId, secret } = (await store.call('createApiKey', { body })).body
  await store.app.inject({ url: '/pets/1', headers: { 'x-api-key': secret } })
  await store.call('revokeApiKey', { path: { keyId } })
  expect((await store.call('getUsage')).status).toBe(200)
})
