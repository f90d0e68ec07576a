import type { FastifyInstance } from 'fastify'
import { symbols } from 'pino'
import { operationOf } from '../routes/operation.ts'
import { type Observe, whenOver } from './outcome.ts'
import { RequestLogger } from './request-logger.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the code of the error that it was answered with; null for none */
    refusal: string | null
  }
}

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

/** The levels at which requests are told of. */
const tellingLevels = ['trace', 'debug', 'info']

/** Where lines of the log go. */
export interface LineStream {
  write(line: string): void
}

/**
 * Tells of each request in one line, once its reply is out or its client is gone: who asked for what, and what came of it.
 * The line is written as the log would write it, which takes four times as long.
 * @param stream where the log goes; undefined: there is none
 * @returns what is to be handed each request; undefined where nothing is told
 */
export function registerRequestLog(
  app: FastifyInstance,
  stream: LineStream | undefined,
): Observe | undefined {
  app.decorateRequest('refusal', null)
  // Each line about a request has the id of its trace, that of a failure above all.
  app.setChildLoggerFactory(
    (logger, bindings, options, { headers }) =>
      new RequestLogger(logger, () => {
        const traceId = traceIdOf(headers.traceparent)
        return logger.child(traceId === undefined ? bindings : { ...bindings, traceId }, options)
      }),
  )
  if (!stream || !tellingLevels.includes(app.log.level)) return undefined
  const isArrivalTold = app.log.level !== 'info'
  // What stands in each line, as pino has it written down; Fastify's type does not know what it makes the log by.
  const { [symbols.chindingsSym]: everywhere } = app.log as unknown as Record<symbol, string>
  return (request, reply) => {
    const { log, method, url, ip } = request
    if (isArrivalTold) log.debug({ method, url, ip }, 'incoming request')
    whenOver(reply, isAborted => {
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
        ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
        msg: 'request completed',
      })
      stream.write(`{"level":30,"time":${Date.now()}${everywhere},${told.slice(1)}\n`)
    })
  }
}
