import { type AddressInfo, createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenForPrometheus, type MetricsListener } from '../../src/metrics/listen.ts'
import { startStore, type TestStore } from '../support/store.ts'

let store: TestStore
let metrics: MetricsListener
beforeAll(async () => {
  store = await startStore()
  await store.app.listen({ host: '127.0.0.1', port: 0 })
  // The text is there only in a later turn of the event loop than the end of the request.
  const slow = () => new Promise<string>(resolve => setTimeout(resolve, 50, 'a_metric 1\n'))
  metrics = await listenForPrometheus({ contentType: 'text/plain', text: slow }, '127.0.0.1', 0)
})
afterAll(async () => {
  await metrics.close()
  await store.close()
})

/** Sends bytes, ends the client's side at once, and gives all that comes back until the server ends its own. */
function sendAndEnd(bytes: string, port = (store.app.server.address() as AddressInfo).port): Promise<string> {
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(bytes)
  return text(socket)
}
const head = (line: string, fields = 'Accept: */*') =>
  `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${store.key}\r\n${fields}\r\n\r\n`

test('a client that ends its side after a request has the request done and gets the reply', async () => {
  const names = Array.from({ length: 20 }, () => `Kind ${crypto.randomUUID()}`)
  const replies = await Promise.all(
    names.map(name => {
      const body = JSON.stringify({ name })
      const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}`
      return sendAndEnd(head('POST /categories', fields) + body)
    }),
  )
  for (const reply of replies) expect(reply).toMatch(/^HTTP\/1\.1 201 /)
  const { body } = await store.call('listCategories', { query: { limit: 100 } })
  expect(body.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names))
})

test('all requests that came before the end are answered', async () => {
  const reply = await sendAndEnd(head('GET /pets?limit=1').repeat(3))
  expect(reply.match(/HTTP\/1\.1 200 /g)).toHaveLength(3)
})

test('a request that is not whole when the client ends its side is refused', async () => {
  for (const bytes of ['GET /pets HT', head('POST /categories', 'Content-Length: 99')])
    expect(await sendAndEnd(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /)
})

test('the metrics are shown to a client that has ended its side', async () => {
  const reply = await sendAndEnd(
    'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n',
    Number(new URL(metrics.url).port),
  )
  expect(reply).toMatch(/^HTTP\/1\.1 200 (?:.*\r?\n)+a_metric 1\n/)
})
