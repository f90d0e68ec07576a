import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { LoggerOptions } from 'pino'
import type { Model } from 'spec-served-document/model'
import type { Response } from 'spec-served-document/types'
import { createHider, fieldOf, schemesOf } from '../callers/security.ts'

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

type Fields = Readonly<Record<string, string>>

/** How long a browser may cache the answer to a preflight request, in seconds. */
const rememberFor = '600'

/** The default Cache-Control of replies. Operations may declare another in the document. */
export const notKept = 'no-store'

export type FirstFields = ReturnType<typeof createFirstFields>

/** The fields of the Model Context Protocol. */
const fieldsOfAgents = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']

/** Lets pages of these origins (`*`: all) use the API and read every declared header field. */
export function createFirstFields(model: Model, origins: '*' | readonly string[] | undefined) {
  const responses = model.operations.flatMap(operation => [...operation.responses.values()])
  const exposed = [...new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))].join(', ')
  const parameters = model.operations.flatMap(operation => operation.parameters)
  const sent = parameters.filter(parameter => parameter.in === 'header').map(({ name }) => name)
  const ofAgents = parameters.flatMap(({ 'x-mcp-header': name }) => (name ? `Mcp-Param-${name}` : []))
  const credentials = schemesOf(model).flatMap(({ scheme }) => fieldOf(scheme) ?? [])
  const allowed = [
    ...new Set([...credentials, 'Content-Type', 'X-Request-Id', ...fieldsOfAgents, ...ofAgents, ...sent]),
  ].join(', ')

  /** Returns Access-Control-Allow-Origin for a request; undefined: no such field. */
  function allowedFor(origin: string | null | undefined): string | undefined {
    if (origin === null || origins === undefined) return undefined
    if (origins === '*') return '*'
    if (origin !== undefined) return origins.includes(origin) ? origin : undefined
    return origins.length === 1 ? origins[0] : undefined // the only origin that may send it
  }

  const vary = origins ? 'Accept-Encoding, Origin' : 'Accept-Encoding'
  return {
    /** @param origin the Origin of the request; null: none; undefined: it could not be read */
    of(requestId: string, origin: string | null | undefined): Fields {
      const usual = {
        'cache-control': notKept,
        'x-content-type-options': 'nosniff',
        vary,
        'x-request-id': requestId,
      }
      const allowedOrigin = allowedFor(origin)
      if (allowedOrigin === undefined) return usual
      return {
        ...usual,
        'access-control-allow-origin': allowedOrigin,
        ...(origin && { 'access-control-expose-headers': exposed }),
      }
    },
    /** The answer to a preflight request of a browser (Fetch standard, "CORS-preflight request"). */
    preflight: (methods: string): Fields => ({
      ...(origins && {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': allowed,
        'access-control-max-age': rememberFor,
      }),
    }),
  }
}

export interface EveryRequestOptions {
  model: Model
  first: FirstFields
  observe: Observe | undefined
}

/**
 * Logs one line for each request when its reply is sent or its client is gone: caller, target and outcome. It adds the header
 * fields of every reply, and those to which the document gives just one value, as Cache-Control.
 */
export const everyRequest = fp<EveryRequestOptions>(async (app, { model, first, observe }) => {
  const hide = createHider(model)
  const fixed = fixedFieldsOf(model)
  app.addHook('onRoute', ({ config }) => {
    const operationFields = fixed.get(config?.operationId ?? '')
    if (config && operationFields) config.fixedFields = operationFields
  })

  app.addHook('onRequest', (request, reply, done) => {
    logWhenOver(request, reply, hide)
    observe?.(request, reply)
    reply.headers(first.of(request.id, request.headers.origin ?? null))
    done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const fields = request.destination.fixedFields?.get(reply.statusCode)
    if (fields) reply.headers(fields)
    done(null, payload)
  })
})

function logWhenOver(request: FastifyRequest, reply: FastifyReply, hide: (url: string) => string): void {
  const { method, ip, log, originalUrl } = request
  const url = originalUrl.includes('?') ? hide(originalUrl) : originalUrl
  log.debug({ method, url, ip }, 'incoming request')
  whenOver(reply, (isAborted, ms) => {
    const { caller, refusal } = request
    const length = Number(reply.getHeader('content-length'))
    const line = {
      ...{ method, url, ip },
      operationId: request.destination.operationId,
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
}

/** A request id that logs and headers can hold unescaped. */
const saneRequestId = /^[\w.:-]{1,128}$/

/** Returns the id of a request: the client's own, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sentId = headers['x-request-id']
  return typeof sentId === 'string' && saneRequestId.test(sentId) ? sentId : randomUUID()
}

/** Makes the logger of a request, which names its trace. */
export function requestLogger(
  logger: FastifyBaseLogger,
  ...[bindings, loggerOptions, { headers }]: [...Parameters<FastifyBaseLogger['child']>, IncomingMessage]
): FastifyBaseLogger {
  const traceId = traceIdOf(headers.traceparent)
  return logger.child({ ...bindings, ...(traceId !== undefined && { traceId }) }, loggerOptions)
}

declare module '../routes/destination.ts' {
  interface Destination {
    /** header fields with just one value, by status */
    fixedFields?: ReadonlyMap<number, Fields>
  }
}

function fixedFieldsOf({ operations, resolve }: Model): Map<string, Map<number, Fields>> {
  const fieldsOf = ({ headers = {} }: Response): Fields => {
    const fixed = Object.entries(headers).flatMap(([name, reference]) => {
      const { required, schema } = resolve(reference)
      const [value, ...others] = (schema && resolve(schema).enum) ?? []
      return required && typeof value === 'string' && others.length === 0 ? [[name.toLowerCase(), value]] : []
    })
    return Object.fromEntries(fixed)
  }
  const byStatus = (responses: ReadonlyMap<string, Response>) => {
    const all = [...responses].map(([status, response]) => [Number(status), fieldsOf(response)] as const)
    return new Map(all.filter(([, fields]) => Object.keys(fields).length > 0))
  }
  return new Map(operations.map(({ id, responses }) => [id, byStatus(responses)]))
}
