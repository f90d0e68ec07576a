import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { tooBusy } from '../access/load.ts'
import { UnservedRequest } from '../connections/connections.ts'
import { STATUS_CODES } from '../connections/http.ts'
import type { OperationFacts } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { operationOf } from '../routes/operation.ts'
import { ApiError } from './api-error.ts'
import type { ErrorForms } from './error-forms.ts'
import { fieldsOf } from './fields.ts'

/** Answers what went wrong. */
export interface Errors {
  /** Sends the declared error, and logs the cause of those that are our fault. */
  send(error: unknown, request: FastifyRequest, reply: FastifyReply): void
}

/** What tells of failures of what the service depends on. */
type Failing = Pick<Parts<unknown, unknown>, 'isUnavailable' | 'unavailableText'>

/**
 * @param facts of the document's operations, by operationId
 * @param forms in which the document declares errors
 */
export function createErrors(
  facts: ReadonlyMap<string, OperationFacts>,
  { isUnavailable, unavailableText = () => 'The database does not answer; retry soon.' }: Failing,
  forms: ErrorForms,
): Errors {
  /** Turns anything that went wrong into the declared error; what is not meant for callers becomes a plain one. */
  function toApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error
    if (isUnavailable(error))
      return new ApiError('unavailable', unavailableText(error), {
        headers: { 'Retry-After': '5' },
        cause: error,
      })
    return (
      fromParsers(error) ??
      new ApiError('internal_error', 'Something went wrong on our side; tell us the X-Request-Id.', {
        cause: error,
      })
    )
  }

  function answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const apiError = toApiError(error)
    const operationId = operationOf(request)
    const body = apiError.toWire(facts.get(operationId ?? '')?.codes)
    request.refusal = apiError.code
    // Where too much arrives, there are many of these, and each line would cost time.
    if (body.status >= 500 && apiError !== tooBusy)
      request.log.error({ err: apiError.cause ?? apiError }, apiError.message)
    else request.log.debug({ code: apiError.code }, apiError.message)
    // What stays unread of a refused body would be taken for the next request.
    if (apiError.code === 'payload_too_large') reply.header('connection', 'close')
    const written = forms.write(operationId, body, request.id)
    const fields = fieldsOf(reply)
    for (const name in apiError.headers) fields[name.toLowerCase()] = apiError.headers[name]
    fields['content-type'] = written?.type ?? 'application/json; charset=utf-8'
    reply.code(body.status).send(written?.text ?? JSON.stringify(body))
  }

  const later = atTurnsEnd()
  return {
    send: (error, request, reply) =>
      later(() => {
        if (reply.sent) return // a stop has answered it
        try {
          answer(error, request, reply)
        } catch (fault) {
          reply.send(fault) // which Fastify answers in its own form
        }
      }),
  }
}

/**
 * Puts work off to the end of a turn of the event loop, where all of it is done. Refusals are known at once, and if each
 * left at once, between the requests that have come in the same turn, each would wake the network and the client by itself:
 * a refusal would take a third longer than what is answered once the database has.
 */
function atTurnsEnd(): (work: () => void) => void {
  let waiting: (() => void)[] = []
  const doAll = () => {
    const all = waiting
    waiting = []
    for (const work of all) work()
  }
  return work => {
    if (waiting.push(work) === 1) setImmediate(doAll)
  }
}

/** What Fastify's and Node's parsers refuse, as it stands on the wire; undefined for any other failure. */
function fromParsers(error: unknown): ApiError | undefined {
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError> // absent on other failures
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'The Content-Type is not one that this operation reads.')
  if (code === 'FST_ERR_BAD_URL')
    return new ApiError('invalid_request', 'The path is not valid: it holds a broken percent-encoding.')
  const unread = fromNode(error)
  if (unread) return unread
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new ApiError('invalid_request', 'The request can’t be read.', { cause: error })
    : undefined
}

const refusedBeforeParsing: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(
    'header_fields_too_large',
    'The request line and header fields are too long.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not arrive in time.'),
}

const notHttp = new ApiError('invalid_request', 'That is no HTTP request.')

/** What Node's parser refuses or gives up on. */
function fromNode(error: unknown): ApiError | undefined {
  const { code } = (error ?? {}) as { code?: unknown } // absent on other failures
  if (typeof code !== 'string') return undefined
  return refusedBeforeParsing[code] ?? (code.startsWith('HPE_') ? notHttp : undefined)
}

/** What is answered to a request that was refused before its head was read. */
export function refusalOf(error: Error): ApiError {
  if (error instanceof UnservedRequest) return new ApiError('invalid_request', error.message)
  return fromNode(error) ?? notHttp
}

/**
 * The origin that such a request names; null: none, undefined: it can't be told. Of what Node's parser refuses, the bytes
 * are there that came last.
 */
export function originOf(error: Error & { rawPacket?: Buffer }): string | null | undefined {
  if (error instanceof UnservedRequest) return error.request.headers.origin ?? null
  return /^origin:[ \t]*([^\s,]+)[ \t]*\r?$/im.exec(error.rawPacket?.toString('latin1') ?? '')?.[1]
}

/** Writes a refusal on the bare socket, as its last reply, in the form of every other error. */
export function writeRefusal(
  refusal: ApiError,
  socket: Socket,
  headers: Readonly<Record<string, string | number>> & { 'x-request-id': string },
  forms: ErrorForms,
): void {
  const wire = refusal.toWire()
  const written = forms.write(undefined, wire, headers['x-request-id'])
  const body = written?.text ?? JSON.stringify(wire)
  const lines = Object.entries({
    ...headers,
    'Content-Type': written?.type ?? 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${wire.status} ${STATUS_CODES[wire.status]}\r\n${lines.join('')}\r\n${body}`)
}
