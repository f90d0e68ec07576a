import { createServer } from 'node:net'
import { shared } from 'spec-served-lab/support/fixtures'
import { listen } from 'spec-served-lab/support/http'
import { requestText } from 'spec-served-lab/support/raw'
import { addPets, startStore } from 'spec-served-lab/support/store'
import { describe, expect, onTestFinished, test } from 'vitest'

// `npm run check` sends to every operation the inputs that lenient readers accept (src/engine/tools/check/strict.ts).
const store = shared(() => startStore())

const pointers = (reply: { body: { details?: { path: string }[] | undefined } }) =>
  (reply.body.details ?? []).map(detail => detail.path)
/** The reply to a request on a connection of its own, with the key. */
async function raw(line: string, fields: Record<string, string> = {}, body = '') {
  const headers = { 'X-API-Key': store.key, Connection: 'close', ...fields }
  const [reply] = (await store.exchange(requestText(line, headers, body))).replies
  if (!reply) throw new Error('There is no reply')
  const code: unknown = reply.body.startsWith('{') ? JSON.parse(reply.body).code : undefined
  return { ...reply, code }
}

describe('a body', () => {
  test('a body has all its faults listed, each with a JSON Pointer', async () => {
    const body = [
      { name: '', categoryId: '7' },
      { categoryId: 0, colour: 'red' },
      5,
      { name: ' ', categoryId: 1.5, status: 'dead' },
      { name: 'a', categoryId: null },
      { name: 'a', categoryId: null },
    ]
    const reply = await store.call('createPets', { rawBody: JSON.stringify(body) })
    expect(reply.status).toBe(400)
    const due = ['/0/name', '/0/name', '/0/categoryId', '/1/name', '/1/categoryId', '/1/colour', '/2']
    const more = ['/3/name', '/3/categoryId', '/3/status', '/4/categoryId', '/5/categoryId']
    expect(pointers(reply).sort()).toEqual([...due, ...more].sort())
  })

  test('the refusal of a body that is no JSON says where it breaks', async () => {
    const { status, body } = await store.call('createPet', { rawBody: '{"name": "Rex" "categoryId": 1}' })
    const place = 'line 1, column 16: expected `,` or `}` and found `"`'
    expect([status, body.message]).toEqual([400, `The body is not valid JSON: ${place}.`])
  })

  test('the refusal of a misspelt name has the near one of the document', async () => {
    const reply = await store.call('updatePet', { path: { petId: 1 }, body: { category_id: 1 } as object })
    const guess = 'is not known: did you mean `categoryId`?'
    expect(reply.body).toMatchObject({
      message: `The body is not valid: /category_id ${guess}`,
      details: [{ path: '/category_id', message: guess }],
    })
  })

  test('the body of a request to an operation without one is not read', async () => {
    const headers = { 'content-type': 'application/xml' }
    const response = await store.request({ method: 'DELETE', url: '/pets/999999', headers, payload: '<x/>' })
    expect(response.statusCode).toBe(404)
  })

  test('a body with a media type and no content is an empty one', async () => {
    const { status, body } = await raw('POST /pets', { 'Content-Type': 'application/json' })
    expect({ status, message: JSON.parse(body).message }).toEqual({
      status: 400,
      message: expect.stringContaining('JSON'),
    })
  })
})

