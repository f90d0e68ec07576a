import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { sql } from 'kysely'
import { serve } from 'spec-served-lab/support/engine'
import { shared } from 'spec-served-lab/support/fixtures'
import { mintKey, redactKeys } from 'spec-served-lab/support/keys'
import { requestText } from 'spec-served-lab/support/raw'
import { issueKey, startStore, type TestStore } from 'spec-served-lab/support/store'
import { afterEach, describe, expect, test } from 'vitest'
import { redactor } from '../../callers/redaction.ts'
import { traceIdOf } from '../../http/every-request.ts'
import { temporaryDirectory } from '../../testing/temporary.ts'

let lines: string[] = []
const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk))
    done()
  },
})
const store = shared(() => startStore({ logger: { level: 'trace', stream } }))
afterEach(() => {
  lines = []
})

/** The lines of a severity and above, by what they say. */
const levels = { warn: 40, error: 50 }
const linesFrom = (level: keyof typeof levels) =>
  lines.map(line => JSON.parse(line)).filter(line => line.level >= levels[level])

/** Serves a document with a key in the query, which this log tells of. */
const serveWithKeys = () => {
  const responses = { 200: { description: 'ok' } }
  const document = {
    openapi: '3.0.3',
    info: { title: 'Keys', version: '1' },
    paths: {
      '/open': { get: { operationId: 'open', responses } },
      '/guarded': { get: { operationId: 'guarded', security: [{ Query: [] }], responses } },
    },
    components: {
      securitySchemes: {
        Query: { type: 'apiKey', in: 'query', name: 'key' },
        Header: { type: 'apiKey', in: 'header', name: 'X-Token' },
      },
    },
  }
  const holder = { id: 1, scopes: [], plan: '', quotas: null, bannedUntil: null }
  const checker = {
    find: ({ value }: { value: string }) => (value === 'SECRET' ? holder : { fault: 'is not known' }),
  }
  const handler = async () => ({ status: 200 })
  const logger = { level: 'trace', stream }
  return serve(document, { open: handler, guarded: handler }, { Query: checker, Header: checker }, { logger })
}

