import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../replies/api-error.ts'
import { type AcceptedBody, acceptBody, parseBody } from '../requests/bodies.ts'
import type { Schemas } from '../requests/schemas.ts'
import { operationOf } from '../routes/operation.ts'

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
