import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { factsOf } from '../../src/engine/facts.ts'
import { upcomingSunsets } from '../../src/engine/plugins/lifecycle.ts'
import { operations } from '../../src/generated/operations.ts'
import type { OperationId } from '../../src/handlers/handler.ts'
import { callersOf } from '../../src/store/deprecated-calls.ts'
import { freshDatabase } from '../support/database.ts'
import { modelFrom } from '../support/model.ts'
import { addPet, issueKey, startOn, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
const time = Date.parse('2026-11-21T12:00:00Z')
beforeAll(async () => {
  store = await startStore({ now: () => new Date(time) })
})
afterAll(() => store.close())

const get = (url: string, headers = {}) => store.request({ url, headers })

describe('a deprecated operation', () => {
  test.each([
    ['200', async () => get(`/pets/${await addPet(store.call)}`), 200],
    ['404', () => get('/pets/999'), 404],
    ['400', () => get('/pets/abc'), 400],
    ['401', () => store.app.inject('/pets/7'), 401],
    ['304', async () => get(`/pets/${await addPet(store.call)}`, { 'if-none-match': '*' }), 304],
    ['HEAD', () => store.request({ method: 'HEAD', url: '/pets/999' }), 404],
  ])('says so on its %s', async (_, ask, status) => {
    const { statusCode, headers } = await ask()
    expect(statusCode).toBe(status)
    expect(headers.deprecation).toBe(`@${Date.parse('2026-06-05T00:00:00Z') / 1000}`)
    expect(headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
    expect(headers.link).toMatch(
      /^<\/pets\?ids=[^>]+>; rel="successor-version", <\/docs#\/Animals\/getPet>; rel="deprecation"$/,
    )
  })

  test('links to its successor with the request’s own parameters', async () => {
    expect((await get('/pets/42')).headers.link).toContain('</pets?ids=42>; rel="successor-version"')
    expect((await get('/pets/a%3Eb')).headers.link).toContain('</pets?ids=a%3Eb>; rel="successor-version"')
  })

  test('is the only one that says so', async () => {
    const { headers } = await get('/pets')
    expect(headers).not.toHaveProperty('deprecation')
    expect(headers).not.toHaveProperty('sunset')
  })

  test('works until the day before its sunset and answers 410 from 00:00 UTC of that day', async () => {
    const sunset = Date.parse('2030-12-05T00:00:00Z')
    const database = await freshDatabase()
    let clock = sunset - 1
    const later = await startOn(database.db, { now: () => new Date(clock) })
    const path = { petId: await addPet(later.call) }
    expect((await later.call('getPet', { path })).status).toBe(200)
    expect((await later.call('getHealth')).body.warnings).toContain(
      'getPet ends on 2030-12-05, in 1 days; listPets replaces it.',
    )
    clock = sunset
    const gone = await later.call('getPet', { path })
    expect(gone).toMatchObject({ status: 410, body: { code: 'operation_sunset' } })
    expect(gone.body.message).toContain('listPets')
    expect(gone.headers.link).toContain('rel="successor-version"')
    expect((await later.app.inject('/pets/1')).statusCode).toBe(401)
    expect((await later.request('/pets/abc')).statusCode).toBe(410)
    expect((await later.call('updatePet', { path, body: { name: 'Max' } })).status).toBe(200)
    await later.close()
    await database.close()
  })

  test('whose sunset is far off is no warning yet', async () => {
    expect((await store.call('getHealth')).body.warnings).toEqual([])
    const model = await modelFrom({
      openapi: '3.0.3',
      info: { title: 'X', version: '1' },
      paths: {
        '/x': {
          get: {
            operationId: 'x',
            deprecated: true,
            'x-deprecated-at': '2026-01-01',
            'x-deprecated-sunset': '2026-12-01',
            responses: { 200: { description: '' } },
          },
        },
      },
    })
    const facts = factsOf(model)
    const told = { facts, lifetimes: { sunsetWarnings: 30 * 86_400 } }
    expect(upcomingSunsets(told, new Date('2026-10-31T00:00:00Z'))).toEqual([])
    expect(upcomingSunsets(told, new Date('2026-11-01T00:00:00Z'))).toEqual([
      'x ends on 2026-12-01, in 30 days.',
    ])
    expect(upcomingSunsets(told, new Date('2026-12-01T00:00:00Z'))).toEqual(['x ended on 2026-12-01.'])
  })
})

test.each(Object.keys(operations) as OperationId[])('%s says how stable it is', async id => {
  const { method, path, stability } = operations[id]
  const response = await store.app.inject({ method, url: path.replace(/\{\w+\}/g, '1') })
  expect(response.headers['x-stability'] ?? null).toBe(stability)
})

describe('calls of deprecated operations', () => {
  test('are counted by key and day, shown to the caller, kept over restarts, and listed for operators', async () => {
    const database = await freshDatabase()
    let clock = Date.parse('2026-11-21T12:00:00Z')
    const start = () => startOn(database.db, { now: () => new Date(clock) })
    let server = await start()
    const key = await issueKey(database.db)
    const headers = { 'x-api-key': key }
    const usage = async () => (await server.call('getUsage', { headers })).body.deprecated
    expect(await usage()).toEqual([])
    for (let i = 0; i < 3; i++) await server.app.inject({ url: '/pets/1', headers })
    await server.app.inject({ url: '/pets', headers })
    expect(await usage()).toEqual([{ operationId: 'getPet', calls: 3, sunset: '2030-12-05' }])
    clock += 20 * 86_400_000
    await server.app.inject({ url: '/pets/1', headers })
    await server.close()
    server = await start()
    expect(await usage()).toEqual([{ operationId: 'getPet', calls: 4, sunset: '2030-12-05' }])
    expect(await callersOf(database.db, 'getPet', { deprecatedCalls: 30 * 86_400 }, new Date(clock))).toEqual(
      [{ id: 2, name: 'Test', calls: 4, lastDay: '2026-12-11' }],
    )
    clock += 20 * 86_400_000
    expect(await usage()).toEqual([{ operationId: 'getPet', calls: 1, sunset: '2030-12-05' }])
    await server.close()
    await database.close()
  })

  test('of a key that is revoked meanwhile are let go', async () => {
    const { id: keyId, secret } = (
      await store.call('createApiKey', { body: { name: 'Brief', plan: 'Free', scopes: ['read'] } })
    ).body
    await store.app.inject({ url: '/pets/1', headers: { 'x-api-key': secret } })
    await store.call('revokeApiKey', { path: { keyId } })
    expect((await store.call('getUsage')).status).toBe(200)
  })
})
