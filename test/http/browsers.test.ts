import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenForBytes, type SendRaw } from '../support/socket.ts'
import { addPets, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
const origin = 'https://shop.example'
const otherOrigin = 'https://other.example'
let raw: SendRaw
beforeAll(async () => {
  store = await startStore({ corsOrigins: [origin, otherOrigin] })
  raw = await listenForBytes(store.app)
})
afterAll(() => store.close())

describe('HEAD', () => {
  test('answers like GET, without the body', async () => {
    const { ids } = await addPets(store.call, 'Rex')
    const url = `/pets/${ids[0]}`
    const [get, head] = [await store.request(url), await store.request({ method: 'HEAD', url })]
    expect([head.statusCode, head.body]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'etag'])
      expect(head.headers[name]).toBe(get.headers[name])
    const known = await store.request({
      method: 'HEAD',
      url,
      headers: { 'if-none-match': String(head.headers.etag) },
    })
    expect(known.statusCode).toBe(304)
  })
})

describe('OPTIONS', () => {
  test.each([
    ['/pets', 'GET, POST, HEAD, OPTIONS'],
    ['/pets/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/health', 'GET, HEAD, OPTIONS'],
  ])('of %s tells the methods of the document, at no cost', async (url, allow) => {
    const before = Number((await store.app.inject({ url: '/health' })).headers['x-ratelimit-remaining'])
    const reply = await store.app.inject({ method: 'OPTIONS', url })
    expect([reply.statusCode, reply.headers.allow]).toEqual([204, allow])
    expect(Number(reply.headers['x-ratelimit-remaining'])).toBe(before)
  })

  test('of an unknown path is a 404', async () => {
    expect((await store.app.inject({ method: 'OPTIONS', url: '/nowhere' })).statusCode).toBe(404)
  })
})

describe('a page of another origin', () => {
  test('is told before a request what it may send', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-api-key',
    }
    const reply = await store.app.inject({ method: 'OPTIONS', url: '/pets/1', headers })
    expect(reply.statusCode).toBe(204)
    expect(reply.headers['access-control-allow-origin']).toBe(origin)
    expect(reply.headers['access-control-allow-methods']).toContain('PATCH')
    for (const name of ['X-API-Key', 'Content-Type', 'If-Match', 'If-None-Match', 'Idempotency-Key'])
      expect(reply.headers['access-control-allow-headers']).toContain(name)
  })

  test('may read the reply and its header fields, refusals included', async () => {
    for (const headers of [{ origin, 'x-api-key': store.key }, { origin }]) {
      const reply = await store.app.inject({ url: '/pets', headers })
      expect(reply.headers['access-control-allow-origin']).toBe(origin)
      for (const name of [
        'X-RateLimit-Remaining',
        'RateLimit',
        'Retry-After',
        'ETag',
        'Link',
        'X-Request-Id',
        'X-Next-Cursor',
      ])
        expect(reply.headers['access-control-expose-headers']).toContain(name)
    }
  })

  describe('may read refusals that are made before anything else', () => {
    /** The fields of a reply that other origins go by. */
    const crossOriginOf = (head: string) =>
      Object.fromEntries(
        [...head.matchAll(/^(vary|access-control-[\w-]+): (.*)\r$/gim)].map(([, name = '', value]) => [
          name.toLowerCase(),
          value,
        ]),
      )
    const usual = async (from: string | undefined) => {
      const { headers } = await store.app.inject({ url: '/pets', headers: from ? { origin: from } : {} })
      return crossOriginOf(
        Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join(''),
      )
    }
    test.each<[string, number, (line: string) => string]>([
      [
        'a path that can’t be decoded',
        400,
        line => `GET /pets/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}\r\n`,
      ],
      ['a malformed head', 400, line => `GET /pets HTTP/1.1\r\nHost: x\r\n${line}Broken\r\n\r\n`],
      ['another version of HTTP', 400, line => `GET /pets HTTP/2.0\r\nHost: x\r\n${line}\r\n`],
      [
        'too long a head',
        431,
        line => `GET /pets HTTP/1.1\r\nHost: x\r\n${line}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      ],
    ])('%s', async (_, status, requestWith) => {
      for (const from of [origin, otherOrigin, 'https://evil.example', undefined]) {
        const reply = await raw(requestWith(from ? `Origin: ${from}\r\n` : ''))
        expect(Number(reply.split(' ')[1])).toBe(status)
        expect(crossOriginOf(reply)).toEqual(await usual(from))
      }
    })

    test('what comes too late, where one origin alone can have sent it', async () => {
      const late = 'GET /pets HTTP/1.1\r\nHo'
      for (const corsOrigins of ['*', [origin], [origin, otherOrigin]] as const) {
        const other = await startStore({ corsOrigins, requestTimeoutMs: 100 })
        const reply = await (await listenForBytes(other.app))(late)
        await other.close()
        expect(reply).toMatch(/^HTTP\/1\.1 408 /)
        const expected = corsOrigins === '*' ? '*' : corsOrigins.length === 1 ? origin : undefined
        expect(crossOriginOf(reply)).toEqual({
          vary: 'Accept-Encoding, Origin',
          ...(expected && { 'access-control-allow-origin': expected }),
        })
      }
    })
  })

  test('costs other clients no header fields', async () => {
    for (const corsOrigins of ['*', [origin]] as const) {
      const other = await startStore({ corsOrigins })
      const { headers } = await other.app.inject('/pets')
      await other.close()
      expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      expect(headers.vary).toBe('Accept-Encoding, Origin')
    }
  })

  test('is not let in unless it is listed', async () => {
    const reply = await store.app.inject({
      url: '/pets',
      headers: { origin: 'https://evil.example', 'x-api-key': store.key },
    })
    expect(reply.headers['access-control-allow-origin']).not.toBe('https://evil.example')
    const closed = await startStore()
    expect((await closed.app.inject({ url: '/pets', headers: { origin } })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
    await closed.close()
  })
})

describe('compression', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ])('of bodies over 1 KiB as the client accepts: %s', async (encoding, decompress) => {
    const { categoryId } = await addPets(
      store.call,
      ...Array.from({ length: 30 }, (_, i) => `A rather long name ${i}`),
    )
    const url = `/pets?categoryId=${categoryId}&limit=100`
    const plain = await store.request(url)
    const reply = await store.request({ url, headers: { 'accept-encoding': encoding } })
    expect(reply.headers['content-encoding']).toBe(encoding)
    expect(reply.headers.vary).toBe('Accept-Encoding, Origin')
    expect(JSON.parse(decompress(reply.rawPayload).toString())).toEqual(plain.json())
    const small = await store.request({ url: '/pets?limit=1', headers: { 'accept-encoding': encoding } })
    expect(small.headers).not.toHaveProperty('content-encoding')
  })
})

describe('X-Request-Id', () => {
  test('is kept when it is sane, and made otherwise', async () => {
    const ask = async (id: string) =>
      (await store.request({ url: '/pets', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await ask('order-7:retry.2')).toBe('order-7:retry.2')
    for (const id of ['', 'a b', 'x'.repeat(129), '{"a":1}']) expect(await ask(id)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
