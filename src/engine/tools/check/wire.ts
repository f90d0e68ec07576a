import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { isJson, parseMediaType } from '../../service/values/media-types.ts'
import { changesByItself, nextIn, parameters } from './conventions.ts'
import type { WireRequest } from './requests.ts'

/** A reply as it came over the wire. */
export interface WireReply {
  status: number
  /** by lower-case name; several Set-Cookie fields stand in lines of their own */
  headers: Readonly<Record<string, string>>
  /** out of its coding, where that can be read */
  text: string
  /** of the content as it was sent, in bytes */
  length: number
  /** the JSON value of the text; undefined for another media type, or a text that is no JSON */
  body: unknown
}

/** Thrown where no reply comes, or none that HTTP can read. */
export class NoReply extends Error {
  readonly request: WireRequest
  constructor(message: string, request: WireRequest) {
    super(message)
    this.request = request
  }
}

/** How long a reply may take, in ms. */
const patience = 60_000

/** Returns the target of a reply's Link with a relation (RFC 8288). */
export const linkTo = (
  rel: 'first' | 'next' | 'successor-version',
  { headers }: WireReply,
): string | undefined => new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1]

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

  /** @param tries how often it is sent again if the server has just closed the connection that was kept */
  async function send(whole: WireRequest, tries: number): Promise<WireReply> {
    const { method, url, headers, body: text, bytes, query = {} } = whole
    const body = bytes ?? text
    const isWhole = body !== undefined && headers['transfer-encoding'] === undefined
    const length = isWhole ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const { hostname, port, pathname } = at()
    const search = `${new URLSearchParams(query)}`
    // A path of a document may hold characters that no request can.
    const target = url.replace(/[^\x21-\xff]+/gu, encodeURIComponent)
    const sent = request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent,
      method,
      path: `${pathname.replace(/\/$/, '')}${target}${search && (url.includes('?') ? '&' : '?')}${search}`, // as it is, where a URL would be put in order
      headers: { ...headers, ...length },
    })
    const response = Promise.withResolvers<http.IncomingMessage>()
    sent.on('response', response.resolve)
    // An error may also come after the reply: bytes that follow it, and belong to none.
    sent.on('error', response.reject)
    sent.setTimeout(patience, () => sent.destroy(new Error(`none in ${patience / 1_000} s`)))
    sent.end(body)
    try {
      const received = await response.promise
      return replyOf(received.statusCode, fieldsOf(received), await buffer(received))
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException // of a socket
      const isStale = sent.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(code)
      if (isStale && tries > 0) return send(whole, tries - 1)
      throw error
    }
  }

  return {
    /** @throws NoReply */
    async send(sent: WireRequest): Promise<WireReply> {
      try {
        return await send(sent, 1)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException // of a socket or a parser
        throw new NoReply(`there is no reply by HTTP: ${message || code}`, sent)
      }
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

/** Several fields of one name are a list (RFC 9110, section 5.3), but for cookies. */
function fieldsOf({ headersDistinct }: http.IncomingMessage): Record<string, string> {
  const entries = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.join(name === 'set-cookie' ? '\n' : ', '),
  ])
  return Object.fromEntries(entries)
}

function replyOf(status = 0, headers: WireReply['headers'], content: Buffer): WireReply {
  const text = decoded(content, headers['content-encoding']).toString()
  const { 'content-type': type } = headers
  const body = type === undefined || isJson(parseMediaType(type)) ? parseJson(text) : undefined
  return { status, headers, text, length: content.length, body }
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
