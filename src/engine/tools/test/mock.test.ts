import { readFile } from 'node:fs/promises'
import { createReplyChecker } from 'spec-served/internal/validation/replies'
import { type Model, modelOf, unservedPlaces } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { createSchemas } from 'spec-served-document/values/schemas'
import { modelFrom } from 'spec-served-lab/support/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misfitsIn } from '../mock/misfits.ts'
import { preferencesIn } from '../mock/prefer.ts'
import { serveMocks } from '../mock/serve.ts'

type App = Awaited<ReturnType<typeof serveMocks>>

const tree = { type: 'object', required: ['height'], properties: { height: { type: 'integer', minimum: 3 } } }
const examples = { oak: { value: { height: 20 } }, fir: { value: { height: 30 } } }
const foreign = {
  openapi: '3.0.3',
  info: { title: 'Trees', version: '1' },
  security: [{ Token: [] }],
  paths: {
    '/trees/{name}': {
      get: {
        operationId: 'getTree',
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string', maxLength: 5 } }],
        responses: {
          200: {
            description: 'ok',
            headers: { 'X-Age': { required: true, schema: { type: 'integer', minimum: 7 } } },
            content: {
              'application/json': { schema: tree, examples },
              'text/csv': { example: 'height\n20' },
            },
          },
          '4XX': {
            description: 'no',
            content: { 'application/json': { schema: { type: 'string', enum: ['no'] } } },
          },
        },
      },
      delete: {
        operationId: 'fellTree',
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'gone' } },
      },
    },
    '/leaves': {
      get: {
        operationId: 'listLeaves',
        security: [],
        responses: { 200: { description: 'ok' }, 422: { description: 'no' } },
      },
    },
    '/trees': {
      post: {
        operationId: 'plantTree',
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema: tree } } },
        responses: { 201: { description: 'ok', content: { 'application/json': { schema: tree } } } },
      },
    },
  },
  components: { securitySchemes: { Token: { type: 'http', scheme: 'bearer' } } },
}

describe('a document of another trade', () => {
  let app: App
  beforeAll(async () => {
    app = await serveMocks(JSON.stringify(foreign), await modelFrom(foreign), { isOurs: false })
  })
  afterAll(() => app.close())
  const get = (headers: Record<string, string> = {}, url = '/trees/oak') =>
    app.inject({ url, headers: { authorization: 'Bearer abc', ...headers } })

  test('a mock answers the first example, marked as a mock, with the header fields that it must have', async () => {
    const reply = await get()
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ height: 20 })
    expect(reply.headers).toMatchObject({ 'x-mock': 'true', 'x-age': '7' })
    expect(reply.headers['preference-applied']).toBeUndefined()
  })

  test('a mock answers the preferred example, status or drawn value, and says so', async () => {
    const fir = await get({ prefer: 'example=fir' })
    expect(fir.json()).toEqual({ height: 30 })
    expect(fir.headers['preference-applied']).toBe('example=fir')
    const no = await get({ prefer: 'code=404' })
    expect([no.statusCode, no.json()]).toEqual([404, 'no'])
    expect((await get({ prefer: 'dynamic=true' })).json()).toEqual({ height: 3 })
  })

  test('a mock says what there is when something else is preferred', async () => {
    const status = await get({ prefer: 'code=503' })
    expect([status.statusCode, status.json().message]).toEqual([
      404,
      'The document has no response 503 here; it has 200, 4XX.',
    ])
    expect((await get({ prefer: 'example=ash' })).json().message).toBe(
      'There is no example ash here; there are: oak, fir.',
    )
  })

  test('a mock answers in the accepted media type, and 406 without one', async () => {
    const csv = await get({ accept: 'text/csv, application/json;q=0.5' })
    expect([csv.headers['content-type'], csv.body]).toEqual(['text/csv; charset=utf-8', 'height\n20'])
    expect((await get({ accept: 'text/*' })).body).toBe('height\n20')
    expect((await get({ accept: 'application/*;q=0.1, text/csv;q=0' })).json()).toEqual({ height: 20 })
    expect((await get({ accept: 'image/png' })).statusCode).toBe(406)
  })

  test('a mock refuses what the document does not allow, as the service would', async () => {
    expect((await app.inject({ url: '/trees/oak' })).statusCode).toBe(401)
    expect((await get({}, '/trees/too-long')).statusCode).toBe(400)
    expect((await get({}, '/bushes')).statusCode).toBe(404)
    expect((await get({}, '/leaves?colour=red')).statusCode).toBe(422) // it has no 400
    const planted = (payload: object, type = 'application/json') =>
      app.inject({ method: 'POST', url: '/trees', payload, headers: { 'content-type': type } })
    expect((await planted({ height: 1 })).statusCode).toBe(400)
    expect((await planted({ height: 5 }, 'text/plain')).statusCode).toBe(415)
    expect((await planted({ height: 5 })).json()).toEqual({ height: 3 })
  })

  test('a mock answers nothing where the document declares nothing', async () => {
    const reply = await app.inject({
      method: 'DELETE',
      url: '/trees/oak',
      headers: { authorization: 'Bearer abc' },
    })
    expect([reply.statusCode, reply.body, reply.headers['x-mock']]).toEqual([204, '', 'true'])
  })
})

