import type { AnyReply } from '../routes/binding.ts'

/** A fault of a value in a request, with its place: a JSON Pointer (RFC 6901), `/query/limit` for a parameter. */
export interface Fault {
  path: string
  message: string
}

/** A handler's refusal by a business rule, as opposed to a fault of the request's form. */
export interface Refusal<Code extends string = string> {
  code: Code
  message: string
  details?: Fault[] | undefined
}

/** A handler's refusal, in words or as a reply of its own. */
export type Outcome = { refusal: Refusal } | { reply: AnyReply }

export interface WireError extends Refusal {
  status: number
}

/** The engine's own refusals, with their usual statuses (RFC 9110, 6585). The document may declare another status. */
const statuses = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  api_key_banned: 403,
  address_banned: 403,
  origin_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_key_in_use: 409,
  operation_sunset: 410,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  idempotent_reply_sealed: 422,
  rate_limited: 429,
  header_fields_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const

export type EngineCode = keyof typeof statuses

export const isEngineCode = (code: string): code is EngineCode => Object.hasOwn(statuses, code)

type More = { details?: Fault[] | undefined; headers?: Record<string, string>; cause?: unknown }

/** A failure that any operation can have. The one error handler turns it into the declared error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  code: string
  /** the handler's refusal, which it would repeat for the same request; undefined: the engine refuses */
  outcome: Outcome | undefined
  readonly details: Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  /** @param message for people; callers receive it, so it holds nothing internal */
  constructor(code: EngineCode, message: string, { details, headers = {}, cause }: More = {}) {
    super(message, { cause })
    this.code = code
    this.details = details
    this.headers = headers
  }

  /** Returns the error for a handler's refusal. A refusal's code is one of the operation's own. */
  static of(outcome: Outcome, headers: Record<string, string> = {}): ApiError {
    const { message = '', details, code }: Partial<Refusal> = 'refusal' in outcome ? outcome.refusal : {}
    const error = new ApiError('internal_error', message, { details, headers })
    if (code !== undefined) error.code = code
    error.outcome = outcome
    return error
  }

  /** Returns the error as it is sent. @param codes the statuses of the operation's declared codes */
  toWire(codes: Readonly<Record<string, number>> = {}): WireError {
    const { code, message, details } = this
    const own = Object.hasOwn(codes, code) ? codes[code] : undefined
    const status = own ?? (isEngineCode(code) ? statuses[code] : 500)
    return { code, message, status, details }
  }
}

/**
 * Returns a declared refusal. Its status is that of the response that names the code (`x-codes`).
 * @param details the fields that are at fault
 */
export function refusal<const Code extends string>(
  code: Code,
  message: string,
  details?: Fault[],
): Refusal<Code> {
  return { code, message, details }
}
