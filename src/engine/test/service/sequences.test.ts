import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { createEngine } from '../../service/engine.ts'
import type { AnyHandler } from '../../service/routes/binding.ts'
import { registerReplyCheck } from '../../tools/check/reply-checker.ts'
import { contractOf } from '../../tools/generate/contract.ts'
import { openMemoryParts } from '../../tools/local/memory-parts.ts'
import { serve } from '../support/engine.ts'
import { modelFrom } from '../support/model.ts'

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
    (one: FastifyInstance) => registerReplyCheck(one, model),
  ]
  const checked = await createEngine(contract, { items }, await openMemoryParts(contract, {}), { prepare })
  const reply = await fetch(`${await checked.listen({ port: 0, host: '127.0.0.1' })}/items`)
  const reader = reply.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe('{"n":1}\n')
  await expect(reader?.read()).rejects.toThrow('terminated')
  await checked.close()
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
