import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../contract/api-error.ts'

/** What the document says about the body of an operation. */
interface BodyFacts {
  requestTypes: readonly string[]
  bodyRequired: boolean
}

/**
 * Reads JSON bodies of the media types given, and of no others. Bytes that are no UTF-8 (RFC 8259, section 8.1)
 * and names that would change an object's prototype are refused.
 */
export function registerBodyParsers(app: FastifyInstance, mediaTypes: Iterable<string>): void {
  app.removeAllContentTypeParsers()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser([...new Set(mediaTypes)], { parseAs: 'buffer' }, (request, body, done) => {
    let text: string
    try {
      text = utf8.decode(body as Buffer) // parseAs: 'buffer'
    } catch {
      return done(new ApiError(400, 'invalid_request', 'The body is not UTF-8.'))
    }
    parseJson(request, text, (error, value) => {
      if (text.trim() === '')
        done(new ApiError(400, 'invalid_request', 'The body is empty; send a JSON value.'))
      else if (error)
        done(new ApiError(400, 'invalid_request', `The body is no JSON that can be taken: ${reason(error)}`))
      else done(null, value)
    })
  })
}

/** What is wrong with a JSON text, in one line, without the text itself. */
function reason(error: Error): string {
  if (error.message.includes('prototype')) return 'it names a property of the object prototype.'
  const position = /position \d+( \(line \d+ column \d+\))?/.exec(error.message)?.[0]
  return position ? `syntax error at ${position}.` : 'syntax error.'
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
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new ApiError(415, 'unsupported_media_type', 'Send the body without a Content-Encoding.')
}
