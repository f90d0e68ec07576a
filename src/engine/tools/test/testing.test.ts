import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fp from 'fastify-plugin'
import { startTest } from 'spec-served/internal/testing/start'
import { type Own, service } from 'spec-served-lab/support/petstore'
import { expect, test } from 'vitest'
import { createMock } from '../testing/mock.ts'

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

const library = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  servers: [{ url: 'https://api.example/v1' }],
  components: {
    securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      Book: {
        type: 'object',
        required: ['id', 'title'],
        properties: { id: { type: 'integer', readOnly: true }, title: { type: 'string' } },
      },
    },
  },
  security: [{ Key: [] }],
  paths: {
    '/books': {
      post: {
        operationId: 'addBook',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } } },
        responses: {
          201: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
          },
        },
      },
    },
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getBook',
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
          },
          404: { description: 'no' },
        },
      },
      delete: { operationId: 'removeBook', responses: { 204: { description: 'ok' } } },
    },
    '/news': {
      get: {
        operationId: 'news',
        responses: {
          200: {
            description: 'ok',
            content: { 'text/event-stream': { example: 'data: a\n\ndata: b\n\n' } },
          },
        },
      },
    },
  },
}

test('a mock in the process of its tests answers as fetch does, and keeps records', async () => {
  await using mock = await createMock(library, {
    seed: { '/books': [{ id: 1, title: 'Emma' }] },
    credentials: ['a'],
  })
  const headers = { 'x-key': 'a', 'content-type': 'application/json' }
  const base = 'https://api.example/v1'
  expect((await mock.fetch(`${base}/books/1`)).status).toBe(401)
  const post = new Request(`${base}/books`, { method: 'POST', headers, body: '{"title":"Dune"}' })
  const made = await mock.fetch(post)
  expect([made.status, made.ok, made.headers.get('x-mock')]).toEqual([201, true, 'true'])
  expect(await made.json()).toEqual({ id: 2, title: 'Dune' })
  expect(await (await mock.fetch(new URL(`${base}/books/2`), { headers })).json()).toMatchObject({
    title: 'Dune',
  })
  expect((await mock.fetch('/v1/books/x', { headers })).status).toBe(400)
  const removed = await mock.fetch(`${base}/books/1`, { method: 'DELETE', headers })
  expect([removed.status, removed.body]).toEqual([204, null])
  expect((await mock.fetch('/v1/books/1', { headers })).status).toBe(404)
  mock.reset()
  expect((await mock.fetch('/v1/books/1', { method: 'HEAD', headers })).status).toBe(200)
  expect(await (await mock.fetch('/v1/news', { headers })).text()).toBe('data: a\n\ndata: b\n\n')
  const signal = AbortSignal.abort()
  await expect(mock.fetch('/v1/books/1', { headers, signal })).rejects.toThrow(/abort/i)
})

test('a mock is made of a file, and a document that can’t be served is refused', async () => {
  await using mock = await createMock('spec/openapi.yaml', { stateless: true })
  const reply = await mock.fetch('/pets/1', { headers: { 'x-api-key': 'any' } })
  expect(await reply.json()).toMatchObject({ id: 1, name: 'Rex' })
  await expect(createMock({ openapi: '2' })).rejects.toThrow(/Only OpenAPI/)
})
