import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { LoggerOptions } from 'pino'
import type { Model } from '../../document/model.ts'
import { createHider } from '../callers/security.ts'
import { operationOf } from '../contract/destination.ts'

/** The logger's options, with the stream for its lines. */
export type LogOptions = LoggerOptions & { stream: { write(line: string): void } }

/** Called with each request as it comes, also those that the router refuses. */
export type Observe = (request: FastifyRequest, reply: FastifyReply) => void

/** Calls `tell` when a reply is sent or its client is gone. The milliseconds count from this call. */
export function whenOver({ raw }: FastifyReply, tell: (isAborted: boolean, ms: number) => void): void {
  const began = performance.now()
  let isSent = false
  raw.on('finish', () => {
    isSent = true
  })
  raw.on('close', () => tell(!isSent, performance.now() - began))
}

/** An address with a port, as some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withPort = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i

/**
 * Removes all but addresses from X-Forwarded-For, and their ports, which differ for each connection. Entries before one
 * that is no address were not written by a proxy that names addresses. They are removed, too.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const addresses = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(part => part.trim().replace(withPort, '$1$2'))
  const kept = addresses.slice(addresses.findLastIndex(address => isIP(address) === 0) + 1)
  if (kept.length > 0) headers['x-forwarded-for'] = kept.join(', ')
  else delete headers['x-forwarded-for']
}

/** W3C Trace Context, section 3.2: the form of version 00 ends with the flags, later ones may add to it. */
const traceparentForm =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/** Returns the trace id in a `traceparent`; undefined if it has none, such as a field that was sent twice. */
export function traceIdOf(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? traceparentForm.exec(traceparent)?.[1] : undefined
}

/** Logs one line for each request when its reply is sent or its client is gone: caller, target and outcome. */
export const requestLog = fp<{ model: Model }>(async (app, { model }) => {
  const hide = createHider(model)
  app.addHook('onRequest', (request, reply, done) => {
    const { method, ip, log } = request
    const url = hide(request.originalUrl)
    log.debug({ method, url, ip }, 'incoming request')
    whenOver(reply, (isAborted, ms) => {
      const { caller, refusal } = request
      const length = Number(reply.getHeader('content-length'))
      const line = {
        ...{ method, url, ip },
        operationId: operationOf(request),
        // The request may have been refused before its caller was identified.
        key: caller?.kind === 'key' ? caller.keyId : undefined,
        status: reply.raw.headersSent ? reply.statusCode : undefined,
        aborted: isAborted || undefined,
        code: refusal ?? undefined,
        bytes: Number.isNaN(length) ? undefined : length,
        ms: Math.round(ms * 1_000) / 1_000,
      }
      log.info(line, 'request completed')
    })
    done()
  })
})
