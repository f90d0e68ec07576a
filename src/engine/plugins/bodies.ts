import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { MIMEType } from 'node:util'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { OperationModel } from '../../document/model.ts'
import { ApiError } from '../replies/api-error.ts'
import { type AcceptedBody, parseBody } from '../requests/bodies.ts'
import { matchMediaType, parseMediaType } from '../requests/media-types.ts'
import { textOf } from '../requests/multipart.ts'
import type { Schemas } from '../requests/schemas.ts'
import { operationOf } from '../routes/paths.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** how the body is to be read; undefined: there is none */
    acceptedBody: AcceptedBody | undefined
  }
}

export interface BodyOptions {
  schemas: Schemas
  /** longest body, in bytes */
  limit: number
}

/**
 * Reads the bodies of operations by their media types: JSON, forms and texts as what they mean, all else as a Buffer. A
 * body that the operation does not take is refused before a byte of it is read.
 */
export const bodies = fp<BodyOptions>(async (app, { schemas, limit }) => {
  const operationFor = (request: FastifyRequest) => schemas.model.operation(operationOf(request) ?? '')

  app.decorateRequest('acceptedBody')
  app.addHook('onRequest', async request => {
    const operation = operationFor(request)
    request.acceptedBody = operation && acceptBody(operation, request.headers)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const { acceptedBody: accepted, headers } = request
    if (!accepted) return undefined
    const bytes = await readBody(payload, headers['content-length'], limit)
    const isNone = bytes.length === 0 && operationFor(request)?.body?.required !== true
    return isNone ? undefined : parseBody(schemas, accepted, bytes)
  })
})

/**
 * Reads a whole body into one buffer: kept as they come, chunks of one byte would each cost a hundred.
 * @param length what the client announced, if it did
 * @param limit in bytes
 * @throws ApiError for a body that is too large or breaks off; Error of Node's parser when it refuses the rest, or has
 *   waited too long for it
 */
export async function readBody(stream: Readable, length: string | undefined, limit: number): Promise<Buffer> {
  const { promise: tooLarge, reject } = Promise.withResolvers<never>()
  const refuse = () => reject(new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`))
  let buffer = Buffer.alloc(4_096)
  let size = 0
  const take = (chunk: Buffer) => {
    const needed = size + chunk.length
    if (needed > limit) return refuse()
    if (needed > buffer.length) buffer = Buffer.concat([buffer], Math.max(2 * buffer.length, needed))
    size += chunk.copy(buffer, size)
  }
  try {
    if (Number(length) > limit) refuse()
    else stream.on('data', take)
    await Promise.race([finished(stream, { writable: false }), tooLarge])
    return buffer.subarray(0, size)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // or of another kind, which has none of these
    if (code !== 'ECONNRESET' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw cause
    throw new ApiError('invalid_request', 'The body broke off.', { cause })
  } finally {
    stream.off('data', take)
  }
}

/**
 * Judges a body by its header fields, before a byte of it is read (OpenAPI 3.0.3, 4.7.13).
 * @returns undefined for none; throws ApiError for one that is missing or of another media type, charset or coding than
 *   the document has
 */
function acceptBody(
  { body, method }: OperationModel,
  headers: IncomingHttpHeaders,
): AcceptedBody | undefined {
  if (!body) return undefined
  const accepted = Object.keys(body.content)
  const { 'content-type': type, 'content-length': length = '0', 'content-encoding': coding = '' } = headers
  const isEmpty = headers['transfer-encoding'] === undefined && length === '0'
  if (isEmpty && !body.required) return undefined
  if (isEmpty && type === undefined) throw new ApiError('invalid_request', 'This operation needs a body.')
  // What has no type may be of any (RFC 9110, section 8.3).
  const sent = parseMediaType(type ?? 'application/octet-stream')
  const declared = sent && matchMediaType(accepted, sent)
  if (!sent || declared === undefined || !isKnownCharset(sent))
    throw new ApiError('unsupported_media_type', `Send the body as ${accepted.join(' or ')} in UTF-8.`, {
      headers: method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {}, // RFC 5789, section 2.2
    })
  // The coding that changes nothing (RFC 9110, section 12.5.3).
  if (!coding.split(',').every(one => ['', 'identity'].includes(one.trim().toLowerCase())))
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  return { declared, sent, media: body.content[declared] ?? {} }
}

function isKnownCharset({ type, params }: MIMEType): boolean {
  const charset = params.get('charset')?.toLowerCase() ?? 'utf-8'
  return charset === 'utf-8' || (type === 'text' && textOf(Buffer.of(), charset) !== undefined)
}
