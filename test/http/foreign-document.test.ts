import { describe, expect, test } from 'vitest'
import type { Checker } from '../../src/engine/access/security.ts'
import { createAjv } from '../../src/engine/requests/json-schema.ts'
import { echo, serve } from '../support/engine.ts'

const schemas = {
  Node: {
    type: 'object',
    required: ['weight'],
    additionalProperties: false,
    properties: {
      weight: { type: 'number', minimum: 0, exclusiveMinimum: true, example: 1 },
      note: { type: 'string', nullable: true, xml: { name: 'n' } },
      children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
    example: { weight: 1 },
  },
  Cat: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['Cat'] }, lives: { type: 'integer' } },
  },
  Dog: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['Dog'] }, tricks: { type: 'integer' } },
  },
  Herd: { type: 'array', uniqueItems: true, items: {} },
  Animal: {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName: 'kind', mapping: { Cat: '#/components/schemas/Cat' } },
  },
}

const body = (name: string) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})
const responses = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'Foreign', version: '1' },
  paths: {
    '/nodes': { post: { operationId: 'addNode', requestBody: body('Node'), responses } },
    '/animals': { post: { operationId: 'addAnimal', requestBody: body('Animal'), responses } },
    '/herds': { post: { operationId: 'addHerd', requestBody: body('Herd'), responses } },
  },
  components: { schemas },
}
describe('an ordinary OpenAPI 3.0 document boots unmodified', () => {
  test.each([
    ['/nodes', { weight: 0.1, note: null, children: [{ weight: 2, children: [] }] }, 200],
    ['/nodes', { weight: 0 }, 400],
    ['/nodes', { weight: 1, note: 5 }, 400],
    ['/nodes', { weight: 1, children: [{ weight: 0 }] }, 400],
    ['/nodes', { weight: 1, children: [{ weight: 1, colour: 'red' }] }, 400],
    ['/animals', { kind: 'Cat', lives: 9 }, 200],
    ['/animals', { kind: 'Dog', tricks: 'many' }, 400],
    ['/animals', { kind: 'Cow' }, 400],
    ['/herds', [1, '1', true, null, [1], ['1'], { a: 1 }, { a: '1' }, {}, []], 200],
    ['/herds', [{ a: 1, b: [{ c: 1, d: 2 }] }, 0, { b: [{ d: 2, c: 1 }], a: 1 }], 400],
    ['/herds', ['a', 'b', 'a'], 400],
    ['/herds', [0, 0], 400],
  ])('POST %s %j answers %i', async (url, payload, status) => {
    const app = await serve(document, { addNode: echo, addAnimal: echo, addHerd: echo })
    const response = await app.inject({ method: 'POST', url, payload })
    expect(response.statusCode).toBe(status)
    if (status === 200) expect(response.json()).toEqual(payload)
    await app.close()
  })

  test('many items that must be unique are not each compared with each other one', () => {
    const validate = createAjv().compile(schemas.Herd)
    const items = Array.from({ length: 15_000 }, (_, i) => ({ i }))
    const begun = process.cpuUsage()
    expect(validate(items)).toBe(true)
    expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000)
  })

  test('200 operations that share a schema of 60 properties boot within seconds', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`p${i}`, { type: 'string', maxLength: i }]),
    )
    const ids = Array.from({ length: 200 }, (_, i) => `operation${i}`)
    const many = {
      ...document,
      paths: Object.fromEntries(
        ids.map(id => [`/${id}`, { post: { operationId: id, requestBody: body('Big'), responses } }]),
      ),
      components: { schemas: { Big: { type: 'object', properties } } },
    }
    const handlers = Object.fromEntries(ids.map(id => [id, echo]))
    const app = await serve(many, handlers)
    expect(
      (await app.inject({ method: 'POST', url: '/operation199', payload: { p1: 'ab' } })).statusCode,
    ).toBe(400)
    await app.close()
  })
})

describe('handlers that are not the document’s do not boot', () => {
  test('a missing one is named', async () => {
    await expect(serve(document, { addNode: echo, addHerd: echo })).rejects.toThrow(
      'No handler for addAnimal',
    )
  })

  test('one too many is named', async () => {
    const handlers = { addNode: echo, addAnimal: echo, addHerd: echo, addTree: echo }
    await expect(serve(document, handlers)).rejects.toThrow(
      'No operation in the document for the handlers addTree',
    )
  })
})

