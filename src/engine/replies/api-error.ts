import type { AnyReply } from '../routes/binding.ts'

/** What is wrong with a value of a request, and where: a JSON Pointer (RFC 6901), `/query/limit` for a parameter. */
export interface Fault {
  path: string
  message: string
}

/** What a handler refuses: the business rule's answer, as opposed to a fault of the request's form. */
export interface Refusal<Code extends string = string> {
  code: Code
  message: string
  details?: Fault[] | undefined
}

/** What a handler has refused with, in words or in a reply of its own. */
export type Outcome = { refusal: Refusal } | { reply: AnyReply }

export interface WireError extends Refusal {
  status: number
}

/** What the engine itself refuses, and the status that means it (RFC 9110, 6585), unless the document has another. */
const statuses = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  api_key_banned: 403,
  address_banned: 403,
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

/** A failure that any operation can meet; the one error handler turns it into the declared error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  code: string
  /** what a handler refuses with: it would refuse the same request again; undefined: the engine does */
  outcome: Outcome | undefined
  readonly details: Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  /** @param message for people; goes to the wire, so it holds nothing internal */
  constructor(code: EngineCode, message: string, { details, headers = {}, cause }: More = {}) {
    super(message, { cause })
    this.code = code
    this.details = details
    this.headers = headers
  }

  /** The error for what a handler refuses with: the code of a refusal is one of the operation's own. */
  static of(outcome: Outcome, headers: Record<string, string> = {}): ApiError {
    const { message = '', details, code }: Partial<Refusal> = 'refusal' in outcome ? outcome.refusal : {}
    const error = new ApiError('internal_error', message, { details, headers })
    if (code !== undefined) error.code = code
    error.outcome = outcome
    return error
  }

  /** The error as it is sent. @param codes the statuses of the codes that the operation declares */
  toWire(codes: Readonly<Record<string, number>> = {}): WireError {
    const { code, message, details } = this
    const own = Object.hasOwn(codes, code) ? codes[code] : undefined
    const status = own ?? (isEngineCode(code) ? statuses[code] : 500)
    return { code, message, status, details }
  }
}

/**
 * A declared refusal; its status is that of the response that names the code (`x-codes`).
 * @param details the fields that it is about
 */
export function refusal<const Code extends string>(
  code: Code,
  message: string,
  details?: Fault[],
): Refusal<Code> {
  return { code, message, details }
}
