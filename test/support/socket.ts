import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Sends bytes as they are, and returns what comes back until the server closes. */
export type SendRaw = (request: string | Buffer) => Promise<string>

/** Makes a server listen on a free port of this machine; whoever closes the server ends that too. */
export async function listenForBytes(app: FastifyInstance): Promise<SendRaw> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo // it listens on TCP
  return async request => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request)
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  }
}
