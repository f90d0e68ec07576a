import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, connect, need, RequestFailed, type Retry } from 'spec-served/internal/client/client'
import { writeClient } from 'spec-served-lab/support/exchanges'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { listen } from 'spec-served-lab/support/http'
import { ownModel } from 'spec-served-lab/support/model'
import type { paths } from 'spec-served-lab/support/petstore'
import ts from 'typescript'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const seen: IncomingMessage[] = []
let answers: Answer[] = []
const server = createServer((request, response) => {
  seen.push(request)
  request.resume().on('end', () => answers.shift()?.(response, request))
})
let client: Client<paths>
const retries: Retry[] = []
beforeAll(async () => {
  client = connect<paths>(
    { repeatable: ['POST /pets'] },
    {
      baseUrl: `http://127.0.0.1:${await listen(server)}`,
      onRetry: retry => retries.push(retry),
    },
  )
})
afterAll(() => server.close())
beforeEach(() => {
  seen.length = 0
  retries.length = 0
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
const hangUp: Answer = (_, request) => request.socket.destroy()
const busy = { code: 'unavailable', message: 'busy', status: 503 }
const pet = { name: 'Rex', categoryId: 1 }

describe('a redirect', () => {
  const others: IncomingMessage[] = []
  const other = createServer((request, response) => {
    others.push(request)
    request.resume().on('end', () => json(200, [{ id: 9 }])(response, request))
  })
  let elsewhere: string
  beforeAll(async () => {
    elsewhere = `http://127.0.0.1:${await listen(other)}/there`
  })
  afterAll(() => other.close())
  beforeEach(() => {
    others.length = 0
  })
  const headers = {
    'X-API-Key': 'secret',
    Authorization: 'Bearer secret',
    Cookie: 'id=secret',
    Accept: '*/*',
  }
  const to = (status: number, target: string) => json(status, {}, { Location: target })

  test.each([301, 302, 303, 307, 308])(
    'a redirect to another origin by %d takes no credential there',
    async status => {
      answers = [to(status, elsewhere)]
      expect(need(await client.GET('/pets', { headers }))).toEqual([{ id: 9 }])
      expect(JSON.stringify(others[0]?.rawHeaders)).not.toContain('secret')
      expect(others[0]?.headers.accept).toBe('*/*')
    },
  )

  test('a redirect within the service keeps the credentials, and the body where its status says so', async () => {
    answers = [to(307, '/pets2'), to(303, '/pets/7'), json(200, { id: 7 })]
    expect(need(await client.POST('/pets', { body: pet, headers }))).toEqual({ id: 7 })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /pets',
      'POST /pets2',
      'GET /pets/7',
    ])
    expect(seen.map(request => request.headers['x-api-key'])).toEqual(Array(3).fill('secret'))
    const length = String(JSON.stringify(pet).length)
    expect(seen.map(request => request.headers['content-length'])).toEqual([length, length, undefined])
  })

  test('a redirect to another origin takes a body there that its status asks for, without credentials', async () => {
    answers = [to(308, elsewhere)]
    await client.POST('/pets', { body: pet, headers })
    expect(others[0]?.method).toBe('POST')
    expect(others[0]?.headers['content-length']).toBe(String(JSON.stringify(pet).length))
    expect(JSON.stringify(others[0]?.rawHeaders)).not.toContain('secret')
  })

  test('redirects without an end are followed for a while', async () => {
    answers = Array(30).fill(to(302, '/pets'))
    expect((await client.GET('/pets')).response.status).toBe(302)
    expect(seen).toHaveLength(21)
  })

  test('a redirect is the reply where the caller asks for that', async () => {
    answers = [to(302, elsewhere)]
    expect((await client.GET('/pets', { redirect: 'manual' })).response.status).toBe(302)
    expect(others).toEqual([])
  })
})

