import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from './metrics.ts'

/** A listener for Prometheus alone. */
export interface MetricsListener {
  /** where it listens */
  url: string
  close(): Promise<void>
}

/**
 * Shows metrics at `/metrics`, and nothing else.
 * @throws Error of Node when it can't listen there
 */
export async function listenForPrometheus(
  { contentType, text }: Metrics,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const server = createServer(async ({ method, url }, response) => {
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
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return { url: urlOf(server), close: () => close(server) }
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo // it listens on TCP
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
