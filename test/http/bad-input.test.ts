import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { requestText } from '../support/raw.ts'
import { addPets, startStore } from '../support/store.ts'

// What lenient readers let pass, `npm run check` sends to every operation (scripts/contract/strict.ts): here is one of a kind.
const store = shared(() => startStore())

const post = (rawBody: string | Buffer, contentType = 'application/json') =>
  store.call('createCategory', { rawBody, headers: { 'content-type': contentType } })
const pointers = (reply: { body: { details?: { path: string }[] | undefined } }) =>
  (reply.body.details ?? []).map(detail => detail.path)
/** The reply to a request on a connection of its own, with the key. */
async function raw(line: string, fields: Record<string, string> = {}, body = '') {
  const own = { 'X-API-Key': store.key, Connection: 'close', ...fields }
  const [reply] = (await store.exchange(requestText(line, own, body))).replies
  if (!reply) throw new Error('There is no reply')
  const code: unknown = reply.body.startsWith('{') ? JSON.parse(reply.body).code : undefined
  return { ...reply, code }
}

describe('a body', () => {
  test.each([
    ['malformed JSON', '{"name": "Rex",}'],
    ['an empty text', ''],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x7d])],
    ['a NUL character', '{"name": "a\\u0000b"}'],
    ['a lone surrogate in a name', '{"name": "a", "\\ud800": 1}'],
    ['a constructor.prototype key', '{"name": "a", "constructor": {"prototype": {"x": 1}}}'],
    ['an array where an object is due', '[]'],
  ])('that is or holds %s is a 400', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test('that is missing is a 400 that says so', async () => {
    const response = await store.request({ method: 'POST', url: '/categories' })
    expect(response.json()).toMatchObject({ status: 400, message: 'This operation needs a body.' })
  })

  test.each(['text/plain', 'application/json; charset=latin1', 'nonsense', 'application/jsonx'])(
    'of type %s is a 415',
    async type => expect((await post('{"name": "a"}', type)).status).toBe(415),
  )

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
    const due = ['/0/name', '/0/name', '/0/categoryId', '/1/name', '/1/categoryId', '/1/colour', '/2']
    expect(pointers(reply).sort()).toEqual([...due, '/3/name', '/3/categoryId', '/3/status'].sort())
  })

  test('may be 1 MiB long', async () => {
    expect((await post(`{"name": "big ${crypto.randomUUID()}"}`.padEnd(1_048_576))).status).toBe(201)
  })

  test('of characters beyond the basic plane counts them as one each', async () => {
    const name = '🐕'.repeat(100)
    expect((await post(JSON.stringify({ name }))).status).toBe(201)
    expect((await post(JSON.stringify({ name: `${name}x` }))).status).toBe(400)
  })

  test('that a request to an operation without body has is not read', async () => {
    const headers = { 'content-type': 'application/xml' }
    const response = await store.request({ method: 'DELETE', url: '/pets/999999', headers, payload: '<x/>' })
    expect(response.statusCode).toBe(404)
  })

  test('that is named and never announced is an empty one', async () => {
    const { status, body } = await raw('POST /pets', { 'Content-Type': 'application/json' })
    expect({ status, message: JSON.parse(body).message }).toEqual({
      status: 400,
      message: expect.stringContaining('JSON'),
    })
  })

  test('that grows beyond 1 MiB in chunks is a 413', async () => {
    const fields = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
    const chunks = `10000\r\n${' '.repeat(0x10000)}\r\n`.repeat(17)
    expect(await raw('POST /categories', fields, chunks)).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    })
  })
})