test('every success of the pet store’s own document is what the document declares', async () => {
  const { document } = await readDocument('spec/openapi.yaml')
  const model = modelOf(document)
  const check = createReplyChecker(model)
  const app = await serveMocks(await readFile('spec/openapi.yaml', 'utf8'), model, { isOurs: true })
  for (const { id, method, path, parameters } of model.operations.filter(
    ({ method: verb }) => verb === 'GET',
  )) {
    const asked = parameters.filter(({ in: place, required }) => place === 'query' && required)
    const query = new URLSearchParams(
      Object.fromEntries(asked.map(({ name, example }) => [name, String(example)])),
    )
    for (const prefer of ['', 'dynamic=true']) {
      const reply = await app.inject({
        method: method as 'GET', // all of these are
        url: `${path.replaceAll(/\{.*?\}/g, '1')}?${query}`,
        headers: { 'x-api-key': 'any', prefer },
      })
      expect(check(id, { status: reply.statusCode, headers: reply.headers, body: reply.json() })).toEqual([])
      expect(reply.headers['x-mock']).toBe('true')
    }
  }
  await app.close()
})

test.each([
  ['code=404', { code: '404', example: undefined, dynamic: false }],
  ['CODE = "404" ; x=1 , example="a, b"', { code: '404', example: 'a, b', dynamic: false }],
  [
    'respond-async, wait=10, dynamic=true, dynamic=false',
    { code: undefined, example: undefined, dynamic: true },
  ],
  ['', { code: undefined, example: undefined, dynamic: false }],
])('Prefer: %s', (field, read) => {
  expect(preferencesIn(field)).toEqual(read)
})

