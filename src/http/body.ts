import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/api-error.ts'
import { readBody } from './read-body.ts'
import { parseStrictJson } from './strict-json.ts'

/** What the document says about the body of an operation. */
interface BodyFacts {
  requestTypes: readonly string[]
  bodyRequired: boolean
}

/**
 * Reads JSON bodies of the media types given, and of no others. Bytes that are no UTF-8 (RFC 8259, section 8.1) are
 * refused, and so is what parseStrictJson refuses.
 * @param limit longest body, in bytes
 */
export function registerBodyParsers(app: FastifyInstance, mediaTypes: Iterable<string>, limit: number): void {
  app.removeAllContentTypeParsers()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  app.addContentTypeParser([...new Set(mediaTypes)], async ({ raw }: FastifyRequest) => {
    const bytes = await readBody(raw, limit)
    let text: string
    try {
      text = utf8.decode(bytes)
    } catch {
      throw new ApiError(400, 'invalid_request', 'The body is not UTF-8.')
    }
    if (text.trim() === '')
      throw new ApiError(400, 'invalid_request', 'The body is empty; send a JSON value.')
    return parseStrictJson(text)
  })
}

/**
 * Refuses, before a byte of it is read, a body that the operation can't take.
 * @throws ApiError 415 for a media type, character set or coding that is not the document's, 400 for a missing body
 */
export function refuseBody(request: FastifyRequest, { requestTypes, bodyRequired }: BodyFacts): void {
  if (requestTypes.length === 0) return
  const {
    'content-type': contentType,
    'content-length': length,
    'transfer-encoding': chunked,
  } = request.headers
  if (contentType === undefined && chunked === undefined && (length === undefined || length === '0')) {
    if (bodyRequired) throw new ApiError(400, 'invalid_request', 'This operation needs a body.')
    return
  }
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map(text => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(text)?.[1]).find(Boolean)
  if (!requestTypes.includes(mediaType.trim()) || (charset && charset !== 'utf-8'))
    throw new ApiError(
      415,
      'unsupported_media_type',
      `Send the body as ${requestTypes.join(' or ')} in UTF-8.`,
      // RFC 5789, section 2.2
      { headers: request.method === 'PATCH' ? { 'Accept-Patch': requestTypes.join(', ') } : {} },
    )
  const codings = (request.headers['content-encoding'] ?? '')
    .split(',')
    .map(coding => coding.trim().toLowerCase())
  if (codings.some(coding => coding !== '' && coding !== 'identity'))
    throw new ApiError(415, 'unsupported_media_type', 'Send the body without a Content-Encoding.')
}