describe('API keys in the log', () => {
  const percent = (text: string) =>
    [...text].map(character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join('')

  test.each<[string, (key: string) => Parameters<TestStore['request']>[0]]>([
    ['in the path', key => `/pets/${key}`],
    ['in an unknown path', key => `/${key}/x`],
    ['in a query', key => `/pets?api_key=${key}&limit=1`],
    ['in the name of a parameter', key => `/pets?${key}`],
    ['twice', key => `/pets/${key}?key=${key}`],
    ['in a query, percent-encoded', key => `/pets?x=${key.replaceAll('_', '%5f')}`],
    ['in a query, percent-encoded throughout', key => `/pets?x=${percent(key)}`],
    ['in a query, percent-encoded twice', key => `/pets?x=${percent(key).replaceAll('%', '%25')}`],
    ['as the request id', key => ({ url: '/health', headers: { 'x-request-id': key } })],
    ['as the host', key => ({ url: '/health', headers: { host: `${key}.example` } })],
    ['in other header fields', key => ({ url: '/health', headers: { 'user-agent': key, referer: key } })],
    ['in the body', key => ({ method: 'POST', url: '/pets', payload: { name: key } })],
  ])('an API key %s is in no line of the log', async (_, requestWith) => {
    const key = mintKey()
    await store.request(requestWith(key))
    const text = lines.join('')
    expect(text).toContain('incoming request')
    const decoded = decodeURIComponent(decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '')))
    for (const form of [text, decoded]) expect(form).not.toContain(key.slice('pet_live_'.length + 4))
    for (const line of lines) JSON.parse(line)
  })

  test.each([
    '/open?key=SECRET&limit=SHOWN',
    '/guarded?limit=SHOWN&key=SECRET',
    '/guarded?key=SECRET&key=SECRET&limit=SHOWN',
    '/nowhere?k%65y=SECRET&limit=SHOWN',
    '/nowhere/%zz?key=SECRET&limit=SHOWN',
    '/guarded?X-Token=SECRET&limit=SHOWN',
    '/guarded?access_token=SECRET&limit=SHOWN',
  ])('a key that a document has in the query is in no line of the log: %s', async url => {
    const guarded = await serveWithKeys()
    await guarded.inject(url)
    await guarded.close()
    expect(lines.join('')).not.toContain('SECRET')
    expect(lines.join('')).toMatch(/=\*\*\*.*request completed/s)
    expect(lines.join('')).toContain('limit=SHOWN')
  })

  test('a key in the query of a document is used by tools, and is in no line of the log or result', async () => {
    const guarded = await serveWithKeys()
    const params = { name: 'guarded', arguments: {} }
    const { body } = await guarded.inject({
      ...{
        method: 'POST',
        url: '/mcp?key=SECRET',
        headers: { accept: 'application/json, text/event-stream' },
      },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    await guarded.close()
    expect(body).toContain('Done (200)')
    expect(lines.filter(line => line.includes('request completed'))).toHaveLength(2)
    expect(body + lines.join('')).not.toContain('SECRET')
  })

  const token = [{ alg: 'RS256', kid: 'a' }, { sub: 'ann' }]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('c2lnbmF0dXJl')
    .join('.')
  test.each<[string, Parameters<TestStore['request']>[0]]>([
    ['in a query', `/pets?token=${token}&limit=1`],
    ['in a query of any name', `/pets?jwt=${token}`],
    ['in the name of a parameter', `/pets?${token}`],
    ['in the path', `/pets/${token}`],
    ['in an unknown path', `/${token}/x`],
    ['without its signature', `/pets?x=${token.slice(0, token.lastIndexOf('.'))}`],
    ['percent-encoded', `/pets?x=a%3D${token.replaceAll('.', '%2e')}`],
    ['percent-encoded throughout', `/pets?x=${percent(token)}`],
    ['percent-encoded twice', `/pets?x=${percent(token).replaceAll('%', '%25')}`],
    ['as the request id', { url: '/health', headers: { 'x-request-id': token } }],
    ['as the host', { url: '/health', headers: { host: token } }],
    ['in other header fields', { url: '/health', headers: { 'user-agent': token, referer: token } }],
    ['in the body', { method: 'POST', url: '/pets', payload: { name: token } }],
  ])('a JSON Web Token %s is in no line of the log', async (_, call) => {
    await store.request(call)
    const text = lines.join('')
    expect(text).toContain('incoming request')
    const decoded = decodeURIComponent(decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '')))
    for (const part of token.split('.')) for (const form of [text, decoded]) expect(form).not.toContain(part)
    for (const line of lines) JSON.parse(line)
  })

  test('a text that only looks like a token is logged, and long ones cost no more than their length', () => {
    const redact = redactor('petstore')
    for (const text of ['eyJ.eyJ.eyJ', 'a-long.eyJust.a.name.of.a.host.example', '%65%79'])
      expect(redact(text)).toBe(text)
    const costOf = (length: number) => {
      const text = 'eyJ%25'.repeat(length)
      const begun = process.cpuUsage()
      for (let sent = 0; sent < 1_000_000; sent += length) redact(text) // as many characters of either length
      return process.cpuUsage(begun).user
    }
    costOf(2_000) // warm
    expect(costOf(20_000) / costOf(2_000)).toBeLessThan(6) // it would be ten by the square of the length
  })

  test('an API key in an error is not logged', () => {
    const key = mintKey()
    store.app.log.error({ err: new Error(`It failed for ${key}`), nested: { key } }, `with ${key}`)
    expect(lines.join('')).not.toContain(key)
    expect(lines.join('')).toContain('It failed for pet_live_[redacted]')
  })

  test('a text that only looks like an API key is logged', () => {
    for (const text of [
      'pet_live_',
      'pet_live_abcd…',
      `pet_live_${'a'.repeat(35)}`,
      `PET_LIVE_${'a'.repeat(36)}`,
    ])
      expect(redactKeys(text)).toBe(text)
  })
})

