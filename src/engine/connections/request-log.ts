import type { FastifyInstance } from 'fastify'
import { type Logger, type LoggerOptions, pino, symbols } from 'pino'
import { operationOf } from '../routes/operation.ts'
import { type Observe, type RefusedUnread, whenOver } from './outcome.ts'
import { RequestLogger, traceIdOf } from './request-logger.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the code of the error that it was answered with; null for none */
    refusal: string | null
  }
}

/** The levels at which requests are told of. */
const tellingLevels = ['trace', 'debug', 'info']

/** Where lines of the log go. */
export interface LineStream {
  write(line: string): void
}

/** How the log is kept. */
export type LogOptions = LoggerOptions & { stream: LineStream }

/**
 * Gives the server its log, and tells of each request in one line, once its reply is out or its client is gone: who asked
 * for what, and what came of it. The line is written as the log would write it, which takes four times as long.
 * @param options undefined: there is no log
 * @returns what is to be handed each request before anything else is
 */
export function registerRequestLog(app: FastifyInstance, options: LogOptions | undefined): Observe {
  app.decorateRequest('refusal', null)
  if (!options) return () => {}
  const { stream, ...more } = options
  const log = pino(more, stream)
  app.log = log
  const tell = tellerOf(log, stream)
  return (request, reply) => {
    request.log = new RequestLogger(log, request)
    reply.log = request.log
    tell?.(request, reply)
  }
}

/** Tells of a request that was refused before its head was read: there is neither a method nor a path to tell. */
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

/** undefined: nothing is told of requests */
function tellerOf(log: Logger, stream: LineStream): Observe | undefined {
  if (!tellingLevels.includes(log.level)) return undefined
  const isArrivalTold = log.level !== 'info'
  // What stands in each line, as pino has it written down; its type does not tell.
  const { [symbols.chindingsSym]: everywhere } = log as unknown as Record<symbol, unknown>
  if (typeof everywhere !== 'string')
    throw new Error(
      'The installed pino has no text at its symbol chindingsSym: install the version that package-lock.json names.',
    )
  return (request, reply) => {
    const { method, url, ip } = request
    if (isArrivalTold) request.log.debug({ method, url, ip }, 'incoming request')
    whenOver(reply, (isAborted, ms) => {
      const { caller, refusal, id, headers } = request
      const length = Number(reply.getHeader('content-length'))
      const told = JSON.stringify({
        reqId: id,
        traceId: headers.traceparent === undefined ? undefined : traceIdOf(headers.traceparent),
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
        msg: 'request completed',
      })
      stream.write(`{"level":30,"time":${Date.now()}${everywhere},${told.slice(1)}\n`)
    })
  }
}
