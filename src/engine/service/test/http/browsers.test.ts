import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { describe, expect, test } from 'vitest'

const origin = 'https://shop.example'
const otherOrigin = 'https://other.example'
const store = shared(() => startStore({ corsOrigins: [origin, otherOrigin] }))

test.each([
  ['/pets', 'GET, POST, HEAD, OPTIONS'],
  ['/pets/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ...['/', '/docs', '/docs/static/swagger-ui.css', '/openapi.json'].map(url => [url, 'GET, HEAD, OPTIONS']),
])('OPTIONS of %s names its methods, at no cost', async (url, allow) => {
  const before = Number((await store.app.inject({ url: '/health' })).headers['x-ratelimit-remaining'])
  const reply = await store.app.inject({ method: 'OPTIONS', url })
  expect([reply.statusCode, reply.headers.allow]).toEqual([204, allow])
  expect(Number(reply.headers['x-ratelimit-remaining'])).toBe(before)
})

describe('a page of another origin', () => {
  test('a page of another origin hears before a request what it may send', async () => {
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

  test('a page of another origin may read replies and their header fields, refusals included', async () => {
    const readable = 'X-RateLimit-Remaining RateLimit Retry-After ETag Link X-Request-Id X-Next-Cursor'
    for (const headers of [{ origin, 'x-api-key': store.key }, { origin }]) {
      const reply = await store.app.inject({ url: '/pets', headers })
      expect(reply.headers['access-control-allow-origin']).toBe(origin)
      for (const name of readable.split(' '))
        expect(reply.headers['access-control-expose-headers']).toContain(name)
    }
  })

  describe('refusals before anything else', () => {
    /** The fields of a reply that other origins go by. */
    const crossOriginOf = (headers: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => /^(vary|access-control-)/.test(name)))

    test.each<[string, number, string, string]>([
      ['a path that can’t be decoded', 400, 'GET /pets/%zz HTTP/1.1', 'Connection: close\r\n'],
      ['a malformed head', 400, 'GET /pets HTTP/1.1', 'Broken\r\n'],
      ['another version of HTTP', 400, 'GET /pets HTTP/2.0', ''],
      ['too long a head', 431, 'GET /pets HTTP/1.1', `X: ${'x'.repeat(20_000)}\r\n`],
    ])('a page of another origin may read the refusal of %s', async (_, status, line, fields) => {
      for (const from of [origin, otherOrigin, 'https://evil.example', undefined]) {
        const originField = from ? `Origin: ${from}\r\n` : ''
        const [reply] = (await store.exchange(`${line}\r\nHost: x\r\n${originField}${fields}\r\n`)).replies
        const usual = await store.app.inject({ url: '/pets', headers: from ? { origin: from } : {} })
        expect(reply?.status).toBe(status)
        expect(crossOriginOf(reply?.headers ?? {})).toEqual(crossOriginOf(usual.headers))
      }
    })

    test('a page of the one allowed origin may read what is refused for being late', async () => {
      for (const corsOrigins of ['*', [origin], [origin, otherOrigin]] as const) {
        await using other = await startStore({ corsOrigins, requestTimeoutMs: 100 })
        const [reply] = (await other.exchange('GET /pets HTTP/1.1\r\nHo')).replies
        expect(reply?.status).toBe(408)
        const expected = corsOrigins === '*' ? '*' : corsOrigins.length === 1 ? origin : undefined
        expect(crossOriginOf(reply?.headers ?? {})).toEqual({
          vary: 'Accept-Encoding, Origin',
          ...(expected && { 'access-control-allow-origin': expected }),
        })
      }
    })
  })

  test('a page of an unlisted origin is not let in, and costs other clients no header fields', async () => {
    const { headers } = await store.request({ url: '/pets', headers: { origin: 'https://evil.example' } })
    expect(headers['access-control-allow-origin']).not.toBe('https://evil.example')
    await using closed = await startStore()
    const notAllowed = await closed.app.inject({ url: '/pets', headers: { origin } })
    const fromNowhere = await store.request('/pets')
    for (const reply of [notAllowed, fromNowhere])
      expect(Object.keys(reply.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
    expect(fromNowhere.headers.vary).toBe('Accept-Encoding, Origin')
  })
})

test('X-Request-Id is kept when it is sane, and replaced otherwise', async () => {
  const ask = async (id: string) =>
    (await store.request({ url: '/pets', headers: { 'x-request-id': id } })).headers['x-request-id']
  expect(await ask('order-7:retry.2')).toBe('order-7:retry.2')
  for (const id of ['', 'a b', 'x'.repeat(129), '{"a":1}']) expect(await ask(id)).toMatch(/^[0-9a-f-]{36}$/)
})
