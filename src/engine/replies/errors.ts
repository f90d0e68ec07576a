import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../../store/failures.ts'
import { tooBusy } from '../access/load.ts'
import { ApiError } from './api-error.ts'

/** What Fastify's own refusals of a request mean on the wire. */
function fromFastify(error: FastifyError): ApiError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(
        415,
        'unsupported_media_type',
        'The Content-Type is not one that this operation reads.',
      )
    case 'FST_ERR_BAD_URL':
      return new ApiError(
        400,
        'invalid_request',
        'The path is not valid: it holds a broken percent-encoding.',
      )
    default:
      return undefined
  }
}

/** Turns anything that went wrong into the declared error; what is not meant for callers becomes a plain 500. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const known = fromFastify(error as FastifyError) // only its code is read, and that may be absent
  if (known) return known
  if (isDatabaseUnavailable(error))
    return new ApiError(503, 'unavailable', 'The database does not answer; retry soon.', {
      headers: { 'Retry-After': '5' },
      cause: error,
    })
  const unread = fromParser(error as FastifyError)
  if (unread) return unread
  const status = (error as FastifyError).statusCode // set by Node's and Fastify's parsers on what they refuse
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError(400, 'invalid_request', 'The request can’t be read.', { cause: error })
  return new ApiError(500, 'internal_error', 'Something went wrong on our side; tell us the X-Request-Id.', {
    cause: error,
  })
}

/** Sends the declared error, and logs the cause of those that are our fault. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = toApiError(error)
  // Where too much arrives, there are many of these, and each line would cost time.
  if (apiError.status >= 500 && apiError !== tooBusy)
    request.log.error({ err: apiError.cause ?? apiError }, apiError.message)
  else request.log.debug({ code: apiError.code }, apiError.message)
  // What stays unread of a refused body would be taken for the next request.
  if (apiError.status === 413) reply.header('connection', 'close')
  reply
    .code(apiError.status)
    .headers(apiError.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(apiError.toBody()))
}

const refusedBeforeParsing: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(
    431,
    'header_fields_too_large',
    'The request line and header fields are too long.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'request_timeout', 'The request did not arrive in time.'),
}

const notHttp = new ApiError(400, 'invalid_request', 'That is no HTTP request.')

/** What Node's parser refuses or gives up on, as it stands on the wire. */
function fromParser({ code }: { code?: string | undefined }): ApiError | undefined {
  return refusedBeforeParsing[code ?? ''] ?? (code?.startsWith('HPE_') ? notHttp : undefined)
}

/** Writes on the bare socket, as its last, the reply to what Node's parser refuses, in the form of every other error. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Readonly<Record<string, string | number>>,
): void {
  const apiError = fromParser(error) ?? notHttp
  const body = JSON.stringify(apiError.toBody())
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  if (socket.writable)
    socket.end(`HTTP/1.1 ${apiError.status} ${STATUS_CODES[apiError.status]}\r\n${lines.join('')}\r\n${body}`)
}