describe('a path', () => {
  test.each(['0', '01', 'abc', '9007199254740992', '1%00'])('with the identifier %s is a 400', async id => {
    const response = await store.request(`/pets/${id}`)
    expect([response.statusCode, response.json().details[0].path]).toEqual([400, '/path/petId'])
  })

  test.each([
    ['/pets/9007199254740991', 404, 'not_found'],
    ['/pets/%ff', 400, 'invalid_request'],
    ['/nowhere', 404, 'not_found'],
    ['/pets/', 404, 'not_found'],
    ['/Pets', 404, 'not_found'],
    [`/pets?name=${'a'.repeat(8_000)}`, 414, 'uri_too_long'],
  ])('%s is a %i', async (url, status, code) => {
    expect((await store.request(url)).json()).toMatchObject({ status, code })
  })

  test.each([
    ['PATCH', '/pets', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/pets/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['PROPFIND', '/usage', 'GET, HEAD, OPTIONS'],
  ])('that lacks the method (%s %s) is a 405 with Allow', async (method, url, allow) => {
    const reply = await raw(`${method} ${url}`)
    expect([reply.status, reply.code, reply.headers.allow]).toEqual([405, 'method_not_allowed', allow])
  })

  test.each(['POST /nothing', 'PUT /pets', 'POST /docs'])(
    'that is not there is told before a body is read: %s',
    async line => {
      // Nothing of the body is sent: an answer can't have waited for it.
      const { status } = await raw(line, { 'Content-Type': 'nonsense', 'Content-Length': '1048577' })
      expect(status).toBe(line === 'POST /nothing' ? 404 : 405)
    },
  )

  test('that is concrete comes before a template that takes it too', async () => {
    for (const path of ['/pets/batch', '/pets/b%61tch', '/pets/batch?limit=1']) {
      const { status, headers } = await raw(`GET ${path}`)
      expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS'])
      expect(headers).not.toHaveProperty('deprecation') // it has nothing of getPet
    }
    expect((await store.request('/pets/batch%2F')).statusCode).toBe(400)
  })

  test('that is long is not repeated in header fields', async () => {
    const { headers } = await raw(`GET /pets/${'"'.repeat(7_900)}`)
    expect(headers.link?.length).toBeLessThan(2_000)
  })
})

describe('a query', () => {
  test.each([
    'limit=0',
    'limit=1.0',
    'limit=1&limit=2',
    'status=dead',
    'ids=1,,2',
    'name=%00',
    '__proto__=1',
    'categoryId=9007199254740991.4',
  ])('%s is a 400 that names the parameter', async query => {
    const response = await store.request(`/pets?${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json().details[0].path).toMatch(/^\/query/)
  })

  test('with an encoded name finds it', async () => {
    const { categoryId } = await addPets(store.call, 'Žofie & Söhne')
    const reply = await store.call('listPets', { query: { categoryId, name: 'žofie &' } })
    expect(reply.body).toHaveLength(1)
  })
})

describe('on the bare socket', () => {
  test.each([
    ['what is no HTTP', 'HELLO\r\n\r\n', 400, 'invalid_request'],
    ['a request without Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
    ['too long a head', requestText('GET /pets', { X: 'a'.repeat(20_000) }), 431, 'header_fields_too_large'],
    ['CONNECT', requestText('CONNECT x:80'), 400, 'invalid_request'],
  ])('%s is refused', async (_, bytes, status, code) => {
    const [reply] = (await store.exchange(bytes)).replies
    expect(reply?.status).toBe(status)
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ status, code })
  })

  test.each(['a b', 'user@a', 'a:b', '[::1', '"a"', 'a#'])('the Host %s is a 400', async host => {
    expect(await raw('GET /health', { Host: host })).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  test('a target may name the host, whatever the header field says', async () => {
    expect((await raw('GET http://shop.example/openapi.json', { Host: 'y' })).body).toContain(
      '"default":"http://shop.example"',
    )
    expect((await raw('GET http://x')).status).toBe(302)
  })

  test('a target that is the server is for OPTIONS alone', async () => {
    expect((await raw('OPTIONS *')).status).toBe(204)
    expect((await raw('GET *')).status).toBe(400)
  })
})

test('an address that a caller sends is called by nobody, wherever it stands', async () => {
  let calls = 0
  const decoy = createServer(socket => {
    calls++
    socket.destroy()
  })
  onTestFinished(() => void decoy.close())
  await once(decoy.listen(0, '127.0.0.1'), 'listening')
  const { port } = decoy.address() as AddressInfo // it listens on TCP
  const url = `http://127.0.0.1:${port}/x`
  const fields = ['Referer', 'Origin', 'X-Forwarded-Host', 'Forwarded', 'Link', 'X-Request-Id', 'Via']
  const headers = { Host: `127.0.0.1:${port}`, ...Object.fromEntries(fields.map(name => [name, url])) }
  const body = JSON.stringify({ name: url, description: url })
  const sent = { ...headers, 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }
  const replies = [
    await raw('POST /categories', sent, body),
    await raw(`GET /pets?name=${encodeURIComponent(url)}`, headers),
    await raw(`GET ${url}`, headers),
    await raw('GET /docs/', headers),
  ]
  expect([replies.map(({ status }) => status), calls]).toEqual([[201, 200, 404, 200], 0])
})