describe('a mock of any document', () => {
  const serving = async (paths: object, others: object = {}) => {
    const app = await serveMocks(
      '',
      await modelFrom({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths, ...others }),
      {
        isOurs: false,
      },
    )
    return { app, get: async (url: string) => app.inject(url) }
  }
  const returning = (type: string, media: object) => ({
    get: { responses: { 200: { description: 'ok', content: { [type]: media } } } },
  })

  test('a mock is served at its first server’s path, which the docs offer before all others', async () => {
    const servers = [
      { url: 'https://{host}/api/{v}/', variables: { host: { default: 'a.org' }, v: { default: 'v3' } } },
    ]
    const { app, get } = await serving({ '/pets': returning('application/json', {}) }, { servers })
    expect((await get('/api/v3/pets')).statusCode).toBe(200)
    expect((await get('/pets')).statusCode).toBe(404)
    const document = (await get('/openapi.json')).json()
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(['/api/v3', servers[0]?.url])
    await app.close()
  })

  test('a mock gives language models the path at which it is served', async () => {
    const source = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      servers: [{ url: '/v1' }],
      paths: {},
    }
    const { document } = await modelFrom(source)
    const app = await serveMocks('', modelOf(document, '/other'), { isOurs: false })
    expect((await app.inject('/docs/llms.txt')).body).toContain('Base URL: /other or /v1')
    await app.close()
  })

  test.each([
    [
      'text/event-stream',
      { schema: { type: 'object', properties: { id: { const: 1 } } } },
      'data: {"id":1}\n\n'.repeat(3),
    ],
    ['text/event-stream', { example: 'data: a\n\ndata: b\n\n' }, 'data: a\n\ndata: b\n\n'],
    ['text/event-stream', { example: [{ event: 'made', data: 'Rex' }] }, 'event: made\ndata: Rex\n\n'],
    ['application/x-ndjson', { example: [{ a: 1 }, { a: 2 }] }, '{"a":1}\n{"a":2}\n'],
  ])('a mock streams items of %s, made of %j', async (type, media, text) => {
    const { app, get } = await serving({ '/items': returning(type, media) })
    const reply = await get('/items')
    expect([reply.headers['content-type'], reply.body]).toEqual([type, text])
    await app.close()
  })

  test('a mock answers with what just one of several alternatives takes', async () => {
    const one = {
      type: 'object',
      required: ['r'],
      properties: { r: { type: 'integer' }, t: { type: 'integer' } },
    }
    const other = {
      type: 'object',
      required: ['r'],
      properties: { r: { type: 'integer' }, e: { type: 'string' } },
    }
    const schema = { oneOf: [one, other] }
    const { app, get } = await serving({ '/a': returning('application/json', { schema }) })
    expect((await get('/a')).json()).toEqual({ r: 1, t: 1, e: null })
    await app.close()
  })

  test('a mock writes header fields by their styles', async () => {
    const schema = {
      type: 'object',
      required: ['r', 'g'],
      properties: { r: { const: 1 }, g: { const: 'b' } },
    }
    const headers = {
      'X-Plain': { required: true, schema },
      'X-Exploded': { required: true, explode: true, schema },
      'X-List': { schema: { type: 'array', items: { type: 'integer' } }, example: [1, 2] },
      'X-Json': { required: true, content: { 'application/json': { schema } } },
    }
    const { app, get } = await serving({
      '/a': { get: { responses: { 200: { description: 'ok', headers } } } },
    })
    expect((await get('/a')).headers).toMatchObject({
      'x-plain': 'r,1,g,b',
      'x-exploded': 'r=1,g=b',
      'x-list': '1,2',
      'x-json': '{"r":1,"g":"b"}',
    })
    await app.close()
  })

  test('a mock sends XML if it has a text of it, and never JSON by that name', async () => {
    const schema = { type: 'object', properties: { n: { const: 1 } } }
    const content = { 'application/xml': { schema }, 'application/json': { schema } }
    const paths = {
      '/a': { get: { responses: { 200: { description: 'ok', content } } } },
      '/b': returning('application/xml', { schema, example: '<n>1</n>' }),
      '/c': returning('text/xml', { schema }),
    }
    const { app } = await serving(paths)
    const get = async (url: string, accept = '*/*') => {
      const { statusCode, headers, body } = await app.inject({ url, headers: { accept } })
      return [statusCode, headers['content-type'], body]
    }
    expect(await get('/a')).toEqual([200, 'application/json; charset=utf-8', '{"n":1}'])
    expect((await get('/a', 'application/xml'))[0]).toBe(406)
    expect(await get('/b')).toEqual([200, 'application/xml', '<n>1</n>'])
    expect((await get('/c'))[0]).toBe(406)
    await app.close()
  })

  test('a mock sends no example that does not fit, and reports each', async () => {
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
    const both = { right: { value: { n: 2 } }, wrong: { value: { n: 'x' } } }
    const media = { schema, example: { n: 'text' }, examples: both }
    const headers = { 'X-Count': { schema: { type: 'integer' }, example: 'many' } }
    const responses = { 200: { description: 'ok', headers, content: { 'application/json': media } } }
    const paths = { '/a': { get: { responses } } }
    const { app, get } = await serving(paths)
    const reply = await get('/a')
    expect([reply.json(), reply.headers['x-count']]).toEqual([{ n: 2 }, '1'])
    await app.close()
    const model = await modelFrom({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths })
    const told = [...misfitsIn(model, createSchemas(model))].map(
      ({ path, message }) => `${path.slice(5).join(' ')}: ${message}`,
    )
    expect(told).toEqual([
      expect.stringMatching(/^headers X-Count example: The example does not fit its schema \(it must be/),
      expect.stringMatching(/^content application\/json example: .* \(\/n must be/),
      expect.stringMatching(/^content application\/json examples wrong value: /),
    ])
  })

  const number = { type: 'number' }
  const either = [1, 2].map(n => ({
    type: 'object',
    required: ['id', `k${n}`],
    properties: { [`k${n}`]: number },
  }))
  test.each<[string, object, unknown]>([
    ['of a share', { ...number, minimum: 0.1, maximum: 0.2 }, 0.1],
    [
      'between bounds that are not allowed',
      { ...number, exclusiveMinimum: 100, exclusiveMaximum: 100.5 },
      100.25,
    ],
    ['close to zero', { ...number, exclusiveMinimum: 0, exclusiveMaximum: 0.001 }, 0.0005],
    ['that is a multiple of a fraction', { ...number, multipleOf: 0.1, minimum: 0.25 }, 0.3],
    [
      'with bounds in two parts',
      {
        allOf: [
          { type: 'integer', minimum: -5 },
          { ...number, minimum: -10, maximum: 5 },
        ],
      },
      -5,
    ],
    [
      'with lengths in two parts',
      {
        allOf: [
          { type: 'string', minLength: 6 },
          { minLength: 2, maxLength: 7 },
        ],
      },
      'textxx',
    ],
    ['with values in two parts', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, 'b'],
    [
      'of items once each',
      { type: 'array', minItems: 2, uniqueItems: true, items: { format: 'date', type: 'string' } },
      ['2024-02-29', '2023-02-28'],
    ],
    [
      'of one alternative alone',
      {
        type: 'object',
        properties: { id: { type: 'integer' } },
        oneOf: [{ required: ['id'] }, { required: ['b'] }],
      },
      { id: 1 },
    ],
    ['that has one of two shapes', { properties: { id: number }, oneOf: either }, { id: 0.5, k1: 0.5 }],
    [
      'with a null that the author wants',
      { type: 'object', required: ['at'], properties: { at: { type: ['string', 'null'], example: null } } },
      { at: null },
    ],
  ])('a mock answers with a value %s', async (_, schema, value) => {
    const media = { 'application/json': { schema } }
    const { app, get } = await serving({
      '/a': { get: { responses: { 200: { description: 'ok', content: media } } } },
    })
    expect((await get('/a')).json()).toEqual(value)
    await app.close()
  })

  test('a mock answers null where the example is null', async () => {
    const media = { 'application/json': { schema: { type: ['object', 'null'] }, example: null } }
    const { app, get } = await serving({
      '/a': { get: { responses: { 200: { description: 'ok', content: media } } } },
    })
    expect((await get('/a')).json()).toBeNull()
    await app.close()
  })

  test('a mock sends a value in place of an example of another type, and says where it found none', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `p${i}`)
    const properties = Object.fromEntries(names.map(name => [name, { type: 'string', format: 'date' }]))
    const large = { type: 'object', required: names, properties }
    const impossible = { type: 'integer', minimum: 3, maximum: 2 }
    const at = (media: object) => ({
      get: { responses: { 200: { description: 'ok', content: { 'application/json': media } } } },
    })
    const paths = {
      '/a': at({ schema: large, example: [] }),
      '/b': at({ schema: impossible, example: 'x' }),
      '/c': at({ schema: impossible }),
    }
    const { app, get } = await serving(paths)
    expect(Object.keys((await get('/a')).json())).toEqual(names)
    expect((await get('/b')).json()).toBe('x')
    await app.close()
    const model = await modelFrom({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths })
    expect(
      [...misfitsIn(model, createSchemas(model))].map(({ message }) => message.replace(/ \(.*\)/, '')),
    ).toEqual([
      'The example does not fit its schema: the mock sends another value.',
      'The example does not fit its schema: the mock sends it all the same, as no value was found that does.',
      'No value was found that fits this schema, so the mock sends one that does not. Give it an example.',
    ])
  })
})

