import type { FastifyInstance } from 'fastify'
import { serve } from 'spec-served-lab/support/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'

const bytes = Buffer.from('0123456789')
const document = parse(
  `
openapi: 3.1.0
info: { title: Files, version: '1' }
paths:
  /file: &file
    get: &get
      operationId: file
      responses:
        '200': { description: whole, content: { image/png: {} } }
        '206': { description: part, content: { image/png: {} } }
        '304': { description: the same }
        '416': { description: none, content: { application/problem+json: { schema: { type: object, properties: { detail: { type: string } } } } } }
  /empty: { get: { <<: *get, operationId: empty } }
  /dated: { get: { <<: *get, operationId: dated } }
  /own: { get: { <<: *get, operationId: own } }
  /silent: { get: { operationId: silent, responses: { '200': { description: whole, content: { '*/*': {} } }, '206': { description: part } } } }
  /whole: { get: { operationId: whole, responses: { '200': { description: whole, content: { image/png: {} } } } } }
`,
  { merge: true },
)
const lastModified = 'Sat, 28 Nov 2026 12:00:00 GMT'
let app: FastifyInstance
beforeAll(async () => {
  app = await serve(document, {
    file: async () => ({ status: 200, body: bytes }),
    empty: async () => ({ status: 200, body: Buffer.alloc(0) }),
    dated: async () => ({
      status: 200,
      headers: { 'last-modified': lastModified, etag: 'W/"1"' },
      body: bytes,
    }),
    own: async () => ({
      status: 206,
      headers: { 'Content-Range': 'bytes 1-1/10' },
      body: bytes.subarray(1, 2),
    }),
    silent: async () => ({ status: 200, headers: { 'content-type': 'image/gif' }, body: bytes }),
    whole: async () => ({ status: 200, body: bytes }),
  })
})
afterAll(() => app.close())

async function get(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const reply = await app.inject({ method, url, headers })
  const { 'content-range': range, 'content-type': type, 'content-length': length } = reply.headers
  return { status: reply.statusCode, body: reply.body, range, type, length, headers: reply.headers }
}

test.each([
  ['bytes=2-4', '234', 'bytes 2-4/10'],
  ['bytes=7-', '789', 'bytes 7-9/10'],
  ['bytes=-3', '789', 'bytes 7-9/10'],
  ['bytes=-30', '0123456789', 'bytes 0-9/10'],
  ['bytes=0-0', '0', 'bytes 0-0/10'],
  ['bytes=8-99999999999999999999999', '89', 'bytes 8-9/10'],
  ['BYTES = 1-1 ,', '1', 'bytes 1-1/10'],
])('a range of a file is answered with its bytes: %s', async (range, body, place) => {
  expect(await get('/file', { range, 'accept-encoding': 'gzip' })).toMatchObject({
    ...{ status: 206, body, range: place, type: 'image/png', length: String(body.length) },
  })
})

test.each(['pages=1-2', 'bytes=4-2', 'bytes=a-b', 'bytes=', 'bytes', 'bytes=1', 'bytes=--1', 'bytes=1-2, x'])(
  'what is no range of bytes is ignored: %s',
  async range => {
    expect(await get('/file', { range })).toMatchObject({ status: 200, body: '0123456789', range: undefined })
  },
)

test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0', 'bytes=0-1, 3-4', 'bytes=0-,0-,0-'])(
  'a range behind the end, and several ranges, are refused with 416: %s',
  async range => {
    const reply = await get('/file', { range })
    expect(reply).toMatchObject({
      status: 416,
      range: 'bytes */10',
      type: expect.stringContaining('problem+json'),
    })
    expect(JSON.parse(reply.body).detail).toMatch(/range/)
    // Without a declared 416 the whole is sent, as a server may ignore the field.
    expect(await get('/silent', { range })).toMatchObject({ status: 200, body: '0123456789' })
  },
)

test('a whole file says that it has ranges, and its ETag lets a client go on with the same bytes alone', async () => {
  const { headers, status, body } = await get('/file')
  expect([status, body, headers['accept-ranges']]).toEqual([200, '0123456789', 'bytes'])
  const etag = String(headers.etag)
  expect(etag).toMatch(/^"[^"]+"$/)
  const asked = (ifRange: string) => get('/file', { range: 'bytes=2-4', 'if-range': ifRange })
  expect(await asked(etag)).toMatchObject({ status: 206, body: '234', headers: { etag } })
  for (const other of ['"other"', `W/${etag}`, lastModified, 'never'])
    expect((await asked(other)).status).toBe(200)
})

test('If-Range goes by a date, and by no weak ETag', async () => {
  const asked = (ifRange: string) => get('/dated', { range: 'bytes=2-4', 'if-range': ifRange })
  expect(await asked(lastModified)).toMatchObject({ status: 206, body: '234' })
  expect((await asked('Sat, 28 Nov 2026 12:00:01 GMT')).status).toBe(200)
  expect((await asked('W/"1"')).status).toBe(200)
  expect((await get('/dated', { range: 'bytes=2-4' })).status).toBe(206)
})

test('If-None-Match comes before a range', async () => {
  const { headers } = await get('/file')
  const reply = await get('/file', { range: 'bytes=2-4', 'if-none-match': String(headers.etag) })
  expect(reply).toMatchObject({ status: 304, body: '', range: undefined })
})

test('HEAD has no range, and what a handler cuts itself is sent as it is', async () => {
  const head = await get('/file', { range: 'bytes=2-4' }, 'HEAD')
  expect(head).toMatchObject({ status: 200, range: undefined, headers: { 'accept-ranges': 'bytes' } })
  expect(await get('/own', { range: 'bytes=2-4' })).toMatchObject({
    status: 206,
    body: '1',
    range: 'bytes 1-1/10',
  })
})

test('a range keeps the media type that the handler gives', async () => {
  expect(await get('/silent', { range: 'bytes=2-4' })).toMatchObject({
    status: 206,
    body: '234',
    type: 'image/gif',
  })
})

test('an empty file has no range', async () => {
  expect(await get('/empty', { range: 'bytes=-5' })).toMatchObject({ status: 200, body: '' })
  expect(await get('/empty', { range: 'bytes=0-' })).toMatchObject({ status: 416, range: 'bytes */0' })
})

test('an operation whose document declares no 206 has no ranges', async () => {
  const { status, headers } = await get('/whole', { range: 'bytes=2-4' })
  expect([status, headers['accept-ranges']]).toEqual([200, undefined])
})