describe('a request is sent again', () => {
  test.each([
    ['429, when Retry-After says so', json(429, {}, { 'Retry-After': '0' })],
    ['503 with Retry-After, as a date too', json(503, busy, { 'Retry-After': new Date().toUTCString() })],
    ['502 from something in between', json(502, {})],
    ['a reply that was lost', hangUp],
  ])('a request is sent again after %s', async (_, first) => {
    answers = [first, json(200, [{ id: 1 }])]
    expect(need(await client.GET('/pets'))).toEqual([{ id: 1 }])
    expect([seen.length, retries.length]).toEqual([2, 1])
  })

  test('a request is sent again with the same Idempotency-Key and body, and a POST gets a key where the document has it', async () => {
    answers = [hangUp, json(409, {}, { 'Retry-After': '0' }), json(201, { id: 7 })]
    expect(need(await client.POST('/pets', { body: pet }))).toEqual({ id: 7 })
    const keys = seen.map(request => request.headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[\w-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(seen.map(request => request.headers['content-length'])).toEqual(
      Array(3).fill(String(JSON.stringify(pet).length)),
    )
  })

  test('a request is sent again with the key that it was given', async () => {
    answers = [json(201, { id: 7 })]
    await client.POST('/pets', { body: pet, header: { 'Idempotency-Key': 'mine' } })
    expect(seen[0]?.headers['idempotency-key']).toBe('mine')
  })

  test('a request is not sent again where doing it twice could do harm, nor after a refusal', async () => {
    answers = [hangUp]
    await expect(client.POST('/categories', { body: { name: 'Dogs' } })).rejects.toThrow()
    answers = [hangUp]
    const ifMatch = { path: { petId: 1 }, header: { 'If-Match': '"1"' } }
    await expect(client.DELETE('/pets/{petId}', ifMatch)).rejects.toThrow()
    answers = [json(404, { code: 'not_found', message: 'no', status: 404 }, { 'X-Request-Id': 'abc' })]
    const refused = await client.GET('/pets/{petId}', { path: { petId: 1 } })
    expect(() => need(refused)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        status: 404,
        requestId: 'abc',
        message: '404 not_found: no',
      }),
    )
    expect(() => need(refused)).toThrow(RequestFailed)
    expect([seen.length, retries.length]).toEqual([3, 0])
  })

  test('a request is sent again a few times at most, and not after a long wait', async () => {
    answers = Array(5).fill(json(429, { code: 'rate_limited' }, { 'Retry-After': '0' }))
    expect((await client.GET('/pets')).response.status).toBe(429)
    expect(seen).toHaveLength(5)
    answers = [json(429, {}, { 'Retry-After': '3600' })]
    expect((await client.GET('/pets')).response.status).toBe(429)
    expect(seen).toHaveLength(6)
  })

  test('a request is not sent again after its caller gave it up', async () => {
    const giveUp = new AbortController()
    answers = [json(429, {}, { 'Retry-After': '30' })]
    const waiting = client.GET('/pets', { signal: giveUp.signal })
    await expect.poll(() => retries.length).toBe(1)
    giveUp.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})

test('items go through all pages by their links, and stop at a refusal', async () => {
  const page = (shown: number[], link?: string) =>
    json(
      200,
      shown.map(id => ({ id })),
      link === undefined ? {} : { Link: link },
    )
  answers = [
    page([1, 2], '</pets?limit=2>; rel="first", </pets?limit=2&cursor=a%2Bb>; title="x, y"; rel="next"'),
    page([3], '</pets>; rel="first"'),
  ]
  const ids: number[] = []
  for await (const { id } of client.items('/pets', { query: { limit: 2 } })) ids.push(id)
  expect(ids).toEqual([1, 2, 3])
  expect(seen.map(({ url }) => url)).toEqual(['/pets?limit=2', '/pets?limit=2&cursor=a%2Bb'])
  answers = [json(401, { code: 'unauthenticated', message: 'no', status: 401 })]
  await expect(client.items('/pets').next()).rejects.toThrow('401 unauthenticated: no')
})

test('calls and lists take parameters, header fields and a signal by the same names', async () => {
  const ended = AbortSignal.abort(new Error('enough'))
  const options = { query: { limit: 2 }, headers: { 'X-Mark': 'a' } }
  answers = [json(200, []), json(200, [])]
  await client.GET('/pets', options)
  await client.items('/pets', options).next()
  expect(seen.map(({ url, headers }) => [url, headers['x-mark']])).toEqual(
    Array(2).fill(['/pets?limit=2', 'a']),
  )
  await expect(client.GET('/pets', { signal: ended })).rejects.toThrow('enough')
  await expect(client.items('/pets', { signal: ended }).next()).rejects.toThrow('enough')
})

describe('a caller’s mistake is named with its place and what to do, in one line', () => {
  const page: Answer = response =>
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>')
  const cut: Answer = response =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{ "id": 1')
  const ended: Answer = response => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '99' })
    response.write('[{', () => response.destroy())
  }
  const at = (baseUrl?: string) =>
    connect<paths>({ repeatable: [], html: [] }, { maxRetries: 0, ...(baseUrl && { baseUrl }) })
  const here = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens

  test.each<[mistake: string, answer: Answer[], call: () => unknown, message: RegExp]>([
    [
      'a base URL without a scheme',
      [],
      () => at('localhost:3000').GET('/pets'),
      /baseUrl is "localhost:3000", and/,
    ],
    ['no base URL', [], () => at().GET('/pets'), /^baseUrl is missing, and must be a URL such as/],
    [
      'a service that does not run',
      [],
      () => at('http://127.0.0.1:1').GET('/pets'),
      /^GET http:\/\/127\.0\.0\.1:1\/pets got no reply \(.+\): see whether baseUrl is right and the service runs\.$/,
    ],
    [
      'a page of a proxy',
      [page],
      () => at(here()).GET('/pets'),
      /^GET \/pets was answered 200 with HTML, .* whether baseUrl leads to a proxy .*\(http:.*\/pets\)\.$/,
    ],
    [
      'a page in place of a list',
      [page],
      () => at(here()).items('/pets').next(),
      /^GET \/pets was answered 200 with HTML/,
    ],
    [
      'a cut reply',
      [cut],
      () => at(here()).GET('/pets'),
      /^GET \/pets was answered 200, .*read to its end \(.+\): a proxy/,
    ],
    [
      'a reply that ends',
      [ended],
      () => at(here()).GET('/pets'),
      /^GET \/pets was answered 200, .*read to its end \(.+\)/,
    ],
    [
      'a record in place of a list',
      [json(200, { id: 1 })],
      () => at(here()).items('/pets').next(),
      /^GET \/pets was answered with something else than a list: call GET, and not items\.$/,
    ],
    [
      'a call that is not awaited',
      [],
      () => Reflect.apply(need, undefined, [Promise.resolve()]),
      /^need takes the result of a call: write need\(await …\)\.$/,
    ],
  ])('%s', async (_, given, call, message) => {
    answers = given
    const failed = await (async () => call())().then(
      () => expect.fail('nothing is thrown'),
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({ message: expect.stringMatching(message) })
    expect(String(failed)).not.toContain('\n')
  })

  test('HTML is a reply where the document has it', async () => {
    answers = [page]
    const reader = connect<paths>({ repeatable: [], html: ['GET /pets'] }, { baseUrl: here() })
    expect((await reader.GET('/pets')).data).toBe('<h1>Sign in</h1>')
  })
})

describe('an option that does not exist is refused, and nothing is sent', () => {
  /** The client without the types by which a compiler refuses these options, too. */
  interface Untyped {
    of(method: string): (path: string, init: object) => Promise<unknown>
    items(path: string, init: object): AsyncGenerator
    stream(path: string, init: object): AsyncGenerator
  }
  let any: Untyped
  beforeAll(() => {
    any = client as unknown as Untyped
  })
  const wrong: Record<string, () => unknown> = {
    params: () => any.of('GET')('/pets', { params: { query: { limit: 1 } } }),
    filter: () => any.items('/pets', { filter: 'a' }).next(),
    json: () => any.of('POST')('/pets', { body: pet, json: {} }),
    paht: () => any.of('DELETE')('/pets/{petId}', { paht: { petId: 1 } }),
    retries: () => any.stream('/pets', { retries: 1 }).next(),
    baseURL: () => Reflect.apply(connect, undefined, [{ repeatable: [] }, { baseURL: 'http://127.0.0.1' }]),
  }
  test.each(Object.entries(wrong))('the option %s is refused, and nothing is sent', async (name, call) => {
    await expect((async () => call())()).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringContaining(`has no option ${name}: `),
      }),
    )
    expect(seen).toEqual([])
  })
})

