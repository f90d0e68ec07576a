import http from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { sequenceOf } from 'spec-served-document/formats/sequences'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { changesByItself, nextIn, parameters } from '../records/conventions.ts'
import { parseJson, type WireReply, type WireRequest } from '../records/messages.ts'

/** Thrown where no reply comes, or none that HTTP can read. */
export class NoReply extends Error {
  readonly request: WireRequest
  /** whether the server as a whole is slow, which is no fault of it */
  readonly isSlow: boolean
  constructor(message: string, request: WireRequest, isSlow = false) {
    super(message)
    this.request = request
    this.isSlow = isSlow
  }
}

/** The bounds of a reply, and of waits for replies. */
export interface Bounds {
  /** how long one may take in all, to its last byte, in ms */
  ms: number
  /** how long those that come too late may take together, in ms; then nothing more is sent */
  lateMs: number
  /** how long a sequence of items is read, in ms: it may have no end */
  sequenceMs: number
  /** of its content as it is sent */
  bytes: number
  /** of its content out of its coding */
  expandedBytes: number
}

/** Far more than a service needs that does what its document says. */
const usual: Bounds = {
  ...{ ms: 60_000, lateMs: 600_000, sequenceMs: 3_000 },
  ...{ bytes: 16 * 2 ** 20, expandedBytes: 64 * 2 ** 20 },
}

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

/** Thrown where a reply does not come in time. */
class Late extends Error {}

/** Thrown where a connection is closed before a reply, and the request may be sent again. */
class Cut extends Error {}

/** Whether a request may be sent twice (RFC 9110, section 9.2.2). */
const isRepeatable = ({ method }: WireRequest) => /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)

/** A server that is not slow itself answers in a part of the bound, one in so many. */
const quick = 10

/** Connections to a server, which is not trusted. @param origin its origin, and the path before those of the document */
export function openWire(origin: () => URL, bounds: Bounds = usual) {
  let lateMs = 0

  const { Agent, request } = origin().protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })

  /**
   * Sends a request once.
   * @param isFresh whether it has a connection of its own
   * @throws Late
   * @throws Cut
   */
  async function sendOnce(whole: WireRequest, isFresh: boolean): Promise<WireReply> {
    if (lateMs >= bounds.lateMs) throw new Late('it was not sent, as too many replies came too late')
    const { method, url, headers, body: text, bytes, query = {} } = whole
    const body = bytes ?? text
    const isWhole = body !== undefined && headers['transfer-encoding'] === undefined
    const length = isWhole ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const { hostname, port, pathname } = origin()
    const search = `${new URLSearchParams(query)}`
    // A path of a document may hold characters that no request can.
    const target = url.replace(/[^\x21-\xff]+/gu, encodeURIComponent)
    const sent = request({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: isFresh ? false : agent,
      method,
      path: `${pathname.replace(/\/$/, '')}${target}${search && (url.includes('?') ? '&' : '?')}${search}`, // as it is, where a URL would be put in order
      headers: { ...headers, ...length },
    })
    let late: Error | undefined
    const timer = setTimeout(() => {
      lateMs += bounds.ms
      late = new Late(`none in ${bounds.ms / 1_000} s`)
      sent.destroy(late)
    }, bounds.ms)
    const response = Promise.withResolvers<http.IncomingMessage>()
    let hasReply = false
    sent.on('response', received => {
      hasReply = true
      response.resolve(received)
    })
    // An error may also come after the reply: bytes that follow it, and belong to none.
    sent.on('error', response.reject)
    sent.end(body)
    try {
      const received = await response.promise
      return replyOf(received.statusCode, fieldsOf(received), await contentOf(received, bounds), bounds)
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException // of a socket
      const isCut = !hasReply && /^(ECONNRESET|EPIPE)$/.test(code)
      throw late ?? (isCut && (sent.reusedSocket || isRepeatable(whole)) ? new Cut(message || code) : error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether the server answers anything at all in a small part of the time that a reply may take. */
  async function isQuick(): Promise<boolean> {
    const begun = performance.now()
    const reply = await sendOnce({ method: 'OPTIONS', url: '/', headers: {} }, true).catch(() => undefined)
    return reply !== undefined && performance.now() - begun < bounds.ms / quick
  }

  /**
   * Sends a request, and again over a connection of its own where one was closed without a reply: a server may close a
   * kept connection at the very time at which it is used. A reply that was late is asked for again once the server is quick.
   */
  async function send(whole: WireRequest): Promise<WireReply> {
    try {
      return await sendOnce(whole, false)
    } catch (error) {
      const isOnceMore = error instanceof Late && isRepeatable(whole) && (await isQuick())
      if (!isOnceMore && !(error instanceof Cut)) throw error
      return sendOnce(whole, true)
    }
  }

  return {
    /** @throws NoReply */
    async send(sent: WireRequest): Promise<WireReply> {
      try {
        return await send(sent)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException // of a socket or a parser
        const isSlow = error instanceof Late && !(await isQuick())
        throw new NoReply(`there is no reply by HTTP: ${message || code}`, sent, isSlow)
      }
    },
    /** Sends a text as it is over a connection of its own, and reads what comes until it is closed. */
    async sendText(text: string): Promise<WireReply> {
      const socket = connect(Number(origin().port), origin().hostname)
      const timer = setTimeout(() => socket.destroy(new Error('No answer in 10 seconds')), 10_000)
      socket.write(text)
      const received = await contentOf(socket, bounds).finally(() => clearTimeout(timer))
      const end = received.indexOf('\r\n\r\n')
      const [line = '', ...fields] = received.toString('latin1', 0, end).split('\r\n')
      const headers = fields.map(field => /^(.*?): (.*)$/.exec(field) ?? [])
      return replyOf(
        Number(line.split(' ')[1]),
        Object.fromEntries(headers.map(([, name, value]) => [name?.toLowerCase(), value])),
        received.subarray(end + 4),
        bounds,
      )
    },
    close: () => agent.destroy(),
  }
}

/** Several fields of one name are a list (RFC 9110, section 5.3), but for cookies. */
function fieldsOf({ rawHeaders }: http.IncomingMessage): Record<string, string> {
  const fields = new Map<string, string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]]
    const before = fields.get(name)
    const separator = name === 'set-cookie' ? '\n' : ', '
    fields.set(name, before === undefined ? value : before + separator + value)
  }
  return Object.fromEntries(fields)
}

