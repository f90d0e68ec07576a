import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from './api-error.ts'
import type { ErrorForms } from './error-forms.ts'

/** A request that Node's parser takes and this server does not. */
export class UnservedRequest extends Error {
  readonly request: IncomingMessage

  constructor(message: string, request: IncomingMessage) {
    super(message)
    this.request = request
  }
}

const tooLong = new ApiError('header_fields_too_large', 'The request line and header fields are too long.')
const tooLate = new ApiError('request_timeout', 'The request did not arrive in time.')
const notHttp = new ApiError('invalid_request', 'That is no HTTP request.')

/** The declared error for what Node's HTTP parser refuses or gives up on; undefined for any other failure. */
export function parserError(error: unknown): ApiError | undefined {
  const { code } = (error ?? {}) as { code?: unknown } // absent on other failures
  if (code === 'HPE_HEADER_OVERFLOW') return tooLong
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooLate
  return String(code).startsWith('HPE_') ? notHttp : undefined
}

/** The error for a request that was refused before its head was read. */
export function unreadError(error: Error): ApiError {
  if (error instanceof UnservedRequest) return new ApiError('invalid_request', error.message)
  return parserError(error) ?? notHttp
}

/**
 * The origin that such a request names; null: none, undefined: it can't be told. Of what Node's parser refuses, the bytes
 * are there that came last.
 */
export function originOf(error: Error & { rawPacket?: Buffer }): string | null | undefined {
  if (error instanceof UnservedRequest) return error.request.headers.origin ?? null
  return /^origin:[ \t]*([^\s,]+)[ \t]*\r?$/im.exec(error.rawPacket?.toString('latin1') ?? '')?.[1]
}

/** Writes an error on the bare socket, as its last reply, in the form of every other error. */
export function writeUnread(
  error: ApiError,
  socket: Socket,
  headers: Readonly<Record<string, string | number | undefined>> & { 'x-request-id': string },
  forms: ErrorForms,
): void {
  const wire = error.toWire()
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