test('a sequence is read item by item, as it comes, and methods of any name are called', async () => {
  interface Reading {
    at: string
  }
  type Ok<Content, Body = never> = {
    parameters: object
    requestBody: { content: { 'application/json': Body } }
    responses: { 200: { headers: object; content: Content } }
  }
  interface Paths {
    '/lines': {
      get: Ok<{ 'application/jsonl': Reading[] }>
      query: Ok<{ 'application/json': Reading }, Reading>
    }
    '/events': {
      get: Ok<{ 'text/event-stream': { data: string; retry?: number }[] }>
      additionalOperations: { LINK: Ok<{ 'application/json': Reading }, Reading> }
    }
  }
  const { port } = server.address() as AddressInfo
  const streaming = connect<Paths>({ repeatable: [] }, { baseUrl: `http://127.0.0.1:${port}` })
  const inPieces =
    (type: string, ...pieces: string[]): Answer =>
    async response => {
      response.writeHead(200, { 'Content-Type': type })
      for (const piece of pieces) {
        response.write(piece)
        await new Promise(done => setTimeout(done, 20))
      }
      response.end()
    }
  answers = [inPieces('application/jsonl', '{"at":"a"}\n{"a', 't":"ü"}\n\n{"at":"c"}')]
  const read: string[] = []
  for await (const { at } of streaming.stream('/lines')) read.push(at)
  expect(read).toEqual(['a', 'ü', 'c'])
  answers = [inPieces('text/event-stream', ': hello\n\ndata: a\nda', 'ta: b\nretry: 5\n\n', 'data: c\n\n')]
  const events: unknown[] = []
  for await (const event of streaming.stream('/events')) events.push(event)
  expect(events).toEqual([{ data: 'a\nb', retry: 5 }, { data: 'c' }])
  answers = [json(200, { at: 'd' }), json(200, { at: 'e' })]
  const { data } = await streaming.of('QUERY')('/lines', { body: { at: 'x' } })
  const linked = await streaming.of('LINK')('/events', { body: { at: 'x' } })
  expect([data?.at, linked.data?.at, ...seen.slice(-2).map(({ method }) => method)]).toEqual([
    'd',
    'e',
    'QUERY',
    'LINK',
  ])
  // @ts-expect-error because the document declares LINK at /events alone
  void (() => streaming.of('LINK')('/lines', { body: { at: 'x' } }))
})