test('a mock waits as it is asked to, and fails a share of the requests by the document', async () => {
  const json = (status: string) => ({
    description: 'ok',
    content: { 'application/json': { schema: { type: 'string' }, example: status } },
  })
  const operation = (id: string, ...statuses: string[]) => ({
    get: { operationId: id, responses: Object.fromEntries(statuses.map(status => [status, json(status)])) },
  })
  const document = {
    openapi: '3.0.3',
    info: { title: 'A', version: '1' },
    paths: { '/a': operation('a', '200', '502'), '/b': operation('b', '200') },
  }
  const model = await modelFrom(document)
  const own = await serveMocks(JSON.stringify(document), model, {
    ...{ isOurs: false, errorShare: 0.25, latencyMs: [20, 40] },
  })
  const took = async (url: string, headers = {}) => {
    const start = performance.now()
    const { statusCode, body, headers: fields } = await own.inject({ url, headers })
    return { statusCode, body, ms: performance.now() - start, applied: fields['preference-applied'] }
  }
  const replies = [await took('/a'), await took('/a'), await took('/a'), await took('/a')]
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 502])
  expect(replies[3]?.body).toBe('"502"')
  for (const { ms } of replies) expect(ms).toBeGreaterThan(19)
  const delayed = await took('/a', { prefer: 'delay=120' })
  expect(delayed.ms).toBeGreaterThan(119)
  expect(delayed.applied).toBe('delay=120')
  expect((await took('/a', { prefer: 'delay=soon' })).applied).toBeUndefined()
  expect([(await took('/b')).statusCode, (await took('/b')).statusCode]).toEqual([200, 503])
  await own.close()
})

