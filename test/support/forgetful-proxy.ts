import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Passes connections on to a PostgreSQL, but not the `options` with which they begin, as PgBouncer does where it is told to
 * ignore them.
 */
export async function startForgetfulProxy(target: URL): Promise<{ port: number; stop(): Promise<void> }> {
  const clients = new Set<Socket>()
  const listener = createServer(client => {
    const server = connect(Number(target.port), target.hostname)
    clients.add(client)
    for (const socket of [client, server]) socket.on('error', () => {})
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
    client.once('data', (first: Buffer) => {
      server.write(withoutOptions(first))
      client.pipe(server)
    })
    server.pipe(client)
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port, // it listens on a port, not on a pipe
    async stop() {
      for (const client of clients) client.destroy()
      await new Promise(resolve => listener.close(resolve))
    },
  }
}

/** The first message holds its length, the protocol's version, and names and values. Source: PostgreSQL, StartupMessage. */
function withoutOptions(message: Buffer): Buffer {
  const words = message.toString('utf8', 8).split('\0')
  const at = words.findIndex((word, index) => index % 2 === 0 && word === 'options')
  if (at >= 0) words.splice(at, 2)
  const rest = Buffer.from(words.join('\0'))
  const head = Buffer.from(message.subarray(0, 8))
  head.writeInt32BE(8 + rest.length)
  return Buffer.concat([head, rest])
}
