import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from '../../support/http.ts'

/** A request on its way to a server. */
export interface Sent {
  method: string
  /** path and query */
  url: string
  headers: IncomingHttpHeaders
  /** a character for each byte */
  body: string
}

/** The reply on its way back. */
export interface Came {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Changes an exchange. @param forward asks the server as it is */
export type Change = (sent: Sent, forward: (sent: Sent) => Promise<Came>) => Promise<Came>

/** A proxy before a server. It counts requests, and plants faults. */
export interface Planting {
  url: string
  requests(): number
  stop(): void
}

/** Starts a proxy that changes the exchanges of an operation. @param changes by method and path, the last one innermost */
export async function plant(
  origin: string,
  changes: readonly { method: string; path: RegExp; change: Change }[],
): Promise<Planting> {
  const agent = new Agent({ keepAlive: true })
  let requests = 0

  const forward = (sent: Sent): Promise<Came> =>
    new Promise((resolve, reject) => {
      const { 'content-length': length, 'transfer-encoding': coding, connection: _, ...others } = sent.headers
      const hasBody = sent.body !== '' || length !== undefined || coding !== undefined
      const headers = { ...others, ...(hasBody && { 'content-length': sent.body.length }) }
      const forwarded = ask(origin, { method: sent.method, path: sent.url, headers, agent }, async reply => {
        let body = ''
        for await (const chunk of reply.setEncoding('latin1')) body += chunk
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body })
      })
      forwarded.on('error', reject)
      forwarded.end(sent.body, 'latin1')
    })

  const server = createServer(async (request, response) => {
    requests += 1
    let body = ''
    for await (const chunk of request.setEncoding('latin1')) body += chunk
    const { method = '', url = '', headers } = request
    const path = url.split('?')[0] ?? ''
    let send = forward
    for (const change of changes)
      if (change.method === method && change.path.test(path)) {
        const inner = send
        send = sent => change.change(sent, inner)
      }
    try {
      const came = await send({ method, url, headers, body })
      const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...others } = came.headers
      const bytes = Buffer.from(came.body, 'latin1')
      const isEmpty = method === 'HEAD' || came.status === 204 || came.status === 304
      response.writeHead(came.status, { ...others, ...(!isEmpty && { 'content-length': bytes.length }) })
      response.end(isEmpty ? undefined : bytes)
    } catch {
      response.destroy()
    }
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    stop() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
