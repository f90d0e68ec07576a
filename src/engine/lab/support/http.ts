import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** from sending to the last byte, in ms */
  took: number
}

/** Sends one request; what the server does not answer, or not within 60 s, is thrown. */
export type Send = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Answer>

export interface HttpClient {
  send: Send
  close(): void
}

/** Lets a server listen on a free port of this machine. @returns the port */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // it listens on TCP
}

/** A client with connections that it keeps, as many as it needs. */
export function createClient(url: string, key?: string): HttpClient {
  const agent = new Agent({ keepAlive: true })
  const send: Send = (method, path, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const begun = performance.now()
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const sent = request(url + path, {
        method,
        agent,
        timeout: 290_000,
        headers: {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      })
      sent.on('response', response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (text += chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            took: performance.now() - begun,
          }),
        )
      })
      sent.on('timeout', () => sent.destroy(new Error('No answer within 60 s')))
      sent.on('error', reject)
      sent.end(payload)
    })
  return { send, close: () => agent.destroy() }
}

/** Whether an answer has the form that the document gives errors: a code, the status, and how long to wait. */
export function isDeclaredError({ status, headers, text }: Answer): boolean {
  try {
    const body: { code?: unknown; status?: unknown } = JSON.parse(text)
    const waits = status !== 503 && status !== 429 ? true : headers['retry-after'] !== undefined
    return typeof body.code === 'string' && body.status === status && waits && 'x-request-id' in headers
  } catch {
    return false
  }
}
