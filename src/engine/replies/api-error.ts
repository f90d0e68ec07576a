import type { ErrorCode, ErrorDetail, Error as WireError } from '../../generated/schema.ts'

/** A failure that any operation can meet; the one error handler turns it into the declared error. */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  /**
   * @param status the HTTP status
   * @param code for programs, from the document's enumeration
   * @param message for people; goes to the wire, so it holds nothing internal
   * @param more faults of the input, headers of the reply, and the cause for the log
   */
  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = more.details
    this.headers = more.headers ?? {}
  }

  /** The body as the document declares it. */
  toBody(): WireError {
    const body: WireError = { code: this.code, message: this.message, status: this.status }
    if (this.details) body.details = this.details
    return body
  }
}
