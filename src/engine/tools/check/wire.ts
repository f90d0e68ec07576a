import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { changesByItself, nextIn, parameters } from './conventions.ts'
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

/** Returns the target of a reply's Link with a relation (RFC 8288). */
export const linkTo = (rel: 'first' | 'next', { headers }: WireReply): string | undefined =>
  new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1]

/** Returns the URL of the next page of a list, by its Link or its cursor. */
export function nextPage(url: string, reply: WireReply): string | undefined {
  const { [nextIn(parameters.cursor)]: cursor } = reply.headers
  const link = linkTo('next', reply)
  if (link !== undefined || cursor === undefined) return link
  const [path = '', query = ''] = url.split('?')
  const search = new URLSearchParams(query)
  search.set(parameters.cursor, cursor)
  return `${path}?${search}`
}

/** More pages than the records of a check can fill. */
const mostPages = 10_000

/** The pages of a list, from one on, each with where it is. */
export async function* pagesFrom(start: string, read: (url: string) => Promise<WireReply>) {
  let url: string | undefined = start
  for (let pages = 0; url !== undefined && pages < mostPages; pages++) {
    const reply = await read(url)
    yield { url, reply }
    url = nextPage(url, reply)
  }
}

/** The header fields that do not change by themselves, but for some. */
export const lastingFields = ({ headers }: WireReply, but: readonly string[]) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !but.includes(name) && !changesByItself.test(name)),
  )

/** Connections to a server. @param at its origin, and the path before those of the document */
export function openWire(at: () => URL) {
  const { Agent, request } = at().protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    async send({ method, url, headers, body: text, bytes }: WireRequest): Promise<WireReply> {
      const body = bytes ?? text
      const isWhole = body !== undefined && headers['transfer-encoding'] === undefined
      const length = isWhole ? { 'content-length': String(Buffer.byteLength(body)) } : {}
      const { hostname, port, pathname } = at()
      const sent = request({
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        agent,
        method,
        path: pathname.replace(/\/$/, '') + url, // as it is, where a URL would be put in order
        headers: { ...headers, ...length },
      })
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [http.IncomingMessage] // what the event gives
      const content = await buffer(response)
      const received = response.headers as Record<string, string> // each of ours is sent once
      return replyOf(response.statusCode, received, content)
    },
    /** Sends a text as it is over a connection of its own, and reads what comes until it is closed. */
    async sendText(text: string): Promise<WireReply> {
      const socket = connect(Number(at().port), at().hostname)
      socket.setTimeout(10_000, () => socket.destroy(new Error('No answer in 10 seconds')))
      socket.write(text)
      const received = await buffer(socket)
      const end = received.indexOf('\r\n\r\n')
      const [line = '', ...fields] = received.toString('latin1', 0, end).split('\r\n')
      const headers = fields.map(field => /^(.*?): (.*)$/.exec(field) ?? [])
      return replyOf(
        Number(line.split(' ')[1]),
        Object.fromEntries(headers.map(([, name, value]) => [name?.toLowerCase(), value])),
        received.subarray(end + 4),
      )
    },
    close: () => agent.destroy(),
  }
}

function replyOf(status = 0, headers: WireReply['headers'], content: Buffer): WireReply {
  const text = decoded(content, headers['content-encoding']).toString()
  return { status, headers, text, length: content.length, body: parseJson(text) }
}

const decoders: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
}

/** Decodes content (RFC 9110, section 8.4). Content in no such coding stays as it is, and differs from what is due. */
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