describe('a stream', () => {
  interface Event {
    data: string
    id?: string
  }
  interface Paths {
    '/answers': {
      post: {
        parameters: object
        requestBody: { content: { 'application/json': { question: string } } }
        responses: {
          200: { headers: object; content: { 'application/json': object; 'text/event-stream': Event[] } }
        }
      }
    }
    '/ticks': {
      post: {
        parameters: object
        requestBody?: never
        responses: { 200: { headers: object; content: { 'text/event-stream': Event[] } } }
      }
    }
    '/old': {
      get: {
        parameters: { query: { since: string } }
        requestBody?: never
        responses: { 200: { headers: object; content: { 'text/event-stream': string } } }
      }
    }
    '/words': {
      get: {
        parameters: object
        responses: { 200: { headers: object; content: { 'text/event-stream': { word: string }[] } } }
      }
    }
  }
  const sequences = {
    'POST /answers': { 'text/event-stream': 'events' },
    'POST /ticks': { 'text/event-stream': 'events' },
    'GET /old': { 'text/event-stream': 'events' },
    'GET /words': { 'text/event-stream': 'values' },
  } as const
  const open = () => {
    const { port } = server.address() as AddressInfo
    return connect<Paths>({ repeatable: [], sequences }, { baseUrl: `http://127.0.0.1:${port}` })
  }
  /** Sends events, and then ends the stream, or cuts it. */
  const send =
    (text: string, isCut = false): Answer =>
    response => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(text, () => (isCut ? response.destroy() : response.end()))
    }
  const all = async <Item>(items: AsyncIterable<Item>) => {
    const read: Item[] = []
    for await (const item of items) read.push(item)
    return read
  }

  test('a POST that answers with events is read event by event, and says that it wants them', async () => {
    answers = [send('data: a\n\ndata: b\n\n')]
    const events = await all(open().stream('/answers', { body: { question: 'q' } }))
    expect(events.map(({ data }) => data)).toEqual(['a', 'b'])
    expect(seen[0]).toMatchObject({ method: 'POST', headers: { accept: 'text/event-stream' } })
  })

  test('a POST without a body that answers with events is sent as POST', async () => {
    answers = [send('data: a\n\n')]
    expect((await all(open().stream('/ticks'))).map(({ data }) => data)).toEqual(['a'])
    expect(seen.map(({ method }) => method)).toEqual(['POST'])
  })

  test('events whose data the document describes are that data', async () => {
    answers = [send('data: {"word":\ndata: "a"}\n\nid: 7\n\ndata: {"word":"b"}\n\n')]
    expect((await all(open().stream('/words'))).map(({ word }) => word)).toEqual(['a', 'b'])
  })

  test('a read that is cut goes on behind the last event with an id, after the time that the service says', async () => {
    answers = [
      send('id: 1\nretry: 5\ndata: a\n\nid: 2\ndata: b\n\ndata: c', true),
      send('id: 3\ndata: c\n\n', true),
      send('id: 4\ndata: d\n\n'),
    ]
    const events = await all(open().stream('/old', { query: { since: 'now' } }))
    expect(events.map(({ data }) => data)).toEqual(['a', 'b', 'c', 'd'])
    expect(seen.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
      ['/old?since=now', undefined],
      ['/old?since=now', '2'],
      ['/old?since=now', '3'],
    ])
  })

  test.each([
    ['has no id', () => open().stream('/old', { query: { since: 'now' } }), undefined],
    ['may not be sent again', () => open().stream('/answers', { body: { question: 'q' } }), '1'],
  ])('a stream that is cut and %s is reported as cut', async (_which, stream, id) => {
    answers = [send(`${id ? 'id: 1\n' : ''}data: a\n\n`, true)]
    const events = stream()
    expect((await events.next()).value).toMatchObject({ data: 'a' })
    await expect(events.next()).rejects.toMatchObject({ name: 'StreamCut', lastEventId: id })
    expect(seen).toHaveLength(1)
  })

  test('a stream ends with the reason of its signal', async () => {
    answers = [
      response => void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: a\n\n'),
    ]
    const ending = new AbortController()
    const events = open().stream('/old', { query: { since: 'now' }, signal: ending.signal })
    await events.next()
    setTimeout(() => ending.abort(new Error('enough')), 5)
    await expect(events.next()).rejects.toThrow('enough')
  })

  test('a whole reply is not taken for a stream', async () => {
    answers = [json(200, { text: 'all' })]
    await expect(all(open().stream('/answers', { body: { question: 'q' } }))).rejects.toThrow(
      'POST /answers was answered with application/json, which is no sequence of items: call POST or items',
    )
  })
})

