import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The versions that a caller accepts; undefined accepts all. */
export type Versions = readonly number[] | undefined

/** The content codings that replies come in (RFC 9110, section 8.4.1), those first that are rather sent. */
const codings = ['br', 'zstd', 'gzip'] as const
type Coding = (typeof codings)[number]

const versionTag = new RegExp(`^"([1-9]\\d{0,9})(?:-(?:${codings.join('|')}))?"$`)

/** The strong ETag of a record's version (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

/** The ETag of the same content in a coding. A strong one stands for bytes, so it is another (RFC 9110, 8.8.3.3). */
function codedTag(tag: string, coding: Coding | null): string {
  return coding === null || tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}-${coding}"`
}

/**
 * The versions that If-Match names, in whatever coding they were read. Weak tags never match (RFC 9110, section 13.1.1),
 * nor do tags that are not ours.
 */
export function versionsIn(ifMatch: string | undefined): Versions {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return tagsIn(ifMatch).flatMap(tag => {
    const version = versionTag.exec(tag)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110, section 13.1.2). */
function isNamedIn(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = (text: string) => text.replace(/^W\//, '')
  return tagsIn(ifNoneMatch).some(named => opaque(named) === opaque(tag))
}

function tagsIn(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Shortest content that is sent in a coding, in bytes: below, it would save less than a packet. */
const worthCoding = 1_024
/** Replies compressed at once at most, over all requests: a queue of them would hold their texts in memory. */
const atOnce = 4

const [br, zstd, gz] = [promisify(brotliCompress), promisify(zstdCompress), promisify(gzip)]
/** All of them work on threads of Node's pool. */
const coders: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  // The default, 11, takes 30 times as long.
  br: bytes => br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: bytes => zstd(bytes),
  gzip: bytes => gz(bytes),
}

/** A text for ETags: as good as never the same for other content. */
export function digest(content: string | Buffer): string {
  return hash('sha256', content, 'base64url')
}

/**
 * The content in the coding that the client likes best, or nothing and the status 304 when it has that already
 * (RFC 9110, sections 12.5.3 and 13.1.2). For onSend.
 * @param conditional whether If-None-Match counts
 */
export async function sendSelected(
  request: FastifyRequest,
  reply: FastifyReply,
  content: string | Buffer,
  conditional: boolean,
): Promise<unknown> {
  const coding =
    Buffer.byteLength(content) < worthCoding ? null : preferredCoding(request.headers['accept-encoding'])
  const tag = reply.getHeader('etag')
  const known = request.headers['if-none-match']
  if (conditional && reply.statusCode === 200 && typeof tag === 'string' && known !== undefined) {
    const selected = codedTag(tag, coding)
    if (isNamedIn(known, selected)) {
      reply.code(304).header('etag', selected).removeHeader('content-type').removeHeader('content-length')
      // Fastify's HEAD can't take null, and gives every text a length; a 304 has none (RFC 9110, section 8.6).
      return request.method === 'HEAD' ? Readable.from([]) : null
    }
  }
  const coded = coding && (await encode(content, coding))
  if (!coded) return content
  reply.header('content-encoding', coding)
  if (typeof tag === 'string') reply.header('etag', codedTag(tag, coding))
  return coded
}

/**
 * The coding that a client likes best, ours first among equals; null for none at all. Where all that is left is refused,
 * the field is disregarded (RFC 9110, sections 12.4.1 and 12.5.3).
 */
export function preferredCoding(acceptEncoding = ''): Coding | null {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map(member => {
        const [name = '', ...parameters] = member.split(';').map(part => part.trim())
        const [, quality = '1'] = parameters.flatMap(text => /^q\s*=(.*)$/.exec(text) ?? [])
        const weight = Number(quality || Number.NaN)
        return [name.replace(/^x-gzip$/, 'gzip'), weight >= 0 && weight <= 1 ? weight : 0]
      }),
  )
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a))
  return best && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null
}

/** Content that is sent many times. */
export interface Text {
  bytes: Buffer
  etag: string
}

/** The codings of such content, each made when it is first asked for. */
const lasting = new WeakMap<Buffer, Map<Coding, Buffer>>()

export function textOf(text: string | Buffer): Text {
  const bytes = Buffer.from(text)
  lasting.set(bytes, new Map())
  return { bytes, etag: `"${digest(bytes)}"` }
}

let underWay = 0

/** The content in a coding; null when so much is under way that it had better go out as it is. */
async function encode(content: string | Buffer, coding: Coding): Promise<Buffer | null> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const kept = lasting.get(bytes)
  const known = kept?.get(coding)
  if (known) return known
  if (underWay >= atOnce) return null
  underWay++
  try {
    const coded = await coders[coding](bytes)
    kept?.set(coding, coded)
    return coded
  } finally {
    underWay--
  }
}
