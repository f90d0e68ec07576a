import { serve } from 'spec-served-lab/support/engine'
import { expect, test } from 'vitest'

const content = { 'text/plain': { schema: { type: 'string' } } }
const source = {
  openapi: '3.1.0',
  info: { title: 'Logs', version: '1' },
  paths: {
    '/log': { get: { operationId: 'log', responses: { 200: { content }, 206: { content } } } },
  },
}
const text = 'a line of a log\n'.repeat(500)
const codings = 'br, zstd, gzip, identity;q=0'

/** Asks for a long text with these fields, by a client that wants it in a coding. */
async function reply(status: number, headers: Record<string, string>) {
  const app = await serve(source, { log: async () => ({ status, headers, body: text }) })
  const got = await app.inject({ url: '/log', headers: { 'accept-encoding': codings } })
  await app.close()
  return { coding: got.headers['content-encoding'], isWhole: got.body === text }
}

test('a long text is sent in the coding that the client prefers', async () => {
  expect(await reply(200, {})).toEqual({ coding: 'br', isWhole: false })
  expect(await reply(200, { 'Cache-Control': 'private, max-age=5' })).toMatchObject({ coding: 'br' })
})

// RFC 9110, section 14.1.2: a Content-Range counts the bytes of the reply in its coding.
test.each<[string, number, Record<string, string>]>([
  ['a part', 206, { 'Content-Range': `bytes 0-${text.length - 1}/${text.length}` }],
  ['several parts', 206, { 'Content-Type': 'multipart/byteranges; boundary=a' }],
  ['what no one may transform', 200, { 'Cache-Control': 'private, No-Transform' }],
  ['events that are given as a text', 200, { 'Content-Type': 'text/event-stream' }],
])('%s is sent as it is', async (_, status, headers) => {
  expect(await reply(status, headers)).toEqual({ coding: undefined, isWhole: true })
})

test('what a handler has coded is not coded again', async () => {
  expect(await reply(200, { 'Content-Encoding': 'aes128gcm' })).toEqual({
    coding: 'aes128gcm',
    isWhole: true,
  })
})
