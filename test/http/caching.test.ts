import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { preferredCoding } from '../../src/engine/replies/etag.ts'
import { listenForBytes, type SendRaw } from '../support/socket.ts'
import { addPets, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
let send: SendRaw
/** a list, and a record, that are long enough to be sent in a coding */
let list: string
let record: string
beforeAll(async () => {
  store = await startStore({ corsOrigins: ['https://shop.example'] })
  send = await listenForBytes(store.app)
  const { categoryId } = await addPets(store.call, ...Array.from({ length: 40 }, (_, i) => `A name ${i}`))
  list = `/pets?categoryId=${categoryId}&limit=100`
  const long = { name: `"${crypto.randomUUID()}"`, description: '"'.repeat(500) }
  record = `/categories/${(await store.call('createCategory', { body: long })).body.id}`
})
afterAll(() => store.close())

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  store.request({ method, url, headers })

describe('Accept-Encoding', () => {
  test.each([
    ['', null],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q=0.2 , zstd ; Q=0.3', 'zstd'],
    ['*', 'br'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0, zstd;q=0, *;q=0.1', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0', null],
    ['gzip;q=0.000', null],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0', null],
    ['deflate, compress', null],
    ['gzip;q=2', null],
    ['gzip;q=', null],
    ['gzip;q=-1, br;q=x', null],
    [',, ;q=1,gzip', 'gzip'],
    [';;==,"', null],
  ])('%j asks for %s', (field, coding) => expect(preferredCoding(field)).toBe(coding))

  test('is a wish that nobody else has to pay for: a long one is read at once', () => {
    const start = performance.now()
    preferredCoding('gzip;q=0.5,'.repeat(14_000))
    preferredCoding(`${' '.repeat(80_000)};${'q'.repeat(80_000)}`)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

describe('each coding of the same content has an ETag of its own where it is strong:', () => {
  const codings = ['identity', 'gzip', 'br', 'zstd']
  const urls = () => [record, '/openapi.json', '/openapi.yaml', '/docs/static/swagger-ui.css']

  test('it brings a 304 with that coding, and the content with another', async () => {
    for (const url of urls()) {
      const tags = new Map<string, string>()
      for (const coding of codings) {
        const reply = await ask(url, { 'accept-encoding': coding })
        expect(reply.headers['content-encoding'] ?? 'identity', url).toBe(coding)
        tags.set(coding, String(reply.headers.etag))
      }
      expect(new Set(tags.values()).size, url).toBe(codings.length)
      for (const coding of codings)
        for (const [of, tag] of tags) {
          const again = await ask(url, { 'accept-encoding': coding, 'if-none-match': tag })
          expect([again.statusCode, again.headers.etag], `${url} ${coding} ${of}`).toEqual([
            of === coding ? 304 : 200,
            tags.get(coding),
          ])
        }
    }
  })

  test('it names the version for a change', async () => {
    for (const coding of codings) {
      const { etag } = (await ask(record, { 'accept-encoding': coding })).headers
      const change = (tag: string) =>
        store.request({
          method: 'PATCH',
          url: record,
          headers: { 'content-type': 'application/merge-patch+json', 'if-match': tag },
          payload: { name: `"${crypto.randomUUID()}"` },
        })
      expect((await change(String(etag))).statusCode, coding).toBe(200)
      expect((await change(String(etag))).statusCode, coding).toBe(412)
    }
    expect((await ask(record, { 'accept-encoding': 'gzip' })).headers.etag).toMatch(/^"\d+-gzip"$/)
  })
})

test('a list has one weak ETag, whatever its coding', async () => {
  const tags = new Set()
  for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
    const { etag } = (await ask(list, { 'accept-encoding': coding })).headers
    tags.add(etag)
    expect((await ask(list, { 'accept-encoding': coding, 'if-none-match': String(etag) })).statusCode).toBe(
      304,
    )
  }
  expect([...tags]).toEqual([expect.stringMatching(/^W\//)])
})

test('HEAD answers with the very fields of GET, also where nothing is sent', async () => {
  const urls = [list, record, '/health', '/openapi.json', '/openapi.yaml', '/docs', '/docs/', '/nowhere']
  const files = ['swagger-ui-bundle.js', 'swagger-initializer.js', 'theme/page.css', 'none.js']
  for (const url of [...urls, '/', '/pets/0', ...files.map(file => `/docs/static/${file}`)])
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers: Record<string, string> = { 'accept-encoding': coding, 'x-request-id': 'one' }
      const fieldsOf = async (method: 'GET' | 'HEAD') => {
        const { statusCode, headers: fields, rawPayload } = await ask(url, headers, method)
        if (method === 'GET' && statusCode === 200)
          expect(fields['content-length']).toBe(`${rawPayload.length}`)
        if (method === 'HEAD') expect(rawPayload.length).toBe(0)
        const { date, ratelimit, 'x-ratelimit-remaining': _, 'x-ratelimit-reset': __, ...same } = fields
        return { statusCode, ...same }
      }
      const get = await fieldsOf('GET')
      expect(await fieldsOf('HEAD'), `${url} ${coding}`).toEqual(get)
      if (!('etag' in get)) continue
      headers['if-none-match'] = String(get.etag)
      const known = await fieldsOf('GET')
      expect(known.statusCode, url).toBe(304)
      expect(await fieldsOf('HEAD'), `${url} ${coding}, known`).toEqual(known)
    }
})

test('a 304 has no length, and the fields that the 200 would have (RFC 9110, section 15.4.5)', async () => {
  for (const url of [list, record, '/openapi.yaml', '/docs', '/docs/static/swagger-ui.css']) {
    const { headers } = await ask(url, { 'accept-encoding': 'gzip' })
    for (const method of ['GET', 'HEAD']) {
      const fields = [`X-API-Key: ${store.key}`, 'Host: a', 'Accept-Encoding: gzip', 'Connection: close']
      const known = [...fields, `If-None-Match: ${url === '/openapi.yaml' ? '*' : `"x", ${headers.etag}`}`]
      const [head = '', body] = (
        await send(`${method} ${url} HTTP/1.1\r\n${known.join('\r\n')}\r\n\r\n`)
      ).split('\r\n\r\n')
      expect(head, url).toMatch(/^HTTP\/1\.1 304 /)
      expect(body).toBe('')
      expect(head).not.toMatch(/\r\n(content-length|transfer-encoding|content-type|content-encoding):/i)
      for (const name of ['cache-control', 'vary', 'x-content-type-options'])
        expect(head.toLowerCase(), url).toContain(`\r\n${name}: ${String(headers[name]).toLowerCase()}\r\n`)
      expect(head, url).toMatch(/\r\netag: (W\/)?"/i)
    }
  }
})

describe('every reply says how long it may be kept, what it depends on, and that its type is meant:', () => {
  const fieldsOf = ({ headers }: { headers: Record<string, unknown> }) => [
    headers['cache-control'],
    headers['x-content-type-options'],
    headers.vary,
  ]
  const kept = ['private, no-cache', 'nosniff', 'Accept-Encoding, Origin']
  const notKept = ['no-store', 'nosniff', 'Accept-Encoding, Origin']

  test('reads and writes', async () => {
    expect(fieldsOf(await ask(list))).toEqual(kept)
    expect(fieldsOf(await ask(record))).toEqual(kept)
    const made = await store.call('createCategory', { body: { name: crypto.randomUUID() } })
    expect(fieldsOf(made)).toEqual(kept)
    expect(fieldsOf(await store.call('deleteCategory', { path: { categoryId: made.body.id } }))).toEqual(kept)
  })

  test('what holds a secret', async () => {
    const body = { name: 'a', plan: 'Free', scopes: ['read'] }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const made = await store.call('createApiKey', { body, headers })
    const path = { keyId: made.body.id }
    const rotated = await store.call('rotateApiKey', { path, body: { overlapHours: 0 } })
    const replayed = await store.call('createApiKey', { body, headers })
    for (const reply of [made, rotated, replayed]) {
      expect(reply.body.secret).toMatch(/^pet_live_/)
      expect(fieldsOf(reply)).toEqual(notKept)
    }
  })

  test.each([
    ['/nowhere', 404],
    ['/pets/', 404],
    ['/pets/0', 400],
    ['/pets/999999999', 404],
    ['/pets?limit=x', 400],
    ['/%zz', 400],
    [`/pets?name=${'a'.repeat(9_000)}`, 414],
    ['/docs/static/none.js', 404],
    ['/docs/static/..%2f..%2fpackage.json', 404],
  ])('the refusal of %s', async (url, status) => {
    const reply = await ask(url)
    expect(reply.statusCode).toBe(status)
    expect(fieldsOf(reply)).toEqual(notKept)
  })

  test('the refusal of a stranger, of a method, and of what is no HTTP', async () => {
    expect(fieldsOf(await store.app.inject({ url: '/pets' }))).toEqual(notKept)
    expect(fieldsOf(await store.request({ method: 'DELETE', url: '/pets' }))).toEqual(notKept)
    const text = await send('no HTTP\r\n\r\n')
    for (const field of [
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Vary: Accept-Encoding, Origin',
    ])
      expect(text.toLowerCase()).toContain(`\r\n${field.toLowerCase()}\r\n`)
  })
})