test.each<[number, string | null]>([
  [401, null],
  [500, ''],
  [404, 'null'],
  [409, '0'],
  [302, null],
])('a %s with the body %j is a refusal by its error', async (status, body) => {
  answers = [
    answer => void answer.writeHead(status, { 'Content-Type': 'application/json' }).end(body ?? undefined),
  ]
  const reply = await client.GET('/pets', { redirect: 'manual' })
  const { error, data, response } = reply
  expect([data, response.status]).toEqual([undefined, status])
  expect(error).toMatchObject({ status, message: expect.stringContaining(String(status)) })
  expect(() => need(reply)).toThrow(RequestFailed)
})

describe('the package', () => {
  const directory = resolve(sharedOutput())
  beforeAll(async () => writeClient(directory, await ownModel()))

  test('the client package runs as it was written', async () => {
    const { createClient } = await import(pathToFileURL(join(directory, 'index.js')).href)
    answers = [json(201, { id: 7 })]
    const made = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect((await made.POST('/store/orders', { body: { petId: 1, quantity: 1 } })).data).toEqual({ id: 7 })
    expect(seen[0]?.headers['idempotency-key']).toMatch(/^[\w-]{36}$/)
  })

  test('the client package distinguishes errors by the codes that the operation declares', () => {
    const use = join(directory, 'use.ts')
    const text = (code: string) => `import { createClient } from './index.js'
const { error } = await createClient({ baseUrl: '' }).POST('/store/orders', { body: { petId: 1, quantity: 1 } })
if (error?.code === '${code}') console.log(error.message)
for await (const pet of createClient({}).items('/pets', { query: { limit: 2 } })) pet.name.trim()
`
    const parsed = new Map<string, ts.SourceFile | undefined>()
    const faultsOf = (code: string) => {
      const host = ts.createCompilerHost({})
      const { readFile, fileExists, getSourceFile } = host
      host.fileExists = name => name === use || fileExists(name)
      host.readFile = name => (name === use ? text(code) : readFile(name))
      host.getSourceFile = (name, target) => {
        if (name === use) return ts.createSourceFile(name, text(code), target)
        if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target))
        return parsed.get(name)
      }
      const options: ts.CompilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        target: ts.ScriptTarget.ES2024,
        module: ts.ModuleKind.NodeNext,
        lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      }
      const program = ts.createProgram([use], options, host)
      return ts
        .getPreEmitDiagnostics(program)
        .map(item => ts.flattenDiagnosticMessageText(item.messageText, '\n'))
    }
    expect(faultsOf('insufficient_stock')).toEqual([])
    expect(faultsOf('category_in_use')).toContainEqual(expect.stringContaining('no overlap'))
  })
})
