import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as SecureAgent } from 'node:https'
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { nextIn, parameters } from './conventions.ts'
import type { WireRequest } from './requests.ts'

/** A reply as it came over the wire. */
export interface WireReply {
  status: number
  /** by lower-case name */
  headers: Readonly<Record<string, string>>
  /** out of its coding, where that can be read */
  text: string
  /** of the content as it was sent, in bytes */
  length: number
  /** the JSON value of the text; undefined for an empty one */
  body: unknown
}

/** Where a reply's Link leads with a relation (RFC 8288). */
export const linkTo = (rel: 'first' | 'next', { headers }: WireReply): string | undefined =>
  new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1]

/** Where a page of a list leads on: by its Link, or by the cursor that it hands out. */
export function nextPage(url: string, reply: WireReply): string | undefined {
  const { [nextIn(parameters.cursor)]: cursor } = reply.headers
  const link = linkTo('next', reply)
  if (link !== undefined || cursor === undefined) return link
  const [path = '', query = ''] = url.split('?')
  const search = new URLSearchParams(query)
  search.set(parameters.cursor, cursor)
  return `${path}?${search}`
}

/** Connections to a server. */
export interface Wire {
  send(request: WireRequest): Promise<WireReply>
  /** Sends a text as it is over a connection of its own, and reads what comes until it is closed. */
  sendText(text: string): Promise<WireReply>
  close(): void
}

/** @param at where the server is: an origin, and the path before those of the document */
export function openWire(at: () => URL): Wire {
  const isSecure = at().protocol === 'https:'
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 16 })
  return {
    send: request => send(at(), agent, request),
    sendText: text => sendText(at(), text),
    close: () => agent.destroy(),
  }
}

function send(base: URL, agent: Agent, { method, url, headers, body: text, bytes }: WireRequest) {
  const body = bytes ?? text
  const isWhole = body !== undefined && headers['transfer-encoding'] === undefined
  const length = isWhole ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const { promise, resolve, reject } = Promise.withResolvers<WireReply>()
  const request = (base.protocol === 'https:' ? httpsRequest : httpRequest)(
    {
      host: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      agent,
      method,
      path: prefixOf(base) + url,
      headers: { ...headers, ...length },
    },
    response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const content = Buffer.concat(chunks)
        const headers = response.headers as Record<string, string> // each of ours is sent once
        const text = decoded(content, headers['content-encoding']).toString()
        resolve({
          status: response.statusCode ?? 0,
          headers,
          text,
          length: content.length,
          body: parseJson(text),
        })
      })
    },
  )
  request.on('error', reject)
  request.end(body)
  return promise
}

function sendText(base: URL, text: string) {
  const { promise, resolve, reject } = Promise.withResolvers<WireReply>()
  let received = ''
  const host = base.hostname.replace(/^\[|\]$/g, '')
  const isSecure = base.protocol === 'https:'
  const to = { host, port: Number(base.port) || (isSecure ? 443 : 80) }
  const socket = isSecure ? connectSecurely(to) : connect(to)
  socket.write(text)
  socket.setTimeout(10_000, () => socket.destroy(new Error('No answer in 10 seconds')))
  socket.on('data', (chunk: Buffer) => {
    received += chunk
  })
  socket.on('error', reject)
  socket.on('close', () => {
    const [head = '', body = ''] = received.split('\r\n\r\n')
    const [line = '', ...fields] = head.split('\r\n')
    const headers = fields.map(field => [
      field.split(': ')[0]?.toLowerCase(),
      field.slice(field.indexOf(': ') + 2),
    ])
    resolve({
      status: Number(line.split(' ')[1]),
      headers: Object.fromEntries(headers),
      text: body,
      length: body.length,
      body: parseJson(body),
    })
  })
  return promise
}

export const prefixOf = ({ pathname }: URL) => pathname.replace(/\/$/, '')

const decoders: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
}

/** Content out of its coding (RFC 9110, section 8.4); what is not in it stays as it is, and differs from what is due. */
function decoded(content: Buffer, coding = ''): Buffer {
  try {
    return decoders[coding]?.(content) ?? content
  } catch {
    return content
  }
}

/** The JSON value of a text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
