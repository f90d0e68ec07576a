import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { probePaths } from '../http/probes.ts'
import { createServer } from '../runtime/node-http.ts'
import { listenFault } from './startup-messages.ts'

/** The contents of the listener for operators. */
export interface Shown {
  metrics: {
    readonly contentType: string
    /** Returns all metrics in the text format of Prometheus. */
    text(): Promise<string>
  }
  /** Returns whether the service can serve. */
  isReady(): Promise<boolean>
}

export type OperatorsListener = Awaited<ReturnType<typeof listenForOperators>>

/**
 * Serves `/metrics`, and the probes beside it: connections of callers do not come before theirs here.
 * @throws Error that names the wrong setting
 */
export async function listenForOperators({ metrics, isReady }: Shown, host: string, port: number) {
  const plain = 'text/plain; charset=utf-8'
  const answers: Readonly<Record<string, () => Promise<[status: number, type: string, text: string]>>> = {
    '/metrics': async () => [200, metrics.contentType, await metrics.text()],
    [probePaths.live]: async () => [200, plain, 'ok\n'],
    [probePaths.ready]: async () =>
      (await isReady()) ? [200, plain, 'ok\n'] : [503, plain, 'unavailable\n'],
  }
  const server = createServer(async ({ method, url = '', httpVersionMajor }, response) => {
    if (httpVersionMajor !== 1) return void response.writeHead(505, { Connection: 'close' }).end()
    const path = url.split('?', 1)[0] ?? ''
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    if (!answer) return void response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    try {
      const [status, type, text] = await answer()
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
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
