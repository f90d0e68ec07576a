import Fastify, { type FastifyInstance, type FastifySchema, type InjectOptions } from 'fastify'
import { isTakenWhole } from 'spec-served-cli/internal/generate/glue'
import { pathReader } from 'spec-served-document/contract/path-templates'
import type { Model } from 'spec-served-document/model'
import { beforeAll, describe, expect, test } from 'vitest'
import { findDestinations, pathFinder, registerOperations } from '../routes/register.ts'
import { modelFrom } from './support.ts'

/** Returns the parameters in a path, by the names of its template. */
const readPath = (template: string, url: string) => Object.fromEntries(pathReader(template)(url))

/** A server that answers with the operation that a request has reached, and with what its path holds. */
async function serve(operations: Readonly<Record<string, string>>): Promise<FastifyInstance> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [id, endpoint] of Object.entries(operations)) {
    const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(endpoint) ?? []
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      operationId: id,
      responses: { 200: { description: 'ok' } },
      ...(id.endsWith('Body') && { requestBody: { content: { 'text/plain': {} } } }),
    }
  }
  const app = Fastify({ routerOptions: { maxParamLength: 100_000 } })
  findDestinations(app)
  app.addHook('onRequest', async (request, reply) =>
    request.destination.isUnknown ? reply.callNotFound() : undefined,
  )
  await registerOperations(app, await modelFrom({ paths }), ({ id, path }) => ({
    validatorCompiler: () => () => true,
    handler: async request => ({ id, ...readPath(path, request.url), body: request.body }),
  }))
  return app
}

async function reach(app: FastifyInstance, request: InjectOptions): Promise<unknown> {
  const { statusCode, body } = await app.inject(request)
  return statusCode === 200 ? (body === '' ? 'empty' : JSON.parse(body)) : statusCode
}

const templates: [template: string, url: string, values: object | 404][] = [
  ['/a/{id}_raw', '/a/5_raw', { id: '5' }],
  ['/a/{id}_raw', '/a/5_raw_raw', { id: '5_raw' }],
  ['/a/{id}_raw', '/a/5%5Fraw', { id: '5' }],
  ['/a/{id}_raw', '/a/5', 404],
  ['/a/{id}_raw', '/a/_raw', 404],
  ['/{page}t.{format}', '/12t.json', { page: '12', format: 'json' }],
  ['/{page}t.{format}', '/att.tar.gz', { page: 'at', format: 'tar.gz' }],
  ['/{a}-{b}', '/-5-3', { a: '-5', b: '3' }],
  ['/{a}-{b}', '/x', 404],
  ['/{a}-{b}-{c}.json', '/1-2-3-4.json', { a: '1', b: '2', c: '3-4' }],
  ['/{a}{b}', '/xyz', { a: 'x', b: 'yz' }],
  ['/{pet-id}', '/7', { 'pet-id': '7' }],
  ['/{$filter.x y}/b', '/7/b', { '$filter.x y': '7' }],
  ['/{__proto__}', '/7', JSON.parse('{"__proto__":"7"}')],
  ['/pets:verb', '/pets:verb', {}],
  ['/pets:verb', '/petsx', 404],
  ['/pets/{id}:verb', '/pets/a:b:verb', { id: 'a:b' }],
  ['/users({id})/x', '/users(4)/x', { id: '4' }],
  ['/users({id})/x', '/users(4/x', 404],
  ['/a/*', '/a/*', {}],
  ['/a/*', '/a/b', 404],
  ['/a/*/b/{x}*', '/a/*/b/c*', { x: 'c' }],
  ['/a b/{x}', '/a%20b/c%20d', { x: 'c%20d' }],
  ['/a%20b/{x}', '/a%20b/c', { x: 'c' }],
  ['/a%2Fb/{x}', '/a%2Fb/c', { x: 'c' }],
  ['/100%/{x}', '/100%25/c', { x: 'c' }],
  ['/é/{x}', '/%C3%A9/c', { x: 'c' }],
  ['/a/', '/a/', {}],
  ['/a/', '/a', 404],
  ['/a/{x}/', '/a/b/', { x: 'b' }],
  ['/a/{x}', '/a/', 404],
  ['/a/{x}', '/a/b%2Fc', { x: 'b%2Fc' }],
  ['/a/{x}', '/a/b?x=/c', { x: 'b' }],
]

describe('a path', () => {
  test.each(templates)('a path %s is read when asked as %s', async (template, url, values) => {
    const app = await serve({ it: `GET ${template}` })
    const expected = values === 404 ? 404 : { id: 'it', ...values }
    expect(await reach(app, { url })).toEqual(expected)
  })
})

