import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/generated/operations.ts'
import { listenForBytes, type SendRaw } from '../support/socket.ts'
import { startStore, type TestStore } from '../support/store.ts'

let store: TestStore
let send: SendRaw
beforeAll(async () => {
  store = await startStore()
  send = await listenForBytes(store.app)
})
afterAll(() => store.close())

interface RawReply {
  status: number
  headers: Record<string, string>
  code: string | undefined
}

/** Sends a request line, header fields and a body as they are, with the key. */
async function raw(line: string, fields: string[] = ['Host: x'], body = ''): Promise<RawReply> {
  const own = [`X-API-Key: ${store.key}`, 'Connection: close']
  const [head = '', text = ''] = (
    await send(`${line}\r\n${[...fields, ...own].join('\r\n')}\r\n\r\n${body}`)
  ).split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = lines.map(one => [one.split(': ')[0]?.toLowerCase(), one.slice(one.indexOf(': ') + 2)])
  return {
    status: Number(status.split(' ')[1]),
    headers: Object.fromEntries(headers),
    code: text.startsWith('{') ? JSON.parse(text).code : undefined,
  }
}

describe('what is not there is said before a body is read', () => {
  test.each([
    ['POST /nothing', 404, 'not_found'],
    ['PUT /pets', 405, 'method_not_allowed'],
    ['POST /health', 405, 'method_not_allowed'],
    ['PUT /pets/batch', 405, 'method_not_allowed'],
    ['POST /docs', 405, 'method_not_allowed'],
  ])('%s', async (line, status, code) => {
    const bodies = ['{{{', '', ' '.repeat(1_048_577), '{"a":1,"a":1}']
    for (const body of bodies)
      for (const type of ['application/json', 'text/plain', 'nonsense']) {
        const fields = ['Host: x', `Content-Type: ${type}`, `Content-Length: ${body.length}`]
        // Nothing of the body is sent: an answer can't have waited for it.
        expect(await raw(`${line} HTTP/1.1`, fields)).toMatchObject({ status, code })
      }
  })
})

describe('a concrete path comes before a template that takes it too', () => {
  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    '%s /pets/batch',
    async method => {
      for (const path of ['/pets/batch', '/pets/b%61tch', '/pets/batch?limit=1']) {
        const { status, headers } = await raw(`${method} ${path} HTTP/1.1`)
        expect(status).toBe(405)
        expect(headers).toMatchObject({ allow: 'POST, OPTIONS' })
        // It has nothing of getPet, which is deprecated.
        expect(headers).not.toHaveProperty('deprecation')
        expect(headers).not.toHaveProperty('x-stability')
      }
    },
  )

  test('OPTIONS tells its methods, and POST works', async () => {
    const reply = await raw('OPTIONS /pets/batch HTTP/1.1')
    expect([reply.status, reply.headers.allow]).toEqual([204, 'POST, OPTIONS'])
    expect((await store.call('createPets', { body: [] })).status).toBe(400)
    expect((await store.request('/pets/batch%2F')).statusCode).toBe(400)
  })

  test('as does a refusal of a method, which costs as much as any other', async () => {
    const remaining = async (url: string) =>
      Number((await store.app.inject({ url, headers: { host: 'x' } })).headers['x-ratelimit-remaining'])
    const before = await remaining('/usage/x')
    expect(await remaining('/pets/batch')).toBe(before - 1)
  })
})

describe('the docs and the document', () => {
  test.each([
    '/',
    '/docs',
    '/docs/',
    '/docs/json',
    '/docs/static/swagger-ui.css',
    '/docs/static/theme/page.css',
    '/openapi.json',
    '/openapi.yaml',
  ])('%s can be read, and tells so', async url => {
    const options = await store.request({ method: 'OPTIONS', url })
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const reply = await store.request({ method, url })
      expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect(reply.json().code).toBe('method_not_allowed')
    }
  })

  test('a file that is not there is not there', async () => {
    expect((await store.request('/docs/static/none')).json().code).toBe('not_found')
  })
})

