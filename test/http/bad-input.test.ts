import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenForBytes, type SendRaw } from '../support/socket.ts'
import { addPets, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
let send: SendRaw
beforeAll(async () => {
  store = await startStore()
  send = await listenForBytes(store.app)
})
afterAll(() => store.close())

/** Sends bytes as they are and returns the error that comes back. */
async function raw(
  request: string | Buffer,
): Promise<{ status: number; head: string; body: { code: string } }> {
  const [head = '', body = ''] = (await send(request)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) }
}

const post = (rawBody: string | Buffer, contentType = 'application/json') =>
  store.call('createCategory', { rawBody, headers: { 'content-type': contentType } })
const pointers = (reply: { body: { details?: { path: string }[] | undefined } }) =>
  (reply.body.details ?? []).map(detail => detail.path)

describe('a body', () => {
  test.each([
    ['malformed JSON', '{"name": "Rex",}'],
    ['an empty text', ''],
    ['only white space', '  '],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x7d])],
    ['a NUL character', '{"name": "a\\u0000b"}'],
    ['a lone surrogate', '{"name": "a\\ud800b"}'],
    ['a lone surrogate in a name', '{"name": "a", "\\ud800": 1}'],
    ['a __proto__ key', '{"name": "a", "__proto__": {"x": 1}}'],
    ['a constructor.prototype key', '{"name": "a", "constructor": {"prototype": {"x": 1}}}'],
    ['an array where an object is due', '[]'],
    ['null', 'null'],
    ['a bare text', '"name"'],
  ])('that is or holds %s is a 400', async (_, body) => {
    const reply = await post(body)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test('that is missing is a 400 that says so', async () => {
    const response = await store.request({ method: 'POST', url: '/categories' })
    expect(response.json()).toMatchObject({ status: 400, message: 'This operation needs a body.' })
  })

  test.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/xml',
    'nonsense',
    'application/jsonx',
  ])('of type %s is a 415', async type => expect((await post('{"name": "a"}', type)).status).toBe(415))

  test('with a Content-Encoding is a 415', async () => {
    const headers = { 'content-encoding': 'gzip' }
    expect((await store.call('createCategory', { body: { name: 'x' }, headers })).status).toBe(415)
  })

  test('in UTF-8, said or unsaid, keeps every character', async () => {
    const name = `Žluťoučký 🐎 ${crypto.randomUUID()}`
    const reply = await post(JSON.stringify({ name }), 'application/json; charset="UTF-8"')
    expect(reply).toMatchObject({ status: 201, body: { name } })
  })

  test('has all its faults listed, each with a JSON Pointer', async () => {
    const body = [
      { name: '', categoryId: '7' },
      { categoryId: 0, colour: 'red' },
      5,
      { name: ' ', categoryId: 1.5, status: 'dead' },
    ]
    const reply = await store.call('createPets', { body })
    expect(reply.status).toBe(400)
    expect(pointers(reply).sort()).toEqual(
      [
        '/0/name',
        '/0/name',
        '/0/categoryId',
        '/1/name',
        '/1/categoryId',
        '/1/colour',
        '/2',
        '/3/name',
        '/3/categoryId',
        '/3/status',
      ].sort(),
    )
  })

  test.each([
    ['text for a number', { name: 'a', categoryId: '1' }],
    ['a number for text', { name: 1, categoryId: 1 }],
    ['null for text', { name: null, categoryId: 1 }],
    ['true for a number', { name: 'a', categoryId: true }],
    ['an identifier beyond 2^53-1', { name: 'a', categoryId: 2 ** 53 }],
    ['a name of 101 characters', { name: 'a'.repeat(101), categoryId: 1 }],
  ])('is not converted: %s is a 400', async (_, body) => {
    expect((await store.call('createPet', { body })).status).toBe(400)
  })

  test('may be 1 MiB long', async () => {
    const reply = await post(`{"name": "big ${crypto.randomUUID()}"}`.padEnd(1_048_576))
    expect(reply.status).toBe(201)
  })

  test('of characters beyond the basic plane counts them as one each', async () => {
    const name = '🐕'.repeat(100)
    expect((await post(JSON.stringify({ name }))).status).toBe(201)
    expect((await post(JSON.stringify({ name: `${name}x` }))).status).toBe(400)
  })

  test('that a request to an operation without body has is not read', async () => {
    const response = await store.request({
      method: 'DELETE',
      url: '/pets/999999',
      headers: { 'content-type': 'application/xml' },
      payload: '<x/>',
    })
    expect(response.statusCode).toBe(404)
  })
})

