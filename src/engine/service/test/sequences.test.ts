import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { openMemoryParts } from 'spec-served-cli/internal/local/memory-parts'
import { sequenceOf, streamOf } from 'spec-served-document/formats/sequences'
import { serve } from 'spec-served-lab/support/engine'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../engine.ts'
import type { AnyHandler } from '../routes/binding.ts'
import { createReplyChecker } from '../validation/replies.ts'
import { registerReplyCheck } from '../validation/reply-checks.ts'

const itemSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
const source = (type: string, more: object = {}) => ({
  openapi: '3.2.0',
  info: { title: 'T', version: '1' },
  paths: {
    '/items': {
      get: { operationId: 'items', responses: { 200: { content: { [type]: { itemSchema } } } } },
      ...more,
    },
  },
})

/** A handler that gives one item after another without end, and tells when it is left. */
function endless() {
  const left = Promise.withResolvers<void>()
  async function* count() {
    try {
      for (let n = 0; ; n++) {
        yield { n }
        await new Promise(done => setTimeout(done, 5))
      }
    } finally {
      left.resolve()
    }
  }
  const items: AnyHandler<object> = async () => ({ status: 200, body: count() })
  return { items, left: left.promise }
}

test('items of a sequence are sent as they come, until the client leaves', async () => {
  const { items, left } = endless()
  const app = await serve(source('text/event-stream'), { items })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const [reply]: [IncomingMessage] = (await once(
    request({ port, host: '127.0.0.1', path: '/items', agent: false }).end(),
    'response',
  )) as [IncomingMessage] // what the event gives
  let text = ''
  for await (const chunk of reply) {
    text += String(chunk)
    if (text.includes('"n":3')) break // which destroys the reply
  }
  expect(text).toContain('data: {"n":0}\n\ndata: {"n":1}\n\n')
  await left
  expect((await app.inject({ method: 'HEAD', url: '/items' })).statusCode).toBe(200)
  await app.close()
})

test('an item that does not fit ends the reply, if replies are held against the document', async () => {
  async function* some() {
    yield { n: 1 }
    yield { n: 'two' }
  }
  const items: AnyHandler<object> = async () => ({ status: 200, body: some() })
  const app = await serve(source('application/jsonl'), { items })
  expect((await app.inject('/items')).body).toBe('{"n":1}\n{"n":"two"}\n')
  await app.close()
  const model = await modelFrom(source('application/jsonl'))
  const [contract, prepare] = [
    contractOf('', model),
    (instance: FastifyInstance) => registerReplyCheck(instance, model),
  ]
  const checked = await createEngine(contract, { items }, await openMemoryParts(contract, {}), { prepare })
  const reply = await fetch(`${await checked.listen({ port: 0, host: '127.0.0.1' })}/items`)
  const reader = reply.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('{"n":1}\n')
  await expect(reader?.read()).rejects.toThrow('terminated')
  await checked.close()
})

test.each<[string, object, unknown, string]>([
  ['objects', itemSchema, { n: 'two' }, 'data: {"n":1}\n\n'],
  ['texts', { type: 'string', maxLength: 9 }, 'ten letters', 'data: one\ndata: more\n\n'],
  ['numbers', { type: 'integer' }, 1.5, 'data: 1\n\n'],
  [
    'events',
    { type: 'object', required: ['data'], properties: { data: { type: 'string', maxLength: 9 } } },
    { data: 'ten letters' },
    'data: one\n\n',
  ],
])('items of a stream of events that are %s are read as they are written', async (_, items, misfit, text) => {
  const type = 'text/event-stream'
  const content = { [type]: { schema: { type: 'array', items } } }
  const post = {
    operationId: 'echo',
    requestBody: { required: true, content },
    responses: { 200: { content } },
  }
  const model = await modelFrom({ ...source(type), openapi: '3.1.0', paths: { '/items': { post } } })
  const echo: AnyHandler<object> = async ({ body }) => ({
    status: 200,
    body: Array.isArray(body) && body.length === 1 ? body : [misfit],
  })
  const contract = contractOf('', model)
  const prepare = (instance: FastifyInstance) => registerReplyCheck(instance, model)
  const app = await createEngine(contract, { echo }, await openMemoryParts(contract, {}), { prepare })
  onTestFinished(() => app.close())
  const headers = { 'content-type': type }
  const send = (written: string) => app.inject({ method: 'POST', url: '/items', headers, payload: written })
  const { statusCode, payload } = await send(text)
  expect([statusCode, payload]).toEqual([200, text])
  expect(createReplyChecker(model)('echo', { status: 200, headers, body: payload })).toEqual([])
  expect((await send(text + text)).statusCode).toBe(500)
})

test('a sequence that may be repeated is stored whole', async () => {
  const parameters = [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }]
  const post = {
    operationId: 'make',
    parameters,
    responses: { 200: { content: { 'application/jsonl': { itemSchema } } } },
  }
  let made = 0
  async function* some() {
    yield { n: ++made }
  }
  const make: AnyHandler<object> = async () => ({ status: 200, body: some() })
  const app = await serve(source('application/jsonl', { post }), { items: make, make })
  const send = async () => {
    const { body } = await app.inject({ method: 'POST', url: '/items', headers: { 'idempotency-key': 'a' } })
    return body
  }
  expect([await send(), await send(), made]).toEqual(['{"n":1}\n', '{"n":1}\n', 1])
  await app.close()
})

