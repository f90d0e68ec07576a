import { createAjv } from 'spec-served-document/values/json-schema'
import { unitsOf } from 'spec-served-lab/support/cost'
import { echo, serve } from 'spec-served-lab/support/engine'
import { describe, expect, test } from 'vitest'

// Schemas and security requirements have their own tests: schemas.test.ts, security.test.ts.
const herd = { type: 'array', uniqueItems: true, items: {} }

const body = (name: string) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})
const responses = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'Foreign', version: '1' },
  paths: {
    '/herds': { post: { operationId: 'addHerd', requestBody: body('Herd'), responses } },
    '/trees': { get: { operationId: 'listTrees', responses } },
  },
  components: { schemas: { Herd: herd } },
}
const handlers = { addHerd: echo, listTrees: echo }

describe('an ordinary OpenAPI 3.0 document boots unmodified', () => {
  test('unique items of an ordinary document may differ in any way', async () => {
    const app = await serve(document, handlers)
    for (const [payload, status] of [
      [[1, '1', true, null, [1], ['1'], { a: 1 }, { a: '1' }, {}, []], 200],
      [[{ a: 1, b: [{ c: 1, d: 2 }] }, 0, { b: [{ d: 2, c: 1 }], a: 1 }], 400],
      [['a', 'b', 'a'], 400],
      [[0, 0], 400],
    ] as const) {
      const response = await app.inject({ method: 'POST', url: '/herds', payload: [...payload] })
      expect(response.statusCode, JSON.stringify(payload)).toBe(status)
      if (status === 200) expect(response.json()).toEqual(payload)
    }
    await app.close()
  })

  test('a document sets the bounds of requests, and the usual ones apply to the rest', async () => {
    const bounds = { bodyBytes: 40, bodyValues: 5, bodyLevels: 3, urlCharacters: 20 }
    const app = await serve({ ...document, 'x-request-bounds': { ...bounds, other: 1 } }, handlers)
    const statusOf = async (payload: string, url = '/herds') => {
      const headers = { 'content-type': 'application/json' }
      return (await app.inject({ method: 'POST', url, payload, headers })).statusCode
    }
    expect(await statusOf('[1,2,3,4]')).toBe(200)
    expect(await statusOf('[1,2,3,4,5]')).toBe(400)
    expect(await statusOf('[[[]]]')).toBe(200)
    expect(await statusOf('[[[[]]]]')).toBe(400)
    expect(await statusOf(`[1]${' '.repeat(37)}`)).toBe(200)
    expect(await statusOf(`[1]${' '.repeat(38)}`)).toBe(413)
    expect(await statusOf('[1]', '/herds?a'.padEnd(20, 'a'))).toBe(400) // nothing declares this parameter
    expect(await statusOf('[1]', '/herds?a'.padEnd(21, 'a'))).toBe(414)
    await app.close()
    const usual = await serve({ ...document, 'x-request-bounds': { bodyValues: 'few' } }, handlers)
    expect((await usual.inject({ method: 'POST', url: '/herds', payload: [1, 2, 3, 4, 5] })).statusCode).toBe(
      200,
    )
    await usual.close()
  })

  test('many unique items are not each compared with each other one', async () => {
    const validate = createAjv().compile(herd)
    const items = Array.from({ length: 15_000 }, (_, i) => ({ i }))
    expect(await unitsOf(() => validate(items), 100)).toBeLessThan(100)
    expect(validate(items)).toBe(true)
  })
})

test.each([
  ['missing', { addHerd: echo }, 'No handler for listTrees'],
  ['too many', { ...handlers, addTree: echo }, 'No operation in the document for the handlers addTree'],
])('handlers that are %s are named, and nothing boots', async (_, wrongHandlers, fault) => {
  await expect(serve(document, wrongHandlers)).rejects.toThrow(fault)
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
      Object.entries(answers).map(([id, [, value]]) => [id, async () => ({ status: 200, body: value })]),
    ),
  )
  for (const [id, [type, , sent]] of Object.entries(answers)) {
    const reply = await app.inject(`/${id}`)
    expect([reply.headers['content-type']?.split(';')[0], reply.body]).toEqual([type, sent])
  }
  await app.close()
})

