import fp from 'fastify-plugin'
import { serve } from 'spec-served-lab/support/engine'
import { shared } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'
import { refusal, refusalError } from '../index.ts'

const response = (...codes: string[]) => ({ description: 'refused', 'x-codes': codes })
const document = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        responses: {
          200: { description: 'ok' },
          402: response('payment_due'),
          409: response('note_in_use', 'note_locked'),
        },
      },
    },
  },
}

/** The way of http-errors, and so of @fastify/sensible. */
const httpError = (statusCode: number, message: string, more = {}) =>
  Object.assign(new Error(message), { statusCode, status: statusCode, expose: statusCode < 500, ...more })
const ofPlugin = httpError(401, 'Send a token.', { code: 'FST_JWT_NO_TOKEN', expose: undefined })
/** The way of axios, got and other clients of an upstream. */
const ofClient = Object.assign(new Error('Upstream said 404'), { statusCode: 404, response: { status: 404 } })
const hostile = Object.defineProperty(new Error('x'), 'statusCode', {
  get() {
    throw new Error('Do not look')
  },
})

const internal = [500, 'internal_error', 'Something went wrong on our side; tell us the X-Request-Id.']
const cases: [string, () => unknown, unknown[]][] = [
  ['a refusal', () => refusalError(402, 'Pay first.'), [402, 'payment_due', 'Pay first.']],
  ['a code of its own', () => refusalError(402, 'No.', { code: 'broke' }), [402, 'broke', 'No.']],
  ['a status with several codes', () => refusalError(409, 'No.'), [409, 'conflict', 'No.']],
  ['a refusal that passes', () => refusalError(503, 'Soon.'), [503, 'unavailable', 'Soon.']],
  ['http-errors', () => httpError(418, 'Tea.'), [418, 'im_a_teapot', 'Tea.']],
  ['a declared code', () => httpError(409, 'Held.', { code: 'note_locked' }), [409, 'note_locked', 'Held.']],
  ['a plugin of Fastify', () => ofPlugin, [401, 'unauthenticated', 'Send a token.']],
  ['http-errors that hide their cause', () => httpError(503, 'Secret'), internal],
  ['a status without consent', () => httpError(404, 'Secret', { expose: undefined }), internal],
  ['the error of an HTTP client', () => ofClient, internal],
  ['a frozen error', () => Object.freeze(new Error('Secret')), internal],
  ['an error that throws when it is read', () => hostile, internal],
  ['nothing', () => undefined, internal],
  ['a symbol', () => Symbol('x'), internal],
]

/** The place in the service that throws, and its error. */
let thrown: { place: string; make: () => unknown } | undefined
const throwAt = (place: string) => {
  if (thrown?.place === place) throw thrown.make()
}
const plugin = fp(async instance => {
  instance.addHook('preHandler', async () => throwAt('hook'))
  instance.get('/own', async () => throwAt('route'))
})
const listNotes = async () => {
  throwAt('handler')
  return { status: 200 }
}
const app = shared(async () => {
  const served = await serve(document, { listNotes }, {}, { plugins: [plugin] })
  return Object.assign(served, { [Symbol.asyncDispose]: () => served.close() })
})

const fieldsOf = (reply: { json(): { status: number; code: string; message: string } }) => {
  const { status, code, message } = reply.json()
  return [status, code, message]
}

test.each(cases)(
  '%s is answered as it asks, or not at all, in a handler and in a hook',
  async (_, make, seen) => {
    for (const place of ['handler', 'hook']) {
      thrown = { place, make }
      const reply = await app.inject('/notes')
      expect([reply.statusCode, fieldsOf(reply)]).toEqual([seen[0], seen])
    }
  },
)

test('a plugin’s own route refuses with header fields and details', async () => {
  const details = [{ path: '/query/a', message: 'is missing' }]
  const make = () => refusalError(429, 'Slower.', { headers: { 'Retry-After': '7' }, details })
  thrown = { place: 'route', make }
  const reply = await app.inject('/own')
  expect([reply.json(), reply.headers['retry-after']]).toEqual([
    { code: 'rate_limited', message: 'Slower.', status: 429, details },
    '7',
  ])
})

test('a refusal by a code that no response names says in the log what a handler returns instead', async () => {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const uncoded = async () => refusal('not_found', 'There is no such note.')
  await using other = await serve(document, { listNotes: uncoded }, {}, { logger })
  expect((await other.inject('/notes')).statusCode).toBe(500)
  expect(lines.join('')).toContain(
    'listNotes: No response of the operation names the code not_found: name it in x-codes of one, or return { status, body }',
  )
})

test('a refusal has a status of an error', () => {
  for (const status of [200, 399, 600, Number.NaN]) expect(() => refusalError(status, '')).toThrow(RangeError)
})
