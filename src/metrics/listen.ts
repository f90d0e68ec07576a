import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { listenFault } from '../telling.ts'

/** What Prometheus is shown. */
export interface MetricsText {
  readonly contentType: string
  /** All metrics, in the text format of Prometheus. */
  text(): Promise<string>
}

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
  { contentType, text }: MetricsText,
  host: string,
  port: number,
): Promise<MetricsListener> {
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
  // A client may end its side of the connection before it has read the reply.
  Object.assign(server, { httpAllowHalfOpen: true }) // a public property that the types lack
  // Node removes its own handler when it gives up on a socket or hands it out; a reset without one ends the process.
  server.on('connection', socket => socket.on('error', () => {}))
  server.on('connect', (_request, socket) => {
    socket.resume().end('HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n')
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return { url: urlOf(server), close: () => close(server) }
}

/**
 * The same, where the configuration says; tells the log where that is.
 * @returns what closes the listener again
 * @throws Error that names the setting at fault
 */
export async function listenForMetrics(
  metrics: MetricsText,
  { host, metricsPort = 0 }: Pick<Config, 'host' | 'metricsPort'>,
  log: Pick<FastifyBaseLogger, 'info'>,
): Promise<() => Promise<void>> {
  const listener = await listenForPrometheus(metrics, host, metricsPort).catch(error => {
    throw listenFault(error, host, metricsPort, 'METRICS_PORT')
  })
  log.info(`Metrics for Prometheus are at ${listener.url}`)
  return listener.close
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
