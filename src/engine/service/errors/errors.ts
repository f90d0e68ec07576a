import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from 'spec-served-document/contract/contract'
import type { StageOptions } from '../parts.ts'
import type { ErrorForms } from '../replies/error-forms.ts'
import { ApiError, OutcomeUnknown, outcomeUnknown } from './api-error.ts'
import { causeOf } from './error-in-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the error code of the reply; null for none */
    refusal: string | null
  }
  interface FastifyInstance {
    /** Answers an error in the form of the document. */
    answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  }
}

type Judges = Pick<StageOptions['parts'], 'isUnavailable' | 'unavailableText'>
type ErrorOptions = Judges & Pick<Contract, 'facts'> & { forms: ErrorForms }

/**
 * Answers any thrown error with the declared one. The log gets the cause of an internal error. At a project's own routes an
 * error that names its status, as a refused validation does, is answered by Fastify, as in any app.
 */
export const errors = fp<ErrorOptions>(async (app, { facts, forms, ...judges }) => {
  app.decorateRequest('refusal', null)
  app.decorate('answerError', (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const operationId = request.destination.operationId
    const codes = facts.get(operationId ?? '')?.codes ?? {}
    const apiError = judged(() => toApiError(error, request, codes, judges))
    const body = apiError.toWire(codes)
    request.refusal = body.code
    // A refusal without a cause, as under overload, is no failure. Its plugin warns of it.
    const isFailure = body.status >= 500 && (apiError.cause !== undefined || apiError.code !== 'unavailable')
    if (isFailure) {
      const err = apiError.cause ?? apiError
      request.log.error({ err }, `${nameOf(request)}: ${causeOf(err)}`)
    } else request.log.debug({ code: body.code }, apiError.message)
    // Fastify would end the connection, and a client that still sends might miss the reply. Node reads the rest.
    if (apiError.code === 'payload_too_large') reply.removeHeader('connection')
    const { type, text } = forms.write(operationId, body, request.id)
    reply.code(body.status).headers(apiError.headers).type(type).send(text)
  })
  app.setErrorHandler((error, request, reply) => {
    if (!namesStatus(error)) return app.answerError(error, request, reply)
    request.refusal = String((error as Partial<FastifyError>).code ?? reply.statusCode)
    reply.send(error) // to Fastify's own error handler
  })
})

/** Whether an error that is not the engine's own says with which status it is to be answered. */
function namesStatus(error: unknown): boolean {
  if (error instanceof ApiError || parserError(error)) return false
  try {
    return Number((error as Partial<FastifyError> | undefined)?.statusCode) >= 400
  } catch {
    return false // anything can be thrown
  }
}

/** The operation of a request, for a log line. */
const nameOf = ({ destination, method, routeOptions: { url = 'an unknown path' } }: FastifyRequest) =>
  destination.operationId ?? `${method} ${url}`

const internalError = (cause: unknown) =>
  new ApiError('internal_error', 'Something went wrong on our side; tell us the X-Request-Id.', { cause })

/** Anything can be thrown, also what throws when it is looked at. */
function judged(judge: () => ApiError): ApiError {
  try {
    return judge()
  } catch (error) {
    return internalError(error)
  }
}

/** The properties of an error of Fastify, of its plugins and of http-errors. */
type Thrown = Partial<Omit<FastifyError, 'headers'>> & { expose?: unknown; headers?: Record<string, string> }

/** Returns the declared error for any failure. One that is not meant for callers becomes a plain one. */
function toApiError(
  cause: unknown,
  request: FastifyRequest,
  codes: Readonly<Record<string, number>>,
  judges: Judges,
): ApiError {
  if (cause instanceof ApiError) return cause
  const { code, statusCode = 500, expose, message = '', headers }: Thrown = cause ?? {}
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'The Content-Type is not one that this operation reads.')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError(
      'payload_too_large',
      `The body is larger than ${request.server.initialConfig.bodyLimit} bytes.`,
    )
  const unread = parserError(cause)
  if (unread) return unread
  const isOfPlugin = String(code).startsWith('FST_')
  const isRefusal = statusCode >= 400 && statusCode < 500 && (isOfPlugin || expose === true)
  if (isLeft(request) || (isRefusal && String(code).startsWith('FST_ERR_')))
    return new ApiError('invalid_request', 'The request can’t be read.', { cause })
  if (isRefusal) {
    const codeField = code !== undefined && codes[code] === statusCode ? { code } : {}
    return ApiError.ofStatus(statusCode, message, { ...codeField, ...(headers && { headers }) })
  }
  if (cause instanceof OutcomeUnknown) {
    judges.isUnavailable(cause.cause) // so that /health looks for itself
    return outcomeUnknown(cause, isKeyed(request))
  }
  if (judges.isUnavailable(cause)) {
    const text = judges.unavailableText?.(cause) ?? 'The database does not answer; retry soon.'
    return new ApiError('unavailable', text, { headers: { 'Retry-After': '5' }, cause })
  }
  return internalError(cause)
}

/** Whether a request is carried out once however often it comes. */
const isKeyed = ({ destination, headers }: FastifyRequest) =>
  destination.facts?.repeatable === true && headers['idempotency-key'] !== undefined

/** Whether the client left before its request was complete. */
const isLeft = ({ raw }: FastifyRequest) => raw.complete === false && raw.socket?.destroyed !== false

const tooLong = new ApiError('header_fields_too_large', 'The request line and header fields are too long.')
const tooLate = new ApiError('request_timeout', 'The request did not arrive in time.')
/** The error for bytes that are no request. */
export const notHttp = new ApiError('invalid_request', 'This is not an HTTP request.')

/** Returns the declared error for a failure of Node's HTTP parser; undefined for any other failure. */
export function parserError(error: unknown): ApiError | undefined {
  const { code } = (error ?? {}) as { code?: unknown } // absent on other failures
  if (code === 'HPE_HEADER_OVERFLOW') return tooLong
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooLate
  return String(code).startsWith('HPE_') ? notHttp : undefined
}
