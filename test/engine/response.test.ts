import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { Response } from '../../src/engine/connections/response.ts'

type Write = (response: ServerResponse) => void

/** The lines of the head that a client gets, in their order by name, and what the server has thrown. */
async function headOf(
  Class: typeof ServerResponse,
  write: Write,
): Promise<{ lines: string[]; thrown: unknown }> {
  let thrown: unknown
  const server = createServer({ ServerResponse: Class }, (_request, response) => {
    try {
      write(response)
    } catch (error) {
      thrown = (error as NodeJS.ErrnoException).code // Node's errors have one
      response.writeHead(500, { 'content-length': 0 }).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  server.close()
  const [first = '', ...fields] = text.split('\r\n\r\n')[0]?.split('\r\n') ?? []
  return { lines: [first, ...fields.filter(line => !line.startsWith('Date: ')).toSorted()], thrown }
}

const sent = (fields: OutgoingHttpHeaders, body = 'text'): Write => {
  return response => response.writeHead(200, fields).end(body)
}
const day = 'Sun, 22 Nov 2026 00:00:00 GMT'

test.each<[string, Write]>([
  ['texts and numbers', sent({ etag: '"1"', 'x-count': 7, Vary: 'Origin', date: day, 'content-length': 4 })],
  ['no length', sent({ etag: '"1"', date: day })],
  ['a field several times', sent({ 'set-cookie': ['a=1', 'b=2'], 'x-many': ['1', '2'], date: day })],
  ['a connection that ends', sent({ connection: 'close', date: day, 'content-length': 4 })],
  ['a trailer', sent({ trailer: 'x-sum', 'transfer-encoding': 'chunked', date: day })],
  [
    'a file with a name',
    sent({ 'content-length': 4, 'content-disposition': 'attachment; filename="é"', date: day }),
  ],
  ['a text of Latin-1', sent({ 'x-text': 'é', date: day })],
  ['no fields', response => response.setHeader('date', day).writeHead(204).end()],
  ['pairs', response => response.writeHead(200, ['x-a', '1', 'date', day]).end()],
  [
    'fields set before',
    response => response.setHeader('x-a', '1').writeHead(200, { 'x-b': '2', date: day }).end(),
  ],
  ['no text at all', sent({ 'x-none': undefined })],
  ['a name that is none', sent({ 'x a': '1' })],
  ['a line in a line', sent({ 'x-text': '1\r\nx-other: 2' })],
  ['what Latin-1 lacks', sent({ 'x-text': '€' })],
])('a client gets what Node would send: %s', async (_, write) => {
  const wanted = await headOf(ServerResponse, write)
  expect(await headOf(Response, write)).toEqual(wanted)
  expect(await headOf(Response, write)).toEqual(wanted) // and the same again
})

const usual = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit']

test.each([...usual, 'etag', 'link', 'x-new'])(
  'a line in a line is refused in %s, however many values it has had',
  async name => {
    const injected = sent({ [name]: 'x\r\nSet-Cookie: a=1' })
    for (let i = 0; i < 100; i++) await headOf(Response, sent({ [name]: `value ${i}` }))
    const { lines, thrown } = await headOf(Response, injected)
    expect(thrown).toBe('ERR_INVALID_CHAR')
    expect(lines).not.toContainEqual(expect.stringMatching(/^set-cookie/i))
  },
)

test('each of many values of a field is sent as it is', async () => {
  for (let i = 0; i < 200; i++) {
    const { lines } = await headOf(Response, sent({ 'x-many-values': `value ${i}` }))
    expect(lines).toContain(`x-many-values: value ${i}`)
  }
})
