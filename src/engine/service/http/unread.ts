import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ipOf } from '../callers/authentication.ts'
import { ApiError } from '../errors/api-error.ts'
import { notHttp, parserError } from '../errors/errors.ts'
import type { ErrorForms } from '../replies/error-forms.ts'
import { STATUS_CODES } from '../runtime/node-http.ts'
import type { FirstFields } from './every-request.ts'

/** Called for each request that was refused before its head was read: malformed, too long, too late or not served. */
export type ObserveUnread = (refused: {
  status: number
  code: string
  isAborted: boolean
  ms: number
}) => void

/** An error for a request that was not read. Node's parser adds the last bytes, the server adds the origin. */
type UnreadError = Error & { rawPacket?: Buffer; origin?: string | null }

/** The error for a request that Node's parser takes and this server does not. */
export const unserved = (message: string, { headers }: IncomingMessage): UnreadError =>
  Object.assign(new ApiError('invalid_request', message), { origin: headers.origin ?? null })

/** Returns the origin that an unread request names; null: none; undefined: unknown. */
function originOf({ origin, rawPacket }: UnreadError): string | null | undefined {
  if (origin !== undefined) return origin
  return /^origin:[ \t]*([^\s,]+)[ \t]*\r?$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1]
}

/** Answers unread requests on the bare socket, with the error and the fields that other replies have. */
export function unreadRefuser(
  app: () => FastifyInstance,
  forms: ErrorForms,
  first: FirstFields,
  observe: ObserveUnread = () => {},
) {
  return async (error: Error, socket: Socket): Promise<void> => {
    const { limitsOf, limitFieldsOf, unauthenticatedAt, log } = app()
    const began = performance.now()
    const { remoteAddress: ip } = socket
    const requestId = randomUUID()
    const wire = (error instanceof ApiError ? error : (parserError(error) ?? notHttp)).toWire()
    const limits = await limitsOf(unauthenticatedAt(ipOf({ ip }))).then(limitFieldsOf, () => undefined)
    const isAborted = !socket.writable
    if (!isAborted) {
      const { type, text } = forms.write(undefined, wire, requestId)
      const fields = Object.entries({
        ...first.of(requestId, originOf(error)),
        ...limits,
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(text),
        Connection: 'close',
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 ${wire.status} ${STATUS_CODES[wire.status]}\r\n${fields.join('')}\r\n${text}`)
    }
    const { status, code } = wire
    const ms = performance.now() - began
    observe({ status, code, isAborted, ms })
    // The messages of Node's parser and of the server hold nothing of the request.
    const [reason, outcome] = [error.message, isAborted ? { aborted: true } : { status }]
    const line = { reqId: requestId, ...outcome, ip, code, reason, ms: Math.round(ms * 1_000) / 1_000 }
    log.info(line, 'request refused unread')
  }
}