describe('a target', () => {
  test('that is the server is for OPTIONS alone', async () => {
    const { status, headers } = await raw('OPTIONS * HTTP/1.1')
    expect(status).toBe(204)
    expect(headers.allow?.split(', ').sort()).toEqual(
      ['GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'DELETE'].sort(),
    )
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
      expect((await raw(`${method} * HTTP/1.1`)).status).toBe(400)
  })

  test.each(['http://shop.example/health', 'HTTP://shop.example:80/health', 'http://x/health?'])(
    'that names its host, as to a proxy, is taken: %s',
    async url => expect((await raw(`GET ${url} HTTP/1.1`)).status).toBe(200),
  )

  test('names the host, whatever the header field says', async () => {
    const text = await send(
      'GET http://shop.example/openapi.json HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n',
    )
    expect(text).toContain('"default":"http://shop.example"')
    expect((await raw('GET http://x HTTP/1.1')).status).toBe(302)
  })

  test.each([
    'GET http://user@x/pets',
    'GET http:///pets',
    'GET ftp://x/pets',
    'GET pets',
    'GET /pets#top',
    'GET /pets?name=a#top',
    'CONNECT x:80',
    'CONNECT /pets',
  ])('that is none is a 400: %s', async line => {
    expect(await raw(`${line} HTTP/1.1`)).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test.each(['//pets', '/pets/', '/%2e', '/pets/..', '/pets%2F1', '/pets/batch/', '/./pets'])(
    'is taken as it is: %s is a 404',
    async url => expect((await raw(`GET ${url} HTTP/1.1`)).status).toBe(url === '/pets/..' ? 400 : 404),
  )

  const templates = Object.entries(operations).filter(([, { path }]) => path.includes('{'))
  test.each(templates)('of %s is a 414 when a part of the path is too long', async (_, { method, path }) => {
    const { status, code, headers } = await raw(
      `${method} ${path.replace(/\{\w+\}/, '1'.repeat(8_000))} HTTP/1.1`,
    )
    expect([status, code]).toEqual([414, 'uri_too_long'])
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['x-ratelimit-limit', 'x-request-id']))
  })

  test('that is long is not repeated in header fields', async () => {
    const { headers } = await raw(`GET /pets/${'"'.repeat(7_900)} HTTP/1.1`)
    expect(headers.link?.length).toBeLessThan(2_000)
  })
})

describe('Host', () => {
  test.each<[string, string[]]>([
    ['none', []],
    ['two', ['Host: x', 'Host: x']],
    ['two in another spelling', ['Host: x', 'hOST: y']],
    ['an empty one', ['Host:']],
    ...['a b', 'a/b', 'user@a', 'a:b', '[::1', '%zz', 'http://a', '"a"', '<a>', 'a:1:2', 'a?', 'a#'].map(
      (host): [string, string[]] => [host, [`Host: ${host}`]],
    ),
  ])('is a 400: %s', async (_, fields) => {
    const reply = await raw('GET /health HTTP/1.1', fields)
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test.each([
    'a',
    'a.example:80',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:80',
    'a_b',
    'a:',
    'xn--bcher-kva.example',
  ])('%s is one', async host =>
    expect((await raw('GET /health HTTP/1.1', [`Host: ${host}`])).status).toBe(200),
  )

  test('need not be there in HTTP/1.0', async () => {
    expect((await raw('GET /health HTTP/1.0', [])).status).toBe(200)
    expect((await raw('GET /health HTTP/1.0', ['Host: a', 'Host: b'])).status).toBe(400)
  })
})

test.each(['identity', 'Identity', 'IDENTITY', ' identity , Identity '])(
  'the Content-Encoding %s is none',
  async coding => {
    const headers = { 'content-encoding': coding }
    const reply = await store.call('createCategory', { body: { name: crypto.randomUUID() }, headers })
    expect(reply.status).toBe(201)
  },
)

test.each(['identity, gzip', 'br', 'Gzip'])('the Content-Encoding %s is a 415', async coding => {
  const headers = { 'content-encoding': coding }
  expect((await store.call('createCategory', { body: { name: 'x' }, headers })).status).toBe(415)
})

test.each([
  ['limit=1.0000000000000000000001'],
  ['limit=9007199254740993'],
  ['categoryId=9007199254740991.4'],
  ['ids=1,9007199254740993'],
])('a number in the query that would change is a 400: %s', async query => {
  expect((await store.request(`/pets?${query}`)).statusCode).toBe(400)
})