test('the log of an unexpected error names its operation and cause, and holds nothing that the caller sent', async () => {
  const plugin = fp(async app => {
    app.addHook('preHandler', async ({ destination: { operationId } }) => {
      if (operationId !== 'createPet') return
      const sent = [77, 'Bob', '2026-12-27']
      await sql`insert into pets (name, name_key, category_id) values (${`${sent}`}, 'a', 77)`.execute(
        other.db,
      )
    })
  })
  await using other = await startStore({ logger: { level: 'error', stream }, plugins: [plugin] })
  const creation = { method: 'POST', url: '/pets', payload: { name: 'a', categoryId: 1 } } as const
  expect((await other.request(creation)).json()).toMatchObject({ code: 'internal_error' })
  expect(linesFrom('error')).toEqual([
    expect.objectContaining({
      msg: expect.stringMatching(
        /^createPet: insert or update on table "pets" violates foreign key constraint/,
      ),
      err: expect.objectContaining({
        ...{ type: expect.any(String), code: '23503', table: 'pets', constraint: expect.any(String) },
        ...{ message: expect.any(String), stack: expect.any(String) },
      }),
    }),
  ])
  expect(lines.join('')).not.toMatch(/Bob|2026-12-27|\(77\)|on our side/)
})

test.each<[thrown: unknown, shown: object]>([
  [{ name: 'Bob' }, { type: 'object', message: 'What was thrown is no Error.' }],
  ['a text', { type: 'string', message: 'a text' }],
  [
    // as PGlite throws it
    Object.assign(new Error('a'), {
      ...{ code: '23503', constraint: 'c', table: 't', query: 'select $1' },
      ...{ params: [77, 'Bob'], detail: 'Key (name)=(Bob) is not present.', where: 'Bob', hint: 'Bob' },
    }),
    { message: 'a', code: '23503', constraint: 'c', table: 't', query: 'select $1' },
  ],
  [
    Object.assign(new Error('a'), { input: { name: 'Bob' }, code: 'E', path: 'Bob' }),
    { message: 'a', code: 'E' },
  ],
  [
    new AggregateError([Object.assign(new Error('a'), { input: 'Bob', port: 1 }), 'a'], 'all'),
    {
      message: 'all',
      aggregateErrors: [expect.objectContaining({ message: 'a', port: 1 }), expect.anything()],
    },
  ],
])('what a handler threw (%o) is logged without what it holds', async (thrown, shown) => {
  const handlers = { listCategories: () => Promise.reject(thrown) }
  await using other = await startStore({ logger: { level: 'error', stream }, handlers })
  expect((await other.request('/categories')).json()).toMatchObject({ code: 'internal_error' })
  expect(linesFrom('error')).toMatchObject([{ err: shown, msg: expect.stringMatching(/^listCategories: /) }])
  expect(lines.join('')).not.toContain('Bob')
})

test('an error that nothing can be written to is logged, and answered as any other', async () => {
  const broken = fp(async app => {
    app.addHook('preHandler', async () => {
      throw Object.freeze(new Error('The cause'))
    })
  })
  await using other = await startStore({ logger: { level: 'error', stream }, plugins: [broken] })
  expect((await other.request('/categories')).json()).toMatchObject({ code: 'internal_error', status: 500 })
  const err = { message: 'The cause', stack: expect.stringContaining('log.test.ts') }
  expect(linesFrom('error')).toEqual([expect.objectContaining({ err: expect.objectContaining(err) })])
})

