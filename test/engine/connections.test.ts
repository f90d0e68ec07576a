import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { Connections } from '../../src/engine/connections/connections.ts'

/** Collects what nobody holds. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test('a connection that stays open holds nothing of the requests that were answered', async () => {
  const made: WeakRef<IncomingMessage | ServerResponse>[] = []
  const connections = new Connections({ requestTimeoutMs: 1_000, stalledAfterMs: 1_000 }, async () => {})
  const server = connections.createServer((request, response) => {
    made.push(new WeakRef(request), new WeakRef(response))
    request.resume()
    request.on('end', () => response.end('here'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })

  let text = ''
  client.on('data', data => {
    text += data
  })
  const request = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}'
  client.write(`${request}${request}`)
  await expect.poll(() => text.split('here').length - 1, { timeout: 2_000 }).toBe(2)

  await expect
    .poll(
      () => {
        collectGarbage()
        return made.filter(reference => reference.deref()).length
      },
      { timeout: 2_000 },
    )
    .toBe(0)
  expect(made).toHaveLength(4)
  expect(client.closed).toBe(false)
})
