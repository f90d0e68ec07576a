import { createServer, request as httpRequest } from 'node:http'
import { listen } from './http.ts'

/**
 * Starts a proxy that takes a prefix away before it passes requests on.
 * @param names whether it tells the prefix by `X-Forwarded-Prefix`
 * @returns its URL with the prefix
 */
export async function startPrefixProxy(port: number | string, prefix: string, names = true) {
  const proxy = createServer((request, reply) => {
    const { url = '', method } = request
    if (!url.startsWith(`${prefix}/`)) return reply.writeHead(404).end('no route in the proxy')
    const headers = { ...request.headers, ...(names && { 'x-forwarded-prefix': prefix }) }
    const path = url.slice(prefix.length)
    return request.pipe(
      httpRequest({ port, method, path, headers }, answer => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(reply)
      }),
    )
  })
  const proxyPort = await listen(proxy)
  return {
    origin: `http://127.0.0.1:${proxyPort}`,
    url: `http://127.0.0.1:${proxyPort}${prefix}`,
    close() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}