test('the start of a mock names the places of servers that it does not serve', async () => {
  const version = { default: 'v1', enum: ['v1', 'v2'] }
  const servers = [
    { url: 'https://api.example.org/{version}', variables: { version } },
    { url: 'https://api.example.org/sandbox' },
  ]
  const model = await modelFrom({ ...foreign, servers })
  const told = (of: Model) => unservedPlaces(of).map(({ message }) => message)
  expect(told(model)).toEqual(['Only the server at /v1 is served. The document has others at /v2, /sandbox.'])
  expect(told(await modelFrom(foreign))).toEqual([])
  expect(told(modelOf(model.document, '/sandbox'))).toEqual([expect.stringContaining('at /v1, /v2.')])
})

test('an operation with servers of its own is served at the path of the first one, and shown there', async () => {
  const get = { operationId: 'getFile', responses: { 204: { description: 'ok' } } }
  const servers = [{ url: 'https://files.example.org/upload' }, { url: 'https://files.example.org/b' }]
  const paths = { '/file': { servers, get }, '/own': { get: { ...get, operationId: 'getOwn' } } }
  const model = await modelFrom({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: '/v1' }],
    paths,
  })
  const app = await serveMocks('', model, { isOurs: false })
  const statuses = ['/upload/file', '/v1/own', '/v1/file', '/b/file'].map(
    async url => (await app.inject(url)).statusCode,
  )
  expect(await Promise.all(statuses)).toEqual([204, 204, 404, 404])
  const { paths: shown } = (await app.inject('/openapi.json')).json()
  expect(shown['/file'].get.servers.map(({ url }: { url: string }) => url)).toEqual([
    '/upload',
    ...servers.map(server => server.url),
  ])
  expect(unservedPlaces(model)).toEqual([
    {
      place: ['paths', '/file', 'get', 'servers'],
      message: 'Only the server at /upload is served for getFile. The document has others at /b.',
    },
  ])
  await app.close()
})
