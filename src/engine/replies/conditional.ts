import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Later } from '../later.ts'
import { factsFor } from '../routes/operation.ts'
import { encode, preferredCoding } from './coding.ts'
import { type Coding, codedTag, isNamedIn } from './etag.ts'
import { fieldsOf } from './fields.ts'

/** Shortest content that is sent in a coding, in bytes: below, it would save less than a packet. */
const worthCoding = 1_024

/**
 * What is sent of the content of a reply: that of operations in the coding that the client likes best, and a 304 to a
 * reader who has it already, for each operation that declares it. A record brings its own strong ETag; other content gets
 * a weak one of its text.
 */
export function selectContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: unknown,
): Later<unknown> {
  const facts = factsFor(request)
  if (!facts || typeof content !== 'string') return content
  const isConditional = facts.statuses.includes(304)
  if (reply.statusCode === 200 && isConditional)
    fieldsOf(reply).etag ??= `W/"${digest(content).slice(0, 16)}"`
  return sendSelected(request, reply, content, isConditional)
}

/**
 * Whether a reader has a record with this ETag already, where that can be told without the content: nobody whom it would
 * be sent in a coding, for which it has another ETag.
 */
export function hasAlready({ method, headers }: FastifyRequest, tag: string | undefined): boolean {
  const { 'if-none-match': known, 'accept-encoding': codings } = headers
  if (known === undefined || codings !== undefined || method !== 'GET') return false
  return tag !== undefined && isNamedIn(known, tag)
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
export function sendSelected(
  request: FastifyRequest,
  reply: FastifyReply,
  content: string | Buffer,
  conditional: boolean,
): Later<unknown> {
  const coding =
    Buffer.byteLength(content) < worthCoding ? null : preferredCoding(request.headers['accept-encoding'])
  const { etag: tag } = fieldsOf(reply)
  const known = request.headers['if-none-match']
  if (conditional && reply.statusCode === 200 && tag !== undefined && known !== undefined) {
    const selected = codedTag(tag, coding)
    if (isNamedIn(known, selected)) {
      // First, as the field that was set last costs little to remove.
      reply.removeHeader('content-type').removeHeader('content-length')
      reply.code(304).header('etag', selected)
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
  tag: string | undefined,
): Promise<string | Buffer> {
  const coded = await encode(content, coding)
  if (!coded) return content
  const fields = fieldsOf(reply)
  fields['content-encoding'] = coding
  if (tag !== undefined) fields.etag = codedTag(tag, coding)
  return coded
}
