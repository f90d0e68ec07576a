import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fp from 'fastify-plugin'
import { expect, test } from 'vitest'
import { startTest } from '../../tools/testing/start.ts'
import { type Own, service } from '../support/petstore.ts'

test('a service for tests is empty, lets its key in everywhere, and leaves no directory behind', async () => {
  const own = () => readdirSync(tmpdir()).filter(name => name.startsWith(`petstore-test-${process.pid}-`))
  const before = own()
  const { call, app, key, close } = await startTest<Own>(service)
  expect((await call('listPets')).body).toEqual([])
  const made = await call('createApiKey', { body: { name: 'Desk', plan: 'Free', scopes: ['read'] } })
  expect(made.status).toBe(201)
  expect((await app.inject({ url: '/pets', headers: { 'x-api-key': key } })).headers).toMatchObject({
    'x-ratelimit-limit': '1000000',
  })
  expect((await app.inject('/pets')).statusCode).toBe(401)
  expect(own()).toHaveLength(before.length + 1)
  await close()
  expect(own()).toEqual(before)
})

test('a call of a test fails if the reply is not what the document declares, in its header fields too', async () => {
  const spoil = fp(async app => {
    app.addHook('onSend', async (request, reply) => {
      if (request.url.startsWith('/categories')) reply.header('x-ratelimit-limit', 'many')
    })
  })
  await using own = await startTest<Own>({ ...service, plugins: [spoil] })
  await expect(own.call('listCategories')).rejects.toThrow(/header X-RateLimit-Limit must be integer/)
  expect((await own.call('listPets')).status).toBe(200)
})

test('a setting of a service for tests that is wrong is named', async () => {
  await expect(startTest(service, { MCP: 'maybe' })).rejects.toThrow('not valid')
})