/** Reads content up to its bound. A sequence may have no end: it is read for some time, to the end of an item. */
async function contentOf(from: Readable, { bytes, sequenceMs }: Bounds): Promise<Buffer> {
  const type = from instanceof http.IncomingMessage ? (from.headers['content-type'] ?? '') : ''
  const isSequence = sequenceOf(type) !== undefined
  const chunks: Buffer[] = []
  let size = 0
  let isCut = false
  const cut = () => {
    isCut = true
    from.destroy()
  }
  const timer = isSequence && setTimeout(cut, sequenceMs)
  try {
    for await (const chunk of from) {
      chunks.push(chunk)
      size += chunk.length
      if (size > bytes && !isSequence) throw new Error(`its content has more than ${bytes / 2 ** 20} MiB`)
      if (size > bytes) cut()
    }
  } catch (error) {
    if (!isCut) throw error
  } finally {
    clearTimeout(timer || undefined)
  }
  const content = Buffer.concat(chunks)
  if (!isCut) return content
  // An event ends with an empty line, any other item with its line.
  const ends = /^text\/event-stream/i.test(type) ? ['\n\n', '\n\r\n'] : ['\n']
  const cuts = ends.map(end => [content.lastIndexOf(end), end.length] as const)
  return content.subarray(0, Math.max(...cuts.map(([index, length]) => (index < 0 ? 0 : index + length))))
}

function replyOf(
  status = 0,
  headers: WireReply['headers'],
  content: Buffer,
  { expandedBytes }: Bounds,
): WireReply {
  const text = decoded(content, expandedBytes, headers['content-encoding']).toString()
  const { 'content-type': type } = headers
  const body = type === undefined || isJson(parseMediaType(type)) ? parseJson(text) : undefined
  return { status, headers, text, length: content.length, body }
}

const decoders: Readonly<Record<string, (content: Buffer, options: { maxOutputLength: number }) => Buffer>> =
  {
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
    gzip: gunzipSync,
  }

/**
 * Decodes content (RFC 9110, section 8.4). Content in no such coding stays as it is, and differs from what is due.
 * @throws Error for content that unfolds to more than a bound
 */
function decoded(content: Buffer, most: number, coding = ''): Buffer {
  try {
    return decoders[coding]?.(content, { maxOutputLength: most }) ?? content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Error(`its content has more than ${most / 2 ** 20} MiB out of its coding`)
    return content
  }
}
