import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes bytes on to a server until it is told to let nothing through: what a dead network looks like. */
export interface TcpProxy {
  port: number
  /** Swallows every byte from now on, of new connections too; nobody is told. */
  stall(): void
  /** Passes on all that follows; what was swallowed is lost. */
  resume(): void
  /** Sends clients what the server has not sent: at once, or right before its next reply to each; or one of them. */
  send(bytes: string, when: 'now' | 'before the next reply', connection?: number): void
  /** Ends all connections now; new ones may come. */
  cut(): void
  /** how many clients have not given up their connection */
  connections(): number
  stop(): Promise<void>
}

/**
 * @param rewrite changes what each client sends first
 * @param delayMs how long bytes are under way, in each direction
 * @param observe sees what passes, with the number of its connection
 */
export async function startTcpProxy(
  target: URL,
  rewrite?: (first: Buffer) => Buffer,
  delayMs = 0,
  observe: (from: 'client' | 'server', bytes: Buffer, connection: number) => void = () => {},
): Promise<TcpProxy> {
  const clients = new Map<Socket, Socket>()
  const numbers = new Map<Socket, number>()
  let isStalled = false
  let connections = 0
  const pass = (from: Socket, to: Socket) => {
    if (delayMs === 0) from.pipe(to)
    else from.on('data', (bytes: Buffer) => setTimeout(() => to.write(bytes), delayMs))
  }
  const join = (client: Socket, server: Socket) => {
    pass(client, server)
    pass(server, client)
  }
  const listener = createServer(client => {
    const server = connect(Number(target.port), target.hostname)
    clients.set(client, server)
    const connection = connections++
    numbers.set(client, connection)
    client.on('data', (bytes: Buffer) => observe('client', bytes, connection))
    server.on('data', (bytes: Buffer) => observe('server', bytes, connection))
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => {
      clients.delete(client)
      numbers.delete(client)
      server.destroy()
    })
    server.on('close', () => client.destroy())
    if (isStalled) client.resume()
    else if (!rewrite) join(client, server)
    else
      client.once('data', (first: Buffer) => {
        server.write(rewrite(first))
        join(client, server)
      })
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port, // it listens on a port, not on a pipe
    stall() {
      isStalled = true
      for (const [client, server] of clients) {
        client.unpipe(server)
        server.unpipe(client)
        client.resume() // its bytes are read and go nowhere, so that its end is seen
        server.pause()
      }
    },
    resume() {
      isStalled = false
      for (const [client, server] of clients) join(client, server)
    },
    send(bytes, when, connection) {
      for (const [client, server] of clients)
        if (connection !== undefined && numbers.get(client) !== connection) continue
        else if (when === 'now') client.write(bytes)
        else server.prependOnceListener('data', () => client.write(bytes))
    },
    cut() {
      for (const [client, server] of clients) {
        client.destroy()
        server.destroy()
      }
    },
    connections: () => clients.size,
    async stop() {
      for (const socket of clients.keys()) socket.destroy()
      await new Promise(resolve => listener.close(resolve))
    },
  }
}
