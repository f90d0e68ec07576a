import { readFile } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { shared } from 'spec-served-lab/support/fixtures'
import { ownContract } from 'spec-served-lab/support/model'
import { operations, type paths } from 'spec-served-lab/support/petstore'
import { startPrefixProxy } from 'spec-served-lab/support/prefix-proxy'
import { startStore, type TestStore } from 'spec-served-lab/support/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { connect } from '../../client/client.ts'

const store = shared(() => startStore())

const ask = (url: string, headers: Record<string, string> = {}) => store.app.inject({ url, headers })
/** Returns the address from which the page reads the document. */
const addressOf = async (app: TestStore['app']) =>
  /<([^>]+json\?v=[^>]+)>/.exec(String((await app.inject('/docs')).headers.link))?.[1] ?? ''
const baseUrl = (document: string) => parse(document).servers[0].variables.base_url.default

describe.each(['/openapi.json', '/openapi.yaml'])('%s', path => {
  test('the document is for everyone, and need not be sent twice', async () => {
    const first = await ask(path)
    expect(first.statusCode).toBe(200)
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
      'cache-control': 'private, no-cache',
      'access-control-allow-origin': '*',
      'content-type': `application/${path.slice(-4)}; charset=utf-8`,
    })
    const etag = String(first.headers.etag)
    for (const tag of [etag, `"other", W/${etag}`, '*']) {
      const again = await ask(path, { 'if-none-match': tag })
      expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await ask(path, { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('the document names the origin that it was asked for at, each with an ETag of its own', async () => {
    const etags = new Set()
    const hosts = ['pets.example', 'pets.example:8080', '127.0.0.1:3000', '[::1]:3000']
    for (const host of hosts) {
      const { payload, headers } = await ask(path, { host })
      expect(baseUrl(payload)).toBe(`http://${host}`)
      etags.add(headers.etag)
    }
    expect(etags.size).toBe(hosts.length)
  })

  test('the document names its default origin where no page could use the Host, and an invalid Host is refused', async () => {
    for (const host of ['a!b', 'a:123456', 'x'.repeat(300)])
      expect(baseUrl((await ask(path, { host })).payload), host).toBe('http://localhost:3000')
    for (const host of ['a"b', 'a b', 'a/b', 'user@host', '<script>', 'host:port', '['])
      expect((await ask(path, { host })).statusCode, host).toBe(400)
  })
})

describe('a document that names a public origin', () => {
  const publicUrl = 'https://api.pets.example'
  test('a document with a public origin names it whatever a request names, and is kept for good under the page’s name', async () => {
    const { app, close } = await startStore({ publicUrl })
    onTestFinished(close)
    const address = await addressOf(app)
    const addresses = [
      address,
      address.replace('.json', '.yaml'),
      address.replace('openapi.json', 'docs/llms.txt'),
    ]
    for (const url of addresses) {
      const { headers, payload } = await app.inject({ url, headers: { host: 'evil.example' } })
      expect(headers['cache-control'], url).toBe('public, max-age=31536000, immutable')
      expect(payload, url).toContain(publicUrl)
      expect(payload, url).not.toContain('evil.example')
    }
    for (const other of ['?v=', '?v=another', '?v=1&v=2'])
      expect((await app.inject(`/openapi.json${other}`)).headers['cache-control'], other).toBe('no-cache')
  })

  test('a document with a public origin has another name than one with another origin', async () => {
    const other = await startStore({ publicUrl })
    onTestFinished(other.close)
    expect(await addressOf(other.app)).not.toBe(await addressOf(store.app))
  })
})

test('no reply holds a host that a proxy was sent, however trusted that proxy is', async () => {
  const { app, key, close } = await startStore({ trustProxy: true })
  onTestFinished(close)
  const headers = {
    'x-api-key': key,
    'x-forwarded-host': 'evil.example',
    'x-forwarded-server': 'evil.example',
    'x-forwarded-port': '6666',
    'x-forwarded-prefix': '//evil.example',
    'x-original-host': 'evil.example',
    'x-host': 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  }
  const address = await addressOf(app)
  for (const url of [
    address,
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/docs/',
    '/docs/llms.txt',
    '/docs/json',
    '/docs/static/index.html',
    '/docs/operations/getPet.md',
    '/',
    '/pets?limit=1',
    '/pets/1',
    '/nothing',
  ]) {
    const reply = await app.inject({ url, headers })
    expect(JSON.stringify(reply.headers) + reply.payload, url).not.toMatch(/evil\.example|6666/)
  }
  for (const url of [address, '/openapi.yaml', '/docs/llms.txt']) {
    const reply = await app.inject({ url, headers: { ...headers, 'x-forwarded-proto': 'https' } })
    expect(reply.payload, url).toContain('https://localhost:80')
    expect(reply.headers['cache-control'], url).toBe('private, no-cache')
  }
})

describe('behind a prefix that a proxy takes away', () => {
  const addresses = async (
    options: Parameters<typeof startStore>[0],
    headers: Record<string, string> = {},
  ) => {
    const { app, key, close } = await startStore(options)
    onTestFinished(close)
    const get = (url: string) => app.inject({ url, headers: { 'x-api-key': key, ...headers } })
    const page = await get('/docs')
    const document = await get('/openapi.json')
    return {
      files: [...page.payload.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path),
      preload: page.headers.link,
      base: document.json().servers[0].variables.base_url.default,
      kept: document.headers['cache-control'],
      list: (await get('/pets?limit=1')).headers.link,
      deprecated: (await get('/pets/1')).headers.link,
      home: [(await get('/')).headers.location, (await get('/')).headers.link],
      json: (await get('/docs/json')).headers.location,
      text: (await get('/docs/llms.txt')).payload,
      operation: (await get('/docs/operations/getPet.md')).payload,
      shared: [page, await get('/docs/operations/getPet.md')].map(item => item.headers['cache-control']),
    }
  }
  const behind = (prefix: string) => ({
    preload: expect.stringMatching(`^<${prefix}/openapi.json\\?v=`),
    list: expect.stringMatching(`^<${prefix}/pets\\?limit=1>`),
    deprecated: expect.stringMatching(`^<${prefix}/pets\\?.*>; rel="successor-version", <${prefix}/docs#/`),
    home: [`${prefix}/docs`, expect.stringMatching(`^<${prefix}/openapi.json>.*<${prefix}/docs>`)],
    json: `${prefix}/openapi.json`,
    text: expect.stringContaining(`](${prefix}/docs/operations/getPet.md)`),
    operation: expect.stringContaining(`](${prefix}/docs/llms.txt)`),
  })

  test('every address begins with the path of the public URL', async () => {
    const publicUrl = 'https://example.com/service'
    const found = await addresses({ publicUrl }, { 'x-forwarded-prefix': '/other' })
    const noCache = ['no-cache', 'no-cache']
    expect(found).toMatchObject({ ...behind('/service'), base: publicUrl, shared: noCache })
    for (const file of found.files) expect(file).toMatch(/^docs\/(static\/|llms\.txt$)/)
  })

  test('every address begins with the prefix that a trusted proxy names, and no shared cache keeps it', async () => {
    const found = await addresses({ trustProxy: ['127.0.0.0/8'] }, { 'x-forwarded-prefix': '/a/b-c/' })
    expect(found).toMatchObject({
      ...behind('/a/b-c'),
      base: 'http://localhost:80/a/b-c',
      kept: 'private, no-cache',
      shared: ['private, no-cache', 'private, no-cache'],
    })
  })

  test('a client, its links and the document work behind a prefix that a trusted proxy takes away', async () => {
    const proxied = await startStore({ trustProxy: true })
    const proxy = await startPrefixProxy(await proxied.port(), '/service')
    onTestFinished(async () => {
      proxy.close()
      await proxied.close()
    })
    const headers = { 'X-API-Key': proxied.key }
    for (const name of ['Dogs', 'Cats']) await proxied.call('createCategory', { body: { name } })
    const client = connect<paths>({ repeatable: [] }, { baseUrl: proxy.url, headers })
    const names: string[] = []
    for await (const { name } of client.items('/categories', { query: { limit: 1 } })) names.push(name)
    expect(names.length).toBeGreaterThan(1)
    const { response } = await client.GET('/categories', { query: { limit: 1 } })
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
    expect((await fetch(new URL(next, response.url), { headers })).status).toBe(200)
    const document = await (await fetch(`${proxy.url}/openapi.json`)).text()
    expect(document).toContain(`"default":"${proxy.url}"`)
  })

  test.each<[string, boolean | string[], string]>([
    ['of a sender that is no trusted proxy', ['10.0.0.0/8'], '/service'],
    ['without trusted proxies', false, '/service'],
    ['with characters of other syntaxes', true, '/a"><script>'],
    ['that is another host', true, '//evil.example'],
    ['that leads up', true, '/a/../b'],
    ['that is too long', true, `/${'a'.repeat(300)}`],
  ])('a prefix %s does not count', async (_, trustProxy, prefix) => {
    const found = await addresses({ trustProxy }, { 'x-forwarded-prefix': prefix })
    expect(found).toMatchObject(behind(''))
  })
})

test('/openapi.yaml is the text as it was written by hand, except for the origin', async () => {
  const { payload } = await ask('/openapi.yaml', { host: 'localhost:3000' })
  expect(payload).toBe(await readFile('spec/openapi.yaml', 'utf8'))
})

describe('in Markdown', () => {
  test('the interface is on one Markdown page, with a link to each operation', async () => {
    const { payload, headers } = await ask('/docs/llms.txt', { host: 'pets.example' })
    expect(headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    })
    expect(payload).toMatch(/^# Pet Store\n\n> Animals, categories, orders/)
    expect(payload).toContain('Base URL: http://pets.example\n')
    expect(payload).toContain('send the key in the header `X-API-Key`')
    expect(payload).toContain('## Store › Orders')
    expect(payload).toContain(
      '- [Get one animal](/docs/operations/getPet.md): GET /pets/{petId}; scope read; deprecated since 2026-06-05, ends 2030-12-05, use listPets',
    )
    expect(payload).toContain(
      '- `createPet`: If you send no `status`, `status` of the new pet is `available`.\n',
    )
    expect(payload).toContain('| `idempotentReplies` | 86400 seconds |')
    const links = [...payload.matchAll(/\]\((\/docs\/operations\/[^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.length).toBe(Object.keys(operations).length)
    for (const link of links) expect((await ask(link)).statusCode, link).toBe(200)
    expect(
      (await ask('/docs/llms.txt', { host: 'pets.example', 'if-none-match': String(headers.etag) }))
        .statusCode,
    ).toBe(304)
  })

  test('the Markdown of an operation has all that a caller needs', async () => {
    const { payload, headers } = await ask('/docs/operations/updatePet.md', { host: 'pets.example' })
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(headers['cache-control'], 'as it names the host').toBe('private, no-cache')
    for (const part of [
      '# Change parts of an animal\n\n`PATCH /pets/{petId}`\n\n- operationId updatePet\n- scope write\n- beta\n',
      '| `petId` | path | yes | integer, int64, minimum: 1, maximum: 9007199254740991 | `1` | Identifier of the animal. |',
      '| `If-Match` | header | no | string, minLength: 1, maxLength: 1000 | `"3-c41d5f0c1a9e"` | The server makes the change only if',
      '## Body (required)\n\n`application/merge-patch+json`: the schema PetPatch\n\n```json\n{\n  "status": "pending"\n}\n```',
      '## Rules\n\n- `categoryId` must name a category, else 409 `category_not_found`.\n',
      "## Code\n\n```sh\ncurl -X PATCH 'http://pets.example/pets/1' \\\n  -H 'X-API-Key: YOUR_API_KEY'",
      "```js\nconst response = await fetch('http://pets.example/pets/1', {\n  method: 'PATCH',",
      '```python\nimport requests\n\nresponse = requests.patch(\n    "http://pets.example/pets/1",',
      '### 412\n\nThe record has changed since you read it.\n\nCodes: `precondition_failed`',
      '## Schemas\n\n```yaml\nId:\n  type: integer',
      '\nPetPatch:\n  type: object\n',
    ])
      expect(payload).toContain(part)
    const again = await ask('/docs/operations/updatePet.md', {
      host: 'pets.example',
      'if-none-match': String(headers.etag),
    })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
  })

  test.each(['none.md', 'updatePet', 'updatePet.txt', 'constructor.md', 'a%2Fb.md', ''])(
    'there is no operation %j',
    async name => {
      expect((await ask(`/docs/operations/${name}`)).statusCode).toBe(404)
    },
  )
})

test('changes of releases and ends of operations are for everyone, in Markdown and for calendars', async () => {
  const changes = await ask('/docs/changes.md')
  expect(changes.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(changes.payload).toBe(await readFile('spec/released/CHANGELOG.md', 'utf8'))
  const { payload, headers } = await ask('/docs/sunsets.ics')
  expect(headers['content-type']).toBe('text/calendar; charset=utf-8')
  const lines = payload.split('\r\n')
  expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR', ''])
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  const whole = payload.replaceAll('\r\n ', '')
  expect(whole).toContain('DTSTART;VALUE=DATE:20301205\r\nSUMMARY:Pet Store: getPet ends\r\n')
  expect(whole).toContain(
    'DESCRIPTION:GET /pets/{petId} of Pet Store answers 410 from 00:00 UTC of this day. Use listPets instead.\r\n',
  )
  expect((await ask('/docs/sunsets.ics', { 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
})

test('the start page leads people to the docs and programs to the document, at no cost', async () => {
  const { statusCode, headers } = await ask('/')
  expect([statusCode, headers.location]).toEqual([302, '/docs'])
  expect(headers.link).toBe('</openapi.json>; rel="service-desc", </docs>; rel="service-doc"')
  const again = (await ask('/')).headers
  expect(again['x-ratelimit-remaining']).toBe(headers['x-ratelimit-remaining'])
})

test('the docs page has no document of its own', async () => {
  expect((await ask('/docs/json')).headers.location).toBe('/openapi.json')
  expect((await ask('/docs/yaml')).headers.location).toBe('/openapi.yaml')
})

test.each([
  '/docs',
  '/docs/',
  '/docs/static/swagger-ui-bundle.js',
  '/docs/static/theme/page.js',
  '/docs/static/theme/page.css',
  '/docs/static/theme/favicon.svg',
])('the page %s allows nothing inline and nothing from elsewhere', async path => {
  const { statusCode, headers } = await ask(path)
  expect(statusCode).toBe(200)
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
})

describe('the files of the page', () => {
  test('the files of the docs page are all there, and need not be sent twice', async () => {
    await ask('/docs?x=/') // names the files as /docs/ does; others are not to get that
    for (const page of ['/docs', '/docs/', '/docs/?x']) {
      const html = (await ask(page)).payload
      const names = [...html.matchAll(/(?:href|src)="([^"]+\/static\/[^"]+)"/g)].map(([, name = '']) => name)
      expect(names.length).toBe(8)
      for (const name of names) {
        const { pathname } = new URL(name, `http://a${page}`)
        const first = await ask(pathname)
        expect(first.statusCode, name).toBe(200)
        expect(first.headers, name).toMatchObject({
          etag: expect.stringMatching(/^"[\w-]{43}"$/),
          'cache-control': 'no-cache',
        })
        const again = await ask(pathname, { 'if-none-match': String(first.headers.etag) })
        expect([again.statusCode, again.payload], name).toEqual([304, ''])
      }
    }
  })

  test('the docs page asks for the document first, under a name that changes with it', async () => {
    const { link } = (await ask('/docs')).headers
    const address = /^<([^>]+)>; rel=preload; as=fetch; crossorigin$/.exec(String(link))?.[1] ?? ''
    expect(address).toMatch(/^\/openapi\.json\?v=[\w-]{16}$/)
    for (const host of ['pets.example', '127.0.0.1:3000']) {
      const { headers, payload } = await ask(address, { host })
      expect(headers['cache-control']).toBe('private, no-cache')
      expect(baseUrl(payload)).toBe(`http://${host}`)
    }
  })

  test.each([
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ])('the files of the docs page are the same in %s, and shorter', async (coding, decode) => {
    for (const path of [
      '/docs/static/theme/page.js',
      '/docs/static/swagger-ui-bundle.js',
      '/openapi.yaml',
      '/openapi.json',
    ]) {
      const [plain, coded] = [await ask(path), await ask(path, { 'accept-encoding': coding })]
      expect(coded.headers['content-encoding'], path).toBe(coding)
      expect(decode(coded.rawPayload).equals(plain.rawPayload), path).toBe(true)
      expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length * 0.6)
    }
  })

  test('files of the docs page go out as they are when a coding would not shorten them', async () => {
    for (const name of ['theme/favicon.svg', 'favicon-32x32.png'])
      expect((await ask(`/docs/static/${name}`, { 'accept-encoding': 'br' })).headers).not.toHaveProperty(
        'content-encoding',
      )
  })
})

test('missing docs are reported at the start and served once they are made, and operations never need them', async () => {
  const lines: string[] = []
  let isLacking = true
  const steady = await ownContract()
  const contract = Object.create(steady, {
    text: {
      get() {
        if (isLacking) throw new Error('It is nowhere')
        return steady.text
      },
    },
  })
  const logger = { level: 'error', stream: { write: (line: string) => lines.push(line) } }
  const { app, key, close } = await startStore({ contract, logger })
  onTestFinished(close)
  await app.listen({ host: '127.0.0.1', port: 0 })
  await expect.poll(() => lines.length).toBe(1)
  expect(lines[0]).toContain('The docs can’t be shown.')
  expect(lines[0]).toContain('It is nowhere')
  expect((await app.inject({ url: '/pets', headers: { 'x-api-key': key } })).statusCode).toBe(200)
  const failed = await app.inject('/docs')
  expect([failed.statusCode, failed.json().code]).toEqual([500, 'internal_error'])
  isLacking = false
  for (const url of ['/docs', '/openapi.json', '/docs/static/theme/page.js'])
    expect((await app.inject(url)).statusCode, url).toBe(200)
})
