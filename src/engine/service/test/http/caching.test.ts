import { shared } from 'spec-served-lab/support/fixtures'
import { changedContract } from 'spec-served-lab/support/model'
import { requestText } from 'spec-served-lab/support/raw'
import { addPet, addPets, startOn, startStore } from 'spec-served-lab/support/store'
import { beforeAll, describe, expect, test } from 'vitest'

// src/engine/tools/check/probes/codings.ts covers Accept-Encoding, and conditional requests of each operation.
const store = shared(() => startStore({ corsOrigins: ['https://shop.example'] }))
/** a list, and a record, that are long enough to be sent in a coding */
let list: string
let record: string
beforeAll(async () => {
  const { categoryId } = await addPets(store.call, ...Array.from({ length: 40 }, (_, i) => `A name ${i}`))
  list = `/pets?categoryId=${categoryId}&limit=100`
  const long = { name: `"${crypto.randomUUID()}"`, description: '"'.repeat(500) }
  record = `/categories/${(await store.call('createCategory', { body: long })).body.id}`
})

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  store.request({ method, url, headers })
const codings = ['identity', 'gzip', 'br', 'zstd']

test('each coding has a strong ETag of its own, which brings a 304 in that coding, and the content in another', async () => {
  for (const url of [record, '/openapi.json', '/openapi.yaml', '/docs/static/swagger-ui.css']) {
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
        const due = [of === coding ? 304 : 200, tags.get(coding)]
        expect([again.statusCode, again.headers.etag], `${url} ${coding} ${of}`).toEqual(due)
      }
  }
})

test('after a release with a new property, clients get the new form, and their ETags still guard changes', async () => {
  const contract = await changedContract(({ components: { schemas } }) => {
    schemas.Category.properties.motto = { type: 'string' }
    schemas.Pet.description = 'Words are no part of the form.'
  })
  await using later = await startOn(store.db, { contract })
  const headers = { 'x-api-key': store.key, 'idempotency-key': crypto.randomUUID() }
  const payload = { name: crypto.randomUUID() }
  const made = await store.request({ method: 'POST', url: '/categories', headers, payload })
  const { etag } = made.headers
  const read = async (server: Pick<typeof store, 'request'>, path: string, tag: unknown) => {
    const reply = await server.request({ url: path, headers: { 'if-none-match': String(tag) } })
    return reply.statusCode
  }
  const url = String(made.headers.location)
  expect([await read(store, url, etag), await read(later, url, etag)]).toEqual([304, 200])
  const replayed = await later.request({ method: 'POST', url: '/categories', headers, payload })
  expect(replayed.headers).toMatchObject({ etag, 'idempotent-replayed': 'true' })
  const change = { 'if-match': String(etag) }
  const changed = await later.request({
    method: 'PATCH',
    url,
    headers: change,
    payload: { description: 'a' },
  })
  expect(changed.statusCode).toBe(200)
  expect(await read(later, url, changed.headers.etag)).toBe(304)
  const again = await store.request({ method: 'PATCH', url, headers: change, payload: { description: 'b' } })
  expect(again.statusCode).toBe(412)
  const pet = `/pets/${await addPet(store.call)}`
  const other = await store.request(pet)
  expect(await read(later, pet, other.headers.etag)).toBe(304)
})

test('HEAD answers with the same fields as GET, even where nothing is sent', async () => {
  const urls = [list, record, '/health', '/openapi.json', '/openapi.yaml', '/docs', '/docs/', '/nowhere']
  const files = ['swagger-ui-bundle.js', 'swagger-initializer.js', 'theme/page.css', 'none.js']
  for (const url of [...urls, '/', '/pets/0', ...files.map(file => `/docs/static/${file}`)])
    for (const coding of ['identity', 'br']) {
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
      const unchanged = await fieldsOf('GET')
      expect(unchanged.statusCode, url).toBe(304)
      expect(await fieldsOf('HEAD'), `${url} ${coding}, known`).toEqual(unchanged)
    }
})

test('a 304 has no length, and the fields that the 200 would have (RFC 9110, section 15.4.5)', async () => {
  for (const url of [list, record, '/openapi.yaml', '/docs', '/docs/static/swagger-ui.css']) {
    const { headers } = await ask(url, { 'accept-encoding': 'gzip' })
    for (const method of ['GET', 'HEAD']) {
      const request = requestText(`${method} ${url}`, {
        'X-API-Key': store.key,
        'Accept-Encoding': 'gzip',
        Connection: 'close',
        'If-None-Match': url === '/openapi.yaml' ? '*' : `"x", ${headers.etag}`,
      })
      const [reply] = (await store.exchange(request)).replies
      expect([reply?.status, reply?.body]).toEqual([304, ''])
      for (const name of ['content-length', 'transfer-encoding', 'content-type', 'content-encoding'])
        expect(reply?.headers, url).not.toHaveProperty(name)
      for (const name of ['cache-control', 'vary', 'x-content-type-options'])
        expect(reply?.headers[name], url).toBe(headers[name])
      expect(reply?.headers.etag, url).toMatch(/^(W\/)?"/)
    }
  }
})

describe('fields that say how a reply may be kept and read', () => {
  const fieldsOf = ({ headers }: { headers: Record<string, unknown> }) => [
    headers['cache-control'],
    headers['x-content-type-options'],
    headers.vary,
  ]
  const kept = ['private, no-cache', 'nosniff', 'Accept-Encoding, Origin']
  const notKept = ['no-store', 'nosniff', 'Accept-Encoding, Origin']

  test('a read or write says that only its client may keep it, and must ask again', async () => {
    for (const url of [list, record]) expect(fieldsOf(await ask(url))).toEqual(kept)
    const made = await store.call('createCategory', { body: { name: crypto.randomUUID() } })
    const path = { categoryId: made.body.id }
    for (const reply of [made, await store.call('deleteCategory', { path })])
      expect(fieldsOf(reply)).toEqual(kept)
  })

  test('a reply with a secret says that nobody may keep it', async () => {
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
    ['/pets/0', 400],
    ['/pets/999999999', 404],
    ['/%zz', 400],
    [`/pets?name=${'a'.repeat(9_000)}`, 414],
    ['/docs/static/none.js', 404],
    ['/docs/static/..%2f..%2fpackage.json', 404],
  ])('the refusal of %s says that nobody may keep it', async (url, status) => {
    const reply = await ask(url)
    expect(reply.statusCode).toBe(status)
    expect(fieldsOf(reply)).toEqual(notKept)
  })

  test('the refusal of a client, a method or a malformed request says that nobody may keep it', async () => {
    expect(fieldsOf(await store.app.inject({ url: '/pets' }))).toEqual(notKept)
    expect(fieldsOf(await store.request({ method: 'DELETE', url: '/pets' }))).toEqual(notKept)
    const [reply] = (await store.exchange('HELLO\r\n\r\n')).replies
    expect(fieldsOf(reply ?? { headers: {} })).toEqual(notKept)
  })
})
