import type { FastifyError } from 'fastify'
import fp from 'fastify-plugin'
import { parserError } from '../connections/unread.ts'
import type { Contract } from '../contract.ts'
import type { StageOptions } from '../parts.ts'
import { ApiError } from '../replies/api-error.ts'
import type { ErrorForms } from '../replies/error-forms.ts'
import { operationOf } from '../routes/paths.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the error code of the reply; null for none */
    refusal: string | null
  }
}

type Judges = Pick<StageOptions['parts'], 'isUnavailable' | 'unavailableText'>
type ErrorOptions = Judges & Pick<Contract, 'facts'> & { forms: ErrorForms }

/** Answers any thrown error with the declared one. The log gets the cause of an internal error. */
export const errors = fp<ErrorOptions>(async (app, { facts, forms, ...judges }) => {
  app.decorateRequest('refusal', null)
  app.setErrorHandler(async (error, request, reply) => {
    const apiError = toApiError(error, judges, app.initialConfig.bodyLimit)
    const operationId = operationOf(request)
    const body = apiError.toWire(facts.get(operationId ?? '')?.codes)
    request.refusal = apiError.code
    if (body.status >= 500) request.log.error({ err: apiError.cause ?? apiError }, apiError.message)
    else request.log.debug({ code: apiError.code }, apiError.message)
    // Fastify would end the connection, and a client that still sends might miss the reply. Node reads the rest.
    if (apiError.code === 'payload_too_large') reply.removeHeader('connection')
    const { type, text } = forms.write(operationId, body, request.id)
    return reply.code(body.status).headers(apiError.headers).type(type).send(text)
  })
})

/** Returns the declared error for any failure. One that is not meant for callers becomes a plain one. */
function toApiError(cause: unknown, judges: Judges, bodyLimit: number | undefined): ApiError {
  if (cause instanceof ApiError) return cause
  // Errors of Fastify's and Node's parsers.
  const { code, statusCode = 500 } = (cause ?? {}) as Partial<FastifyError> // absent on other failures
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'The Content-Type is not one that this operation reads.')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('payload_too_large', `The body is larger than ${bodyLimit} bytes.`)
  const unread = parserError(cause)
  if (unread) return unread
  if (statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request', 'The request can’t be read.', { cause })
  if (judges.isUnavailable(cause)) {
    const text = judges.unavailableText?.(cause) ?? 'The database does not answer; retry soon.'
    return new ApiError('unavailable', text, { headers: { 'Retry-After': '5' }, cause })
  }
  const message = 'Something went wrong on our side; tell us the X-Request-Id.'
  return new ApiError('internal_error', message, { cause })
}
