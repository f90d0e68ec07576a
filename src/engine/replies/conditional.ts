import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encode, preferredCoding } from './coding.ts'
import { type Coding, codedTag, isNamedIn } from './etag.ts'

/** Shortest content that is sent in a coding, in bytes: below, it would save less than a packet. */
const worthCoding = 1_024

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
  return coding === null ? content : sendCoded(reply, content, coding, tag)
}

async function sendCoded(
  reply: FastifyReply,
  content: string | Buffer,
  coding: Coding,
  tag: unknown,
): Promise<string | Buffer> {
  const coded = await encode(content, coding)
  if (!coded) return content
  reply.header('content-encoding', coding)
  if (typeof tag === 'string') reply.header('etag', codedTag(tag, coding))
  return coded
}
