import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a caller is told of its quota; `reset` in Unix seconds. */
export interface Quota {
  limit: number
  remaining: number
  reset: number
}

/** Passes everything on to a server, but for the quota in its responses, which the caller decides. */
export async function startQuotaProxy(target: string, quota: () => Quota) {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const passed = send({ hostname, port, method, path: url, headers }, answer => {
      const { limit, remaining, reset } = quota()
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...answer.headers,
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': reset,
      })
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo // it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