test('a text names its charset, unless the document or the handler does, or its bytes may be in another', async () => {
  const answers: Record<string, [type: string, reply: object, sent: string]> = {
    page: ['text/html', { body: '<p>Grüße</p>' }, 'text/html; charset=utf-8'],
    named: ['text/csv;charset=UTF-8', { body: 'ä' }, 'text/csv;charset=UTF-8'],
    given: ['text/*', { headers: { 'Content-Type': 'text/x-log' }, body: 'ä' }, 'text/x-log; charset=utf-8'],
    bytes: ['text/csv', { body: Buffer.from('ä', 'latin1') }, 'text/csv'],
    events: ['text/event-stream', { body: 'data: ä\n\n' }, 'text/event-stream'],
    xml: ['application/xml', { body: '<ä/>' }, 'application/xml'],
  }
  const paths = Object.entries(answers).map(([operationId, [type]]) => {
    const content = { [type]: { schema: { type: 'string' } } }
    return [`/${operationId}`, { get: { operationId, responses: { 200: { description: '', content } } } }]
  })
  const replies = Object.entries(answers).map(([id, [, reply]]) => [
    id,
    async () => ({ status: 200, ...reply }),
  ])
  await using app = await serve(
    { ...document, paths: Object.fromEntries(paths) },
    Object.fromEntries(replies),
  )
  for (const [id, [, , sent]] of Object.entries(answers))
    expect((await app.inject(`/${id}`)).headers['content-type'], id).toBe(sent)
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

test('a server whose path begins with two slashes is none of another host, in the docs and at /mcp', async () => {
  const servers = [{ url: 'https://api.example//other.example/v1' }]
  const app = await serve({ ...document, servers }, handlers)
  const { body: text } = await app.inject('/openapi.json')
  expect(JSON.parse(text).servers[0].url).toBe('/other.example/v1')
  expect((await app.inject('/other.example/v1/trees')).statusCode).toBe(200)
  const params = { name: 'listTrees', arguments: {} }
  const accept = 'application/json, text/event-stream'
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const called = await app.inject({ method: 'POST', url: '/mcp', payload, headers: { accept } })
  expect(called.json()).toMatchObject({ result: { content: expect.any(Array) } })
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

test('guesses at a key in the query cost and ban at open paths and as tools, and show nothing', async () => {
  const limits = { windows: [{ name: 'minute', seconds: 60 }], anonymous: 'None' }
  const guarded = {
    ...document,
    'x-rate-limits': {
      ...{ ...limits, plans: { None: { minute: 3 }, Some: { minute: 9 } } },
      ban: { refusals: 2, window: 'minute', seconds: 60 },
    },
    paths: {
      '/trees': { get: { operationId: 'listTrees', security: [{ Query: [] }], responses } },
      '/open': { get: { operationId: 'open', 'x-quota-free': true, responses } },
    },
    components: { securitySchemes: { Query: { type: 'apiKey', in: 'query', name: 'key' } } },
  }
  const holder = { id: 1, scopes: [], plan: 'Some', quotas: null, bannedUntil: null }
  let asked = 0
  const find = ({ value }: { value: string }) => {
    asked++
    return value === 'right' ? holder : { fault: 'is not known' }
  }
  const app = await serve(guarded, { listTrees: echo, open: echo }, { Query: { find } })
  const limitsAt = async (url: string, remoteAddress = '192.0.2.1') => {
    const { statusCode, headers } = await app.inject({ url, remoteAddress })
    return [statusCode, Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]
  }
  expect(await limitsAt('/open?key=right')).toEqual([200, 9, 9])
  expect(await limitsAt('/openapi.json?key=right')).toEqual([200, 9, 9])
  expect(await limitsAt('/openapi.json?key=wrong')).toEqual([200, 3, 2])
  expect(await limitsAt('/docs/?key=wrong')).toEqual([200, 3, 1])
  expect(await limitsAt('/open?key=wrong')).toEqual([200, 3, 0])
  asked = 0
  for (let i = 0; i < 4; i++) expect(await limitsAt('/docs/?key=right')).toEqual([200, 3, 0])
  expect(asked).toBe(0)
  expect((await limitsAt('/trees'))[0]).toBe(403)
  expect((await limitsAt('/trees?key=right')).slice(0, 2)).toEqual([200, 9])
  expect((await limitsAt('/openapi.json'))[0]).toBe(200)
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'listTrees' } }
  const headers = { accept: 'application/json, text/event-stream' }
  const call = async (url: string, remoteAddress: string) => {
    const reply = await app.inject({ method: 'POST', url, headers, payload: message, remoteAddress })
    return [reply.statusCode, Number(reply.headers['x-ratelimit-remaining'])]
  }
  expect(await call('/mcp?key=right', '192.0.2.2')).toEqual([200, 7])
  expect(await call('/mcp?key=wrong', '192.0.2.2')).toEqual([401, 2])
  expect(await call('/mcp', '192.0.2.2')).toEqual([200, 1])
  expect((await call('/mcp', '192.0.2.1'))[0]).toBe(403)
  await app.close()
})

test('an agent is shown the tools whose security schemes its credential meets, and no others', async () => {
  const scheme = (name: string) => ({ type: 'apiKey', in: 'header', name })
  const operation = (operationId: string, name: string) => ({
    get: { operationId, security: [{ [name]: [] }], responses },
  })
  const guarded = {
    ...document,
    paths: { '/trees': operation('listTrees', 'One'), '/birds': operation('listBirds', 'Two') },
    components: { securitySchemes: { One: scheme('x-one'), Two: scheme('x-two') } },
  }
  const holder = { id: 1, scopes: [], plan: '', quotas: null, bannedUntil: null }
  const checker = {
    find: ({ value }: { value: string }) => (value === 'right' ? holder : { fault: 'is not known' }),
  }
  const app = await serve(guarded, { listTrees: echo, listBirds: echo }, { One: checker, Two: checker })
  const toolsFor = async (fields: Record<string, string>) => {
    const reply = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', ...fields },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    return reply.json().result.tools.map(({ name }: { name: string }) => name)
  }
  expect(await toolsFor({ 'x-one': 'right' })).toEqual(['listTrees'])
  expect(await toolsFor({ 'x-two': 'right' })).toEqual(['listBirds'])
  expect(await toolsFor({ 'x-one': 'right', 'x-two': 'right' })).toEqual(['listTrees', 'listBirds'])
  await app.close()
})
