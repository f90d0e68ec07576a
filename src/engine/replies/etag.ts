import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { LRUCache } from 'lru-cache'
import { factsFor } from '../routes/paths.ts'

/** The versions that a caller accepts; undefined accepts all. */
export type Versions = readonly number[] | undefined

const br = promisify(brotliCompress)
/** The content codings that replies come in (RFC 9110, section 8.4.1), those first that are rather sent. */
const coders = {
  // The default, 11, takes 30 times as long.
  br: (bytes: Buffer) => br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
}
type Coding = keyof typeof coders
const codings = Object.keys(coders) as Coding[] // as they stand there

const versionTag = new RegExp(`^"([1-9]\\d{0,9})(?:-(?:${codings.join('|')}))?"$`)

/** The strong ETag of a record's version (RFC 9110, section 8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

/** The versions that If-Match names, in whatever coding they were read; weak tags never match (RFC 9110, 13.1.1). */
export function versionsIn(ifMatch: string | undefined): Versions {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return tagsIn(ifMatch).flatMap(tag => versionTag.exec(tag)?.slice(1).map(Number) ?? [])
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110, section 13.1.2). */
function isNamedIn(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = (text: string) => text.replace(/^W\//, '')
  return tagsIn(ifNoneMatch).some(named => opaque(named) === opaque(tag))
}

const tagsIn = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

/** A text for ETags: as good as never the same for other content. */
export const digest = (content: string | Buffer): string => hash('sha256', content, 'base64url')

/**
 * Sends replies in the coding that the client likes best, and a 304, where it is declared, to who has the content
 * already. A record brings its own strong ETag; other content gets a weak one of its text.
 */
export const conditionalRequests = fp(async app => {
  app.addHook('onSend', async (request, reply, payload) => {
    const facts = factsFor(request)
    if (!facts || typeof payload !== 'string') return payload
    const isConditional = facts.statuses.includes(304)
    if (reply.statusCode === 200 && isConditional && !reply.hasHeader('etag'))
      reply.header('etag', `W/"${digest(payload).slice(0, 16)}"`)
    return sendSelected(request, reply, payload, isConditional)
  })
})

/** Shortest content that is sent in a coding, in bytes: below, it would save less than a packet. */
const worthCoding = 1_024

/**
 * The content in the coding that the client likes best, or the status 304 when it has that (RFC 9110, 12.5.3 and 13.1.2).
 * @param isConditional whether If-None-Match counts
 * @param coded keeps what is compressed, so that this happens once: of content that has an ETag of its digest
 */
export async function sendSelected(
  request: FastifyRequest,
  reply: FastifyReply,
  content: string | Buffer,
  isConditional: boolean,
  coded?: LRUCache<string, Buffer>,
): Promise<unknown> {
  const { 'accept-encoding': accepted, 'if-none-match': known } = request.headers
  const coding = Buffer.byteLength(content) < worthCoding ? null : preferredCoding(accepted)
  let tag = reply.getHeader('etag')
  if (typeof tag === 'string') {
    // A strong one stands for bytes, so the same content has another in each coding (RFC 9110, section 8.8.3.3).
    if (coding && !tag.startsWith('W/')) tag = `${tag.slice(0, -1)}-${coding}"`
    reply.header('etag', tag)
    if (isConditional && reply.statusCode === 200 && known !== undefined && isNamedIn(known, tag)) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      // Fastify's HEAD can't take null, and gives every text a length; a 304 has none (RFC 9110, section 8.6).
      return request.method === 'HEAD' ? Readable.from([]) : null
    }
  }
  if (!coding) return content
  reply.header('content-encoding', coding)
  const bytes = coded?.get(`${tag}`) ?? (await coders[coding](Buffer.from(content)))
  coded?.set(`${tag}`, bytes)
  return bytes
}

/** The coding that a client likes best, ours first among equals; null for none at all (RFC 9110, 12.4.1 and 12.5.3). */
function preferredCoding(acceptEncoding = ''): Coding | null {
  const members = acceptEncoding.toLowerCase().split(',')
  const weights = new Map(
    members.map(member => {
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