describe('a path', () => {
  test.each([
    ['/pets/', 404, 'not_found'],
    ['/Pets', 404, 'not_found'],
    [`/pets?name=${'a'.repeat(8_000)}`, 414, 'uri_too_long'],
  ])('the path %s is a %i', async (url, status, code) => {
    expect((await store.request(url)).json()).toMatchObject({ status, code })
  })

  test('a path without the method is a 405 with Allow, even for a method that no operation has', async () => {
    const { status, code, headers } = await raw('PROPFIND /usage')
    expect([status, code, headers.allow]).toEqual([405, 'method_not_allowed', 'GET, HEAD, OPTIONS'])
  })

  test.each(['POST /nothing', 'PUT /pets', 'POST /docs'])(
    'that is not there is told before a body is read: %s',
    async line => {
      // Nothing of the body is sent: an answer can't have waited for it.
      const { status } = await raw(line, { 'Content-Type': 'nonsense', 'Content-Length': '1048577' })
      expect(status).toBe(line === 'POST /nothing' ? 404 : 405)
    },
  )

  test('a concrete path comes before a template that takes it too', async () => {
    for (const path of ['/pets/batch', '/pets/b%61tch', '/pets/batch?limit=1']) {
      const { status, headers } = await raw(`GET ${path}`)
      expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS'])
      expect(headers).not.toHaveProperty('deprecation') // it has nothing of getPet
    }
    expect((await store.request('/pets/batch%2F')).statusCode).toBe(400)
  })

  test('a long path is not repeated in header fields', async () => {
    const { headers } = await raw(`GET /pets/${'"'.repeat(7_900)}`)
    expect(headers.link?.length).toBeLessThan(2_000)
  })
})

test.each([
  ['/pet', 'did you mean /pets?'],
  ['/pets/', 'did you mean /pets?'],
  ['/v1/Pets/7', 'did you mean /pets/7?'],
  ['/store/order/1?x=1', 'did you mean /store/orders/1?'],
  ['/graphql', 'the docs list all paths.'],
])('the refusal of the path %s says what is similar', async (url, instead) => {
  const { message } = (await store.request(url)).json()
  expect(message).toBe(`There is nothing at ${url.split('?')[0]}: ${instead}`)
})

describe('a query', () => {
  test.each([
    ['limit=x', 'The query is not valid: /query/limit must be integer.'],
    ['lmit=1', 'The query is not valid: /query/lmit is not known: did you mean `limit`?'],
    ['lmit=1&x=1', 'The query is not valid: /query/lmit is not known: did you mean `limit`? (and 1 more).'],
    [
      'cursor=x',
      'The query parameter cursor is not one of this service: take it from the reply before, or leave it out.',
    ],
  ])('a query that is wrong, as %s, is reported in the query', async (query, message) => {
    expect((await store.request(`/pets?${query}`)).json().message).toBe(message)
  })

  test('a query with an encoded name finds it', async () => {
    const { categoryId } = await addPets(store.call, 'Žofie & Söhne')
    const reply = await store.call('listPets', { query: { categoryId, name: 'žofie &' } })
    expect(reply.body).toHaveLength(1)
  })
})

describe('on the bare socket', () => {
  test.each([
    ['a malformed HTTP request', 'HELLO\r\n\r\n', 400, 'invalid_request'],
    ['a request without Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
    ['too long a head', requestText('GET /pets', { X: 'a'.repeat(20_000) }), 431, 'header_fields_too_large'],
    ['CONNECT', requestText('CONNECT x:80'), 400, 'invalid_request'],
  ])('the bare socket refuses %s', async (_, bytes, status, code) => {
    const [reply] = (await store.exchange(bytes)).replies
    expect(reply?.status).toBe(status)
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({ status, code })
  })

  test('a target may name the host, whatever the Host field says', async () => {
    expect((await raw('GET http://shop.example/openapi.json', { Host: 'y' })).body).toContain(
      '"default":"http://shop.example"',
    )
    expect((await raw('GET http://x')).status).toBe(302)
  })
})

test('a key in the wrong place is reported, and not repeated', async () => {
  for (const request of [
    { url: '/pets', headers: { authorization: `Bearer ${store.key}` } },
    { url: `/pets?api_key=${store.key}` },
  ]) {
    const reply = await store.app.inject(request)
    const place = 'headers' in request ? 'Authorization' : 'the query parameter api_key'
    expect(reply.statusCode).toBe(401)
    expect(reply.json().message).toBe(`You sent ${place}; send an API key as X-API-Key.`)
    expect(reply.payload).not.toContain(store.key)
  }
})

test('the service never calls an address that a caller sends, wherever it stands', async () => {
  let calls = 0
  const decoy = createServer(socket => {
    calls++
    socket.destroy()
  })
  onTestFinished(() => void decoy.close())
  const port = await listen(decoy)
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
