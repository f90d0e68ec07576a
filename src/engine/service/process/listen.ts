import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenFault } from './startup-messages.ts'

export interface MetricsText {
  readonly contentType: string
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>
}

export type MetricsListener = Awaited<ReturnType<typeof listenForPrometheus>>

/** Serves metrics at `/metrics`, and nothing else. @throws Error that names the setting at fault */
export async function listenForPrometheus({ contentType, text }: MetricsText, host: string, port: number) {
  const server = createServer(async ({ method, url, httpVersionMajor }, response) => {
    if (httpVersionMajor !== 1) return void response.writeHead(505, { Connection: 'close' }).end()
    if (url?.split('?', 1)[0] !== '/metrics') return void response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    try {
      const body = await text()
      response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body)
    } catch {
      response.writeHead(500).end()
    }
  })
  // Node removes its own error handler when it gives up on a socket or hands it out. A reset then ends the process.
  server.on('connection', socket => socket.on('error', () => {}))
  server.on('connect', (_request, socket) => {
    socket.resume().end('HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n')
  })
  await once(server.listen(port, host), 'listening').catch(error => {
    throw listenFault(error, host, port, 'METRICS_PORT')
  })
  const { address, family, port: taken } = server.address() as AddressInfo // it listens on TCP
  return {
    /** the address at which it listens */
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    async close() {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}