describe('the line of a request', () => {
  const completed = () => lines.map(line => JSON.parse(line)).find(({ msg }) => msg === 'request completed')

  test('the line of a request has the operation, the status, the key’s id, the size and the time', async () => {
    await store.request('/pets')
    expect(completed()).toMatchObject({
      operationId: 'listPets',
      status: 200,
      key: expect.any(Number),
      bytes: 2,
      ms: expect.any(Number),
      reqId: expect.any(String),
    })
  })

  test('the line of a request has what each other line has', async () => {
    await store.request('/pets')
    store.app.log.info('Another line')
    const [{ pid, hostname, time, ...other }] = lines
      .map(line => JSON.parse(line))
      .filter(({ msg }) => msg === 'Another line')
    expect(completed()).toMatchObject({ level: other.level, pid, hostname })
    expect(Math.abs(completed().time - time)).toBeLessThan(60_000)
  })

  test('the line of a request says why it was refused, and whose it was', async () => {
    const key = await issueKey(store.db, { scopes: ['read'] })
    await store.request({ method: 'POST', url: '/pets', headers: { 'x-api-key': key } })
    expect(completed()).toMatchObject({ status: 403, code: 'insufficient_scope', key: expect.any(Number) })
  })

  test('the line of a request that the router refuses says so', async () => {
    await store.request('/pets/%zz')
    expect(completed()).toMatchObject({ status: 400, code: 'invalid_request', url: '/pets/%zz' })
  })

  const smuggling = 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'
  test.each([
    ['a smuggling attempt', `POST /pets HTTP/1.1\r\nHost: x\r\n${smuggling}\r\n`, 400, 'invalid_request'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'invalid_request'],
    ['another version of HTTP', 'GET /pets HTTP/2.0\r\n\r\n', 400, 'invalid_request'],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
    ['too long a head', `GET / HTTP/1.1\r\nX: ${'x'.repeat(99_999)}\r\n\r\n`, 431, 'header_fields_too_large'],
  ])('a request that was refused unread is logged: %s', async (_, bytes, status, code) => {
    const { replies } = await store.exchange(bytes)
    expect(replies.map(reply => reply.status)).toEqual([status])
    const refusals = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request refused unread')
    const reason = expect.stringMatching(/^.{10,200}$/)
    expect(refusals).toMatchObject([
      { level: 30, ip: '127.0.0.1', status, code, reason, ms: expect.any(Number) },
    ])
    expect(replies[0]?.head).toContain(`x-request-id: ${refusals[0].reqId}\r\n`)
    expect(lines.join('')).not.toContain('xxxx')
  })

  test('the line of a request says that it was refused for coming too late', async () => {
    const other = await startStore({ logger: { level: 'info', stream }, requestTimeoutMs: 100 })
    await other.exchange('GET /pets HTTP/1.1\r\nHo')
    await other.close()
    const refusals = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request refused unread')
    expect(refusals).toMatchObject([{ ip: '127.0.0.1', status: 408, code: 'request_timeout' }])
  })

  const id = '0af7651916cd43dd8448eb211c80319c'
  test('the lines of a request have the trace that it belongs to', async () => {
    await store.request({ url: '/pets', headers: { traceparent: `00-${id}-b7ad6b7169203331-01` } })
    const requestLines = lines.map(line => JSON.parse(line)).filter(({ reqId }) => reqId !== undefined)
    expect(requestLines.length).toBeGreaterThan(1)
    for (const line of requestLines) expect(line.traceId).toBe(id)
  })

  // https://www.w3.org/TR/trace-context/#traceparent-header
  test.each([
    [`00-${id}-b7ad6b7169203331-00`, id],
    [`cc-${id}-b7ad6b7169203331-01-what-will-be`, id],
    [`00-${id}-b7ad6b7169203331-01-more`, undefined],
    [`ff-${id}-b7ad6b7169203331-01`, undefined],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
    [`00-${id}-${'0'.repeat(16)}-01`, undefined],
    [`00-${id.toUpperCase()}-b7ad6b7169203331-01`, undefined],
    [`00-${id}-b7ad6b7169203331`, undefined],
    [`00-${id}-b7ad6b7169203331-01, 00-${id}-b7ad6b7169203331-01`, undefined],
    ['', undefined],
    [undefined, undefined],
  ])('the line of a request has no trace of a traceparent that names none (%s)', (text, traceId) => {
    expect(traceIdOf(text)).toBe(traceId)
  })

  test('the line of a request says that its client went away before the reply', async () => {
    const held = Promise.withResolvers<void>()
    const other = await startStore({
      logger: { level: 'debug', stream },
      prepare: app => app.addHook('preHandler', () => held.promise),
    })
    const socket = connect(await other.port(), '127.0.0.1')
    socket.write(requestText('GET /pets', { 'X-API-Key': other.key }))
    while (!lines.some(line => line.includes('incoming request'))) await sleep(5)
    socket.resetAndDestroy()
    while (!completed()) await sleep(5)
    expect(completed()).toMatchObject({ operationId: 'listPets', aborted: true })
    expect(completed()).not.toHaveProperty('status')
    held.resolve()
    await other.close()
  })
})

