import type { Fault } from 'spec-served-document/values/faults'
import { STATUS_CODES } from '../runtime/node-http.ts'
import { type EngineCode, plainCodeOf, statusOf } from './refusals.ts'

/** A handler's refusal by a business rule, as opposed to a fault of the request's form. */
export interface Refusal<Code extends string = string> {
  code: Code
  message: string
  details?: Fault[] | undefined
}

/** A handler's reply. The handler's own type ties its parts to the document. */
export interface AnyReply {
  status: number | string | symbol
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

/** A handler's refusal, in words or as a reply of its own. */
export type Outcome = { refusal: Refusal } | { reply: AnyReply }

export interface WireError extends Refusal {
  status: number
}

type More = { details?: Fault[] | undefined; headers?: Record<string, string>; cause?: unknown }

/** A failure that any operation can have. The one error handler turns it into the declared error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  code: string
  /** the handler's refusal, which it would repeat for the same request; undefined: the engine refuses */
  outcome: Outcome | undefined
  /** undefined: the code's own */
  status: number | undefined
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

  /** Returns an error with a status of its own. @param code absent: one that goes with the status */
  static ofStatus(
    status: number,
    message: string,
    { code = '', ...more }: More & { code?: string },
  ): ApiError {
    return Object.assign(new ApiError('internal_error', message, more), { code, status })
  }

  /** Returns the error as it is sent. @param codes the statuses of the operation's declared codes */
  toWire(codes: Readonly<Record<string, number>> = {}): WireError {
    const { code, message, details, status: givenStatus } = this
    if (givenStatus !== undefined)
      return { code: code || codeFor(givenStatus, codes), message, status: givenStatus, details }
    const declaredStatus = Object.hasOwn(codes, code) ? codes[code] : undefined
    return { code, message, status: declaredStatus ?? statusOf(code) ?? 500, details }
  }
}

/** The failure of a write that may be carried out all the same: the database was sent it, and did not say. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'

  /** @param cause why nobody knows */
  constructor(cause: unknown) {
    super('A write may be stored, or a part of what was to be written: the database did not tell', { cause })
  }
}

/** Returns the error of a request that may have been carried out. @param isKeyed whether it had an Idempotency-Key */
export function outcomeUnknown(cause: unknown, isKeyed: boolean): ApiError {
  const remedy = isKeyed
    ? 'send it again with the same Idempotency-Key, and it is carried out once.'
    : 'look before you send it again.'
  return new ApiError('internal_error', `This may have been carried out, or not: ${remedy}`, { cause })
}

/**
 * Returns a declared refusal. Its status is that of the response that names the code (`x-codes`). Without such a response
 * a handler returns `{ status: 404, body }`.
 * @param details the fields that are wrong
 */
export function refusal<const Code extends string>(
  code: Code,
  message: string,
  details?: Fault[],
): Refusal<Code> {
  return { code, message, details }
}

/** Returns the code for a status: the only one that the operation declares for it, or a plain one. */
function codeFor(status: number, codes: Readonly<Record<string, number>>): string {
  const declared = Object.keys(codes).filter(code => codes[code] === status)
  const text = STATUS_CODES[status]?.replace(/[^\w -]/g, '').replace(/[ -]/g, '_') ?? 'refused'
  const plain = plainCodeOf(status) ?? text.toLowerCase()
  return declared.length === 1 && declared[0] !== undefined ? declared[0] : plain
}

/**
 * Returns an error to be thrown. It refuses a request in a plugin's hook or route, and in a handler, which may also return
 * a `refusal`. A transaction is rolled back. Callers get the status, the message and the header fields, in the document's
 * form of errors. Of all other errors callers see as much only if Fastify or a plugin of it made them (`FST_…`), or if
 * their `expose` is true (http-errors, `httpErrors` of `@fastify/sensible`), and only with a status from 400 to 499. All else
 * is `internal_error`, with the cause in the log: an HTTP client's error for an upstream's 404 is no 404 of the service.
 * @param status from 400 to 599
 * @param code absent: the operation's only code of this status, or a plain one such as `payment_required`
 * @throws RangeError for another status
 */
export function refusalError(
  status: number,
  message: string,
  more: { code?: string; details?: Fault[]; headers?: Record<string, string> } = {},
): Error {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new RangeError(`The status of a refusal is from 400 to 599, and not ${status}`)
  return ApiError.ofStatus(status, message, more)
}
