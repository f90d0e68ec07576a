import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { LoggerOptions } from 'pino'
import { operationOf } from '../routes/paths.ts'
import { type RefusedUnread, whenOver } from './outcome.ts'

/** Where lines of the log go. */
export interface LineStream {
  write(line: string): void
}

/** How the log is kept. */
export type LogOptions = LoggerOptions & { stream: LineStream }

/** A trace of another service that a request belongs to (W3C Trace Context, section 3.2). */
const traceparentForm = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/**
 * The id of the trace that a `traceparent` names; undefined where it names none, as when it was sent twice. The form of
 * version 00 ends with the flags, later ones may add to it.
 */
export function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, more] = traceparentForm.exec(traceparent) ?? []
  return version === '00' && more !== undefined ? undefined : traceId
}

/** The levels at which requests are logged. */
const tellingLevels = ['trace', 'debug', 'info']

/** Logs each request in one line, once its reply is out or its client is gone: who asked for what, and the outcome. */
export const requestLog = fp(async app => {
  app.addHook('onRequest', async (request, reply) => {
    const { method, originalUrl: url, ip, log } = request
    log.debug({ method, url, ip }, 'incoming request')
    if (!tellingLevels.includes(app.log.level)) return
    whenOver(reply, (isAborted, ms) => {
      const { caller, refusal } = request
      const length = Number(reply.getHeader('content-length'))
      log.info(
        {
          method,
          url,
          ip,
          operationId: operationOf(request),
          // It may have been refused before anybody looked who sent it.
          key: caller?.kind === 'key' ? caller.keyId : undefined,
          status: reply.raw.headersSent ? reply.statusCode : undefined,
          aborted: isAborted || undefined,
          code: refusal ?? undefined,
          bytes: Number.isNaN(length) ? undefined : length,
          ms: Math.round(ms * 1_000) / 1_000,
        },
        'request completed',
      )
    })
  })
})

/** Logs a request that was refused before its head was read: it has neither a method nor a path. */
export function logUnread({ log }: Pick<FastifyInstance, 'log'>, refused: RefusedUnread): void {
  const { requestId: reqId, ip, status, code, reason, isAborted, ms } = refused
  log.info(
    {
      reqId,
      ip,
      status: isAborted ? undefined : status,
      aborted: isAborted || undefined,
      code,
      reason,
      ms: Math.round(ms * 1_000) / 1_000,
    },
    'request refused unread',
  )
}