describe('a client that breaks off its upload', () => {
  const head = (length: number) =>
    `POST /categories HTTP/1.1\r\nHost: x\r\nX-API-Key: ${store.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

  /** Sends the beginning of a request and goes away; waits until the server has noticed. */
  async function breakOff(text: string, leave: 'resetAndDestroy' | 'end' | 'destroy'): Promise<void> {
    const socket = connect(await store.port(), '127.0.0.1').on('error', () => {})
    socket.write(text)
    while (!lines.some(line => line.includes('incoming request'))) await sleep(5)
    await sleep(50)
    socket[leave]()
    while (!lines.some(line => line.includes('broke off') || line.includes('request completed')))
      await sleep(5)
  }

  test.each(['resetAndDestroy', 'destroy', 'end'] as const)(
    '(%s) is no fault of the database',
    async leave => {
      await breakOff(`${head(1_000)}{"name": "`, leave)
      await sleep(50)
      expect(linesFrom('warn')).toEqual([])
      expect(lines.join('')).not.toContain('database')
    },
  )

  test('an upload that its client breaks off is logged otherwise than a database that does', async () => {
    const other = await startStore({ logger: { level: 'trace', stream } })
    await other.cut()
    expect((await other.call('listPets')).status).toBe(503)
    expect(linesFrom('error')).toMatchObject([{ msg: expect.stringMatching(/^listPets: (?!.*retry soon)/) }])
    await other.close()
  })
})

test('a client that resets its connection at once is no fault of the service', async () => {
  const { key } = store
  const port = await store.port()
  const fields = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const texts = [requestText('GET /pets', { 'X-API-Key': mintKey() }), requestText('GET /health')]
  texts.push(requestText('POST /categories', { ...fields, 'Content-Length': '99' }, '{"name'))
  const leave = async (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    socket.resetAndDestroy()
  }
  for (const text of texts) await Promise.all(Array.from({ length: 20 }, () => leave(text)))
  await expect.poll(() => lines.filter(line => line.includes('request completed')).length).toBeGreaterThan(20)
  await store.request('/health')
  expect(linesFrom('error')).toEqual([])
})

test('a service answers on a Unix socket, where nobody has an address', async () => {
  const directory = temporaryDirectory()
  const socketPath = join(directory, 'socket')
  await using other = await startStore({ logger: { level: 'debug', stream } })
  await other.app.listen({ path: socketPath })
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const asked = request({ socketPath, path, headers }).end()
    const [reply]: IncomingMessage[] = await once(asked, 'response')
    reply?.resume()
    return reply?.statusCode
  }
  const key = { 'x-api-key': other.key }
  expect(await Promise.all([ask('/health'), ask('/pets'), ask('/pets', key)])).toEqual([200, 401, 200])
  const raw = connect(socketPath)
  raw.write('HELLO\r\n\r\n')
  const [answer] = await once(raw, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 400 /)
  raw.destroy()
  rmSync(directory, { recursive: true })
})

test('the last lines of a process that ends at once are written, in their order', () => {
  const written = Array.from({ length: 30 }, (_, line) => `${line} ${'x'.repeat(200)}\n`)
  const program = `
    const { openLogStream } = await import(${JSON.stringify(new URL('../../process/log-stream.ts', import.meta.url).href)})
    const stream = await openLogStream('json')
    for (const line of ${JSON.stringify(written)}) stream.write(line)
    process.exit(1)`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: written.join('') })
})
