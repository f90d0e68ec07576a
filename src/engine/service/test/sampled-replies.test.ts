import { serve } from 'spec-served-lab/support/engine'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { ReplyOutcome } from '../validation/sampled-replies.ts'

const secret = 'sesame-93'
const item = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    names: { type: 'object', additionalProperties: { type: 'integer' } },
  },
}
const reply = {
  description: 'An item.',
  headers: { 'X-Shelf': { required: true, schema: { type: 'integer' } } },
  content: { 'application/json': { schema: { type: 'array', items: item } } },
}
const source = {
  openapi: '3.0.3',
  info: { title: 'Shelf', version: '1.0.0' },
  paths: {
    '/items': {
      get: { operationId: 'listItems', responses: { 200: reply, 304: { description: 'As before.' } } },
    },
    '/file': {
      get: {
        operationId: 'getFile',
        responses: {
          200: {
            description: 'A file.',
            content: { 'text/plain': { schema: { type: 'string', maxLength: 3 } } },
          },
        },
      },
    },
  },
}

let answer: { status: number; headers?: Record<string, unknown>; body?: unknown }
const lines: Record<string, unknown>[] = []
const outcomes: ReplyOutcome[] = []
const write = (line: string) => void lines.push(JSON.parse(line))
const handler = async () => answer
const app = await serve(
  source,
  { listItems: handler, getFile: handler },
  {},
  {
    logger: { level: 'warn', stream: { write } },
    checkReplies: 1,
    observeReply: (_, outcome) => void outcomes.push(outcome),
  },
)
afterAll(() => app.close())
beforeEach(() => {
  lines.length = 0
  outcomes.length = 0
})
const found = () =>
  lines.map(({ operationId, status, place, rule }) => ({ operationId, status, place, rule }))
const headers = { 'X-Shelf': 1 }

test.each([
  [
    'a value of another type, once for any number of them',
    { status: 200, headers, body: [{ id: secret }, { id: secret }] },
    '/items',
    { place: 'the body/*/id', rule: 'must be integer' },
  ],
  [
    'a value under a name that no schema declares, without that name',
    { status: 200, headers, body: [{ id: 1, names: { [secret]: 'x' } }] },
    '/items',
    { place: 'the body/*/names/*', rule: 'must be integer' },
  ],
  [
    'a header field that is missing',
    { status: 200, body: [] },
    '/items',
    { place: 'the header X-Shelf', rule: 'is missing' },
  ],
  [
    'a success that is not declared',
    { status: 202, headers, body: [] },
    '/items',
    { place: 'the status', rule: 'is not declared' },
  ],
  [
    'bytes that are no JSON',
    { status: 200, headers: { ...headers, 'Content-Type': 'application/json' }, body: Buffer.from('{') },
    '/items',
    { place: 'the body', rule: 'is no JSON' },
  ],
  [
    'a text that is too long',
    { status: 200, body: secret },
    '/file',
    { place: 'the body', rule: expect.stringContaining('3') },
  ],
])('the log names %s', async (_, sent, url, difference) => {
  answer = sent
  const { statusCode } = await app.inject({ url })
  expect(statusCode).toBe(sent.status)
  await app.inject({ url })
  await expect.poll(() => outcomes).toEqual(['differs', 'differs'])
  const { place, rule } = difference
  expect(found()).toEqual([
    { operationId: url === '/items' ? 'listItems' : 'getFile', status: sent.status, place, rule },
  ])
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test.each([
  ['as declared', { status: 200, headers, body: [{ id: 1, names: { a: 2 } }] }],
  ['a refusal that the document does not declare', { status: 418, body: { code: 'teapot' } }],
  ['without a body, as before', { status: 304 }],
])('a reply is no difference: %s', async (_, sent) => {
  answer = sent
  expect((await app.inject({ url: '/items' })).statusCode).toBe(sent.status)
  await expect.poll(() => outcomes).toEqual(['fits'])
  expect(found()).toEqual([])
})

test('HEAD is not checked, and what is too long, or comes while many wait, is counted as skipped', async () => {
  answer = { status: 200, headers, body: [] }
  await app.inject({ method: 'HEAD', url: '/items' })
  answer = { status: 200, body: 'x'.repeat(2 ** 20) }
  await app.inject({ url: '/file' })
  await expect.poll(() => outcomes).toEqual(['skipped'])
  answer = { status: 200, headers, body: [] }
  await Promise.all(Array.from({ length: 300 }, () => app.inject({ url: '/items' })))
  await expect.poll(() => outcomes.length).toBe(301)
})