describe('the router chooses among several paths', () => {
  const operations = {
    mine: 'GET /pets/mine',
    one: 'GET /pets/{id}',
    change: 'PUT /pets/{name}',
    anyFormat: 'GET /pets/{id}.{format}',
    thumbnail: 'GET /pets/{id}t.{format}',
    raw: 'GET /pets/{id}_raw',
    json: 'GET /pets/{id}.json',
    verb: 'GET /pets/{id}:verb',
    other: 'GET /pets/{id}:other',
    star: 'GET /stars/*',
    anyStar: 'GET /stars/{name}',
    prefixed: 'GET /pets/x{id}',
    deep: 'GET /{a}/mine/{b}',
  }
  let app: FastifyInstance
  beforeAll(async () => {
    app = await serve(operations)
  })
  test.each([
    ['GET', '/pets/mine', { id: 'mine' }],
    ['GET', '/pets/mine2', { id: 'one', name: undefined }],
    ['GET', '/pets/5', { id: 'one' }],
    ['GET', '/pets/5_raw', { id: 'raw' }],
    ['GET', '/pets/5.json', { id: 'json' }],
    ['GET', '/pets/5.png', { id: 'anyFormat' }],
    ['GET', '/pets/5t.png', { id: 'thumbnail' }],
    ['GET', '/pets/5:verb', { id: 'verb' }],
    ['GET', '/pets/5:other', { id: 'other' }],
    ['GET', '/pets/5:neither', { id: 'one' }],
    ['GET', '/pets/x', { id: 'one' }],
    ['GET', '/pets/x1', { id: 'prefixed' }],
    ['GET', '/stars/*', { id: 'star' }],
    ['GET', '/stars/a', { id: 'anyStar' }],
    ['GET', '/pets/mine/3', { id: 'deep' }],
    ['PUT', '/pets/5', { id: 'change' }],
    ['PUT', '/pets/mine', 404],
    ['PUT', '/pets/%6Dine', 404],
    ['HEAD', '/pets/mine', 'empty'],
  ] as const)('%s %s reaches the most concrete path', async (method, url, expected) => {
    const reached = await reach(app, { method, url })
    if (typeof expected !== 'object') expect(reached).toBe(expected)
    else {
      const [, template = ''] = (operations[expected.id] ?? '').split(' ')
      expect(reached).toEqual({ id: expected.id, ...readPath(template, url) })
    }
  })

  test('a 405 names the methods of the most concrete path', async () => {
    const model = await modelFrom({
      paths: {
        '/pets/mine': { get: { responses: { 200: { description: '' } } } },
        '/pets/{id}': { put: { responses: { 200: { description: '' } } } },
        '/pets/{name}': { delete: { responses: { 200: { description: '' } } } },
      },
    })
    const find = pathFinder(model)
    const methodsAt = (url: string) => find(url)?.methods
    expect(methodsAt('/pets/mine?x=1')).toEqual(['GET'])
    expect(methodsAt('/pets/5')).toEqual(['PUT', 'DELETE'])
    expect(methodsAt('/pets/')).toBeUndefined()
    expect(methodsAt('/')).toBeUndefined()
  })
})

describe('a method', () => {
  test('HEAD of the document comes before that of GET', async () => {
    const app = await serve({ get: 'GET /a', head: 'HEAD /a', alone: 'HEAD /b' })
    expect(await reach(app, { method: 'HEAD', url: '/b' })).toBe('empty')
    expect(await reach(app, { method: 'GET', url: '/a' })).toEqual({ id: 'get' })
  })

  test('the method TRACE has its route', async () => {
    const app = await serve({ trace: 'TRACE /a/{x}', get: 'GET /a/{x}' })
    expect(await reach(app, { method: 'TRACE' as 'GET', url: '/a/1' })).toEqual({ id: 'trace', x: '1' })
  })

  test.each(['GET', 'DELETE', 'OPTIONS'] as const)(
    '%s has a body where the document says so',
    async method => {
      const request: InjectOptions = {
        method,
        url: '/a',
        payload: 'hello',
        headers: { 'content-type': 'text/plain' },
      }
      const app = await serve({ withBody: `${method} /a` })
      expect(await reach(app, request)).toEqual({ id: 'withBody', body: 'hello' })
      const other = await serve({ without: `${method} /a` })
      expect(await reach(other, request)).toEqual({ id: 'without' })
    },
  )
})

describe('the schemas of routes', () => {
  const route = { validatorCompiler: () => () => true, serializerCompiler: () => JSON.stringify }

  /** Returns the schema of each route of a document that fastify-openapi-glue gets whole, by operation. */
  async function schemasOf(model: Model): Promise<Map<string, FastifySchema | undefined>> {
    const schemas = new Map<string, FastifySchema | undefined>()
    const app = Fastify()
    app.addHook('onRoute', ({ config, schema }) => void schemas.set(config?.operationId ?? '', schema))
    const routeFor = ({ id }: { id: string }) => ({
      ...route,
      config: { operationId: id },
      handler: async () => '',
    })
    await registerOperations(app, model, routeFor, true)
    return schemas
  }

  test('are those of the document: parameters, bodies and responses by media type, extensions', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } }
    const content = { 'application/json': { schema } }
    const model = await modelFrom({
      paths: {
        '/a/{id}': {
          put: {
            operationId: 'put',
            'x-stability': 'beta',
            'x-nothing': null,
            'x-no-fastify-config': true,
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
              { name: 'q', in: 'query', schema: { type: 'string' } },
              { name: 'X-Size', in: 'header', schema: { type: 'integer' } },
            ],
            requestBody: { content },
            responses: { 200: { description: 'ok', content }, 204: { description: 'none' } },
          },
        },
      },
    })
    expect(await isTakenWhole(model)).toBe(true)
    expect((await schemasOf(model)).get('put')).toMatchObject({
      'x-stability': 'beta',
      params: { properties: { id: { type: 'integer' } }, required: ['id'] },
      querystring: { properties: { q: { type: 'string' } } },
      headers: { properties: { 'X-Size': { type: 'integer' } } },
      body: { content },
      response: { 200: { content } },
    })
  })

  test('of a document whose references lead to too much are not copied', async () => {
    const levels = Array.from({ length: 20 }, (_, i) => {
      const next = { $ref: `#/components/schemas/S${i + 1}` }
      return [`S${i}`, { type: 'object', properties: { a: next, b: next } }]
    })
    const schemas = { ...Object.fromEntries(levels), S20: { type: 'string' } }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } }
    const responses = { 200: { description: 'ok', content } }
    const model = await modelFrom({
      paths: { '/a': { get: { operationId: 'a', responses } } },
      components: { schemas },
    })
    expect(await isTakenWhole(model)).toBe(false)
  })
})