describe('a path', () => {
  test.each([
    '0',
    '-1',
    '1.0',
    '1e2',
    '01',
    '+1',
    'abc',
    '9007199254740992',
    '9007199254740993',
    '%20',
    '1%00',
    '0x1',
  ])('with the identifier %s is a 400', async id => {
    const response = await store.request(`/pets/${id}`)
    expect(response.statusCode).toBe(400)
    expect(response.json().details[0].path).toBe('/path/petId')
  })

  test('with the largest identifier is a mere 404', async () => {
    expect((await store.request('/pets/9007199254740991')).statusCode).toBe(404)
  })

  test.each(['/pets/%ff', '/pets/%', '/%zz'])('with a broken percent-encoding (%s) is a 400', async url => {
    const response = await store.request(url)
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test.each(['/nowhere', '/pets/1/toys', '/pets/', '//pets', '/Pets'])(
    'that is unknown (%s) is a 404',
    async url => {
      const response = await store.request(url)
      expect(response.json()).toMatchObject({ status: 404, code: 'not_found' })
    },
  )

  test.each([
    ['PATCH', '/pets', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/pets/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/store/orders?x=1', 'GET, POST, HEAD, OPTIONS'],
    ['TRACE', '/health', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/usage', 'GET, HEAD, OPTIONS'],
  ])('that lacks the method (%s %s) is a 405 with Allow', async (method, url, allow) => {
    const { status, head, body } = await raw(
      `${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    expect({ status, code: body.code }).toEqual({ status: 405, code: 'method_not_allowed' })
    expect(head.toLowerCase()).toContain(`\r\nallow: ${allow.toLowerCase()}\r\n`)
  })

  test('of more than 8,000 characters is a 414', async () => {
    const response = await store.request(`/pets?name=${'a'.repeat(8_000)}`)
    expect(response.json()).toMatchObject({ status: 414, code: 'uri_too_long' })
  })
})

describe('a query', () => {
  test.each([
    ['limit=0'],
    ['limit=101'],
    ['limit=1.0'],
    ['limit=1e1'],
    ['limit='],
    ['limit=1&limit=2'],
    ['sort=colour'],
    ['status=dead'],
    ['status='],
    ['ids='],
    ['ids=1,,2'],
    ['ids=a'],
    [`ids=${Array.from({ length: 101 }, (_, i) => i + 1)}`],
    ['name='],
    ['name=%00'],
    ['name=%ff'],
    ['__proto__=1'],
    ['categoryId=9007199254740993'],
  ])('%s is a 400 that names the parameter', async query => {
    const response = await store.request(`/pets?${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json().details[0].path).toMatch(/^\/query/)
  })

  test.each(['complete=1', 'complete=TRUE', 'complete='])('%s is no boolean', async query => {
    expect((await store.request(`/store/orders?${query}`)).statusCode).toBe(400)
  })

  test('with an encoded name finds it', async () => {
    const { categoryId } = await addPets(store.call, 'Žofie & Söhne')
    const reply = await store.call('listPets', { query: { categoryId, name: 'žofie &' } })
    expect(reply.body).toHaveLength(1)
  })
})

describe('on the bare socket', () => {
  test('what is no HTTP is a 400', async () => {
    expect(await raw('HELLO\r\n\r\n')).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test('too long header fields are a 431', async () => {
    const request = `GET /pets HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`
    expect(await raw(request)).toMatchObject({ status: 431, body: { code: 'header_fields_too_large' } })
  })

  test('a request without Host is a 400', async () => {
    expect(
      await raw(`GET /pets HTTP/1.1\r\nConnection: close\r\nX-API-Key: ${store.key}\r\n\r\n`),
    ).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })

  test('a body that grows beyond 1 MiB in chunks is a 413', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const head = `POST /categories HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${store.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await raw(head + chunk.repeat(17))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    })
  })
})

test('a body that is named and never announced is an empty one', async () => {
  const type = 'Content-Type: application/json'
  const { status, body } = await raw(
    `POST /pets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${store.key}\r\n${type}\r\nConnection: close\r\n\r\n`,
  )
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', message: expect.stringContaining('JSON') },
  })
})