describe('an operation that asks for a credential', () => {
  const secured = {
    ...document,
    security: [{ Token: [] }],
    components: { ...document.components, securitySchemes: { Token: { type: 'http', scheme: 'bearer' } } },
  }
  const handlers = { addNode: echo, addAnimal: echo, addHerd: echo }

  test('does not boot when nobody checks it, and says what to hand over', async () => {
    await expect(serve(secured, handlers)).rejects.toThrow(
      /addNode, addAnimal, addHerd ask for Token: hand over a checker of that name/,
    )
  })

  test('lets in whom somebody knows, when that is asked', async () => {
    const holder = { id: 'ann', scopes: [], plan: '', quotas: null, bannedUntil: null }
    const checker: Checker = {
      find: ({ value }) => (value === 'abc' ? holder : { fault: 'is not known' }),
    }
    const app = await serve(secured, handlers, { Token: checker })
    const post = (headers: Record<string, string>) =>
      app.inject({ method: 'POST', url: '/nodes', headers, payload: { weight: 1 } })
    expect((await post({ authorization: 'Bearer abc' })).statusCode).toBe(200)
    const refused = await post({ authorization: 'Bearer abcd' })
    expect(refused.statusCode).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="memory"')
    expect(refused.json()).toMatchObject({
      code: 'unauthenticated',
      message: 'The bearer token is not known.',
    })
    await app.close()
  })
})

test('a handler’s text, bytes and lists leave as the media type that the response declares', async () => {
  const answers: Record<string, [type: string, body: unknown, sent: string]> = {
    jsonText: ['application/json', 'a "b"', '"a \\"b\\""'],
    jsonList: ['application/json', [1], '[1]'],
    plain: ['text/plain', 'a', 'a'],
    xml: ['application/xml', '<a/>', '<a/>'],
    bytes: ['image/png', Buffer.from('png'), 'png'],
    problem: ['application/problem+json', 'a', '"a"'],
  }
  const app = await serve(
    {
      ...document,
      paths: Object.fromEntries(
        Object.entries(answers).map(([id, [type]]) => [
          `/${id}`,
          { get: { operationId: id, responses: { default: { description: '', content: { [type]: {} } } } } },
        ]),
      ),
    },
    Object.fromEntries(
      Object.entries(answers).map(([id, [, body]]) => [id, async () => ({ status: 200, body })]),
    ),
  )
  for (const [id, [type, , sent]] of Object.entries(answers)) {
    const reply = await app.inject(`/${id}`)
    expect([reply.headers['content-type']?.split(';')[0], reply.body]).toEqual([type, sent])
  }
  await app.close()
})

test('a document’s own paths come before the addresses of the docs', async () => {
  const get = (operationId: string) => ({ get: { operationId, responses } })
  const app = await serve(
    {
      ...document,
      paths: {
        '/': get('home'),
        '/docs/{id}': get('readDoc'),
        '/openapi.json': get('readJson'),
        '/openapi.yaml/old': get('readOld'),
      },
    },
    Object.fromEntries(
      ['home', 'readDoc', 'readJson', 'readOld'].map(id => [id, async () => ({ status: 200, body: id })]),
    ),
  )
  for (const [url, id] of Object.entries({ '/': 'home', '/docs/5': 'readDoc', '/openapi.json': 'readJson' }))
    expect((await app.inject(url)).json()).toBe(id)
  expect((await app.inject('/_docs')).headers['content-type']).toMatch('text/html')
  expect((await app.inject('/_docs/json')).headers.location).toBe('/_docs/openapi.json')
  for (const address of ['/_docs/openapi.json', '/_docs/openapi.yaml', '/_docs/operations/readDoc.md'])
    expect((await app.inject(address)).statusCode).toBe(200)
  expect((await app.inject('/_docs/llms.txt')).payload).toContain(
    '(/_docs/operations/readDoc.md): GET /docs/{id}',
  )
  await app.close()
})

test('a title is text on the docs page, whatever it holds', async () => {
  const info = { title: '</title><script>a & b</script>', version: '1' }
  const app = await serve({ openapi: '3.0.3', info, paths: {} }, {})
  expect((await app.inject('/docs')).payload).toContain(
    '<title>&lt;/title>&lt;script>a &amp; b&lt;/script> API</title>',
  )
  await app.close()
})

test('any operation can be read in Markdown', async () => {
  const nested = { type: 'array', items: { $ref: '#/components/schemas/Nested' } }
  const get = {
    operationId: 'a/b c',
    summary: 'Two\nlines',
    parameters: [
      { name: 'n', in: 'query', schema: { $ref: '#/components/schemas/Nested' }, description: 'a | b' },
      { name: 'c', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
    ],
    responses: { default: { description: 'All.', content: { 'text/plain': { example: '```' } } } },
  }
  const app = await serve(
    {
      openapi: '3.0.3',
      info: { title: 'T', version: '1' },
      paths: { '/x': { get } },
      components: { schemas: { Nested: nested } },
    },
    { 'a/b c': async () => ({ status: 200 }) },
  )
  const index = (await app.inject('/docs/llms.txt')).payload
  const [, link = ''] = /\[Two lines\]\(([^)]+)\): GET \/x/.exec(index) ?? []
  const { statusCode, payload } = await app.inject(link)
  expect(statusCode).toBe(200)
  expect(payload).toContain('# Two lines')
  expect(payload).toContain('a \\| b')
  expect(payload).toContain('```json\n"```"\n')
  await app.close()
})