test.each<[string, () => Buffer | Readable]>([
  ['bytes', () => Buffer.of(0, 255, 10)],
  ['a stream of bytes', () => Readable.from([Buffer.of(0, 255), Buffer.of(10)], { objectMode: false })],
])('%s that may be repeated are stored as they are', async (_, bytes) => {
  const parameters = [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }]
  const post = { operationId: 'make', parameters, responses: { 200: { content: { 'image/png': {} } } } }
  let made = 0
  const make: AnyHandler<object> = async () => ({ status: 200, body: ++made === 1 ? bytes() : undefined })
  const app = await serve(source('application/jsonl', { post }), { items: make, make })
  const send = () => app.inject({ method: 'POST', url: '/items', headers: { 'idempotency-key': 'a' } })
  for (const reply of [await send(), await send()])
    expect([reply.headers['content-type'], [...reply.rawPayload]]).toEqual(['image/png', [0, 255, 10]])
  await app.close()
})

test('a sequence may take longer than a handler to its first item', async () => {
  async function* slow() {
    for (let n = 0; n < 4; n++) {
      yield { n }
      await new Promise(done => setTimeout(done, 100))
    }
  }
  const items: AnyHandler<object> = async () => ({ status: 200, body: slow() })
  const app = await serve(source('application/jsonl'), { items }, {}, { handlerTimeoutMs: 100 })
  expect((await app.inject('/items')).body).toBe('{"n":0}\n{"n":1}\n{"n":2}\n{"n":3}\n')
  await app.close()
})

/** Opens a sequence over HTTP, and reads it as it comes. */
async function openStream(app: FastifyInstance, headers: Record<string, string> = {}) {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(url)
  const sent = request({ port, host: '127.0.0.1', path: '/items', agent: false, headers }).end()
  const [reply]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage] // what the event gives
  return reply.setEncoding('utf8')
}

test('a stop ends a sequence after a whole item, lets its handler know, and waits for no item', async () => {
  const aborted = Promise.withResolvers<void>()
  const items: AnyHandler<{ signal: AbortSignal }> = async (_, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve())
    async function* some() {
      yield { n: 1 }
      await new Promise(() => {}) // the next one never comes
    }
    return { status: 200, body: some() }
  }
  const app = await serve(source('text/event-stream'), { items: items as AnyHandler<object> }) // it is given all tools
  const reply = await openStream(app)
  let text = ''
  reply.on('data', data => (text += data))
  await once(reply, 'data')
  expect(await app.drain(60_000)).toBe(true)
  await aborted.promise
  if (!reply.readableEnded) await once(reply, 'end')
  expect([text, reply.complete]).toEqual(['data: {"n":1}\n\n', true])
  await app.close()
})

test('the signal of a handler is aborted when its client leaves, and when its request is refused', async () => {
  const ends: unknown[] = []
  const running = Promise.withResolvers<void>()
  const items: AnyHandler<{ signal: AbortSignal }> = async (_, { signal }) => {
    running.resolve()
    await once(signal, 'abort')
    ends.push(signal.reason.message)
    return { status: 200, body: [] }
  }
  const handlers = { items: items as AnyHandler<object> } // it is given all tools
  const start = (handlerTimeoutMs: number) =>
    serve(source('application/jsonl'), handlers, {}, { handlerTimeoutMs })
  const [app, hasty] = [await start(300_000), await start(100)]
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const leaving = request(`${url}/items`, { agent: false }).on('error', () => {})
  leaving.end()
  await running.promise
  leaving.destroy()
  await expect.poll(() => ends).toHaveLength(1)
  expect((await hasty.inject('/items')).statusCode).toBe(503)
  expect(ends).toEqual(['The client has left', 'The operation takes too long; retry later.'])
  await Promise.all([app.close(), hasty.close()])
})

test('a stop lets a handler that has not answered finish, without a word', async () => {
  const running = Promise.withResolvers<void>()
  const items: AnyHandler<{ signal: AbortSignal }> = async (_, { signal }) => {
    const { aborted } = signal
    running.resolve()
    await once(app.stopping, 'abort')
    return { status: 200, body: [{ n: Number(aborted || signal.aborted) }] }
  }
  const app = await serve(source('application/json'), { items: items as AnyHandler<object> })
  const reply = fetch(`${await app.listen({ host: '127.0.0.1', port: 0 })}/items`)
  await running.promise
  expect([await app.drain(60_000), await (await reply).json()]).toEqual([true, [{ n: 0 }]])
  await app.close()
})

test('events reach a client as they come: no proxy gathers or codes them, and silence is broken by comments', async () => {
  const seen: unknown[] = []
  const items: AnyHandler<object> = async ({ headers }) => {
    seen.push(headers['last-event-id'])
    async function* silence() {
      await new Promise(() => {})
      yield { n: 1 }
    }
    return { status: 200, body: silence() }
  }
  const app = await serve(source('text/event-stream'), { items })
  const reply = await openStream(app, { 'last-event-id': '41', 'accept-encoding': 'gzip, br' })
  expect(reply.headers).toMatchObject({
    'x-accel-buffering': 'no',
    'cache-control': 'no-store, no-transform',
  })
  expect([reply.headers['content-encoding'], seen]).toEqual([undefined, ['41']])
  const [comment] = await once(reply, 'data')
  expect(comment).toBe(':\n\n')
  reply.destroy()
  await app.close()

  const events = sequenceOf('text/event-stream')
  if (!events) throw new Error('Events are no sequence')
  const open = streamOf(events, none(), new AbortController().signal, 5)
  let comments = 0
  for await (const text of open) {
    expect(String(text)).toBe(':\n\n')
    if (++comments === 3) break
  }
  async function* none() {
    await new Promise(() => {})
  }
})
