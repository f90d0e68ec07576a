import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type OperationModel, responseFor } from '../../document/model.ts'
import { validateHeaderValue } from '../connections/http.ts'
import type { Contract } from '../contract.ts'
import type { OperationFacts } from '../facts.ts'
import { ApiError, type Refusal, type WireError } from '../replies/api-error.ts'
import { hasAlready } from '../replies/conditional.ts'
import type { ErrorForms } from '../replies/error-forms.ts'
import type { Errors } from '../replies/errors.ts'
import { type Versions, versionsIn } from '../replies/etag.ts'
import { fieldsOf } from '../replies/fields.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import { type RequestReader, requestReader } from '../requests/reader.ts'
import { createSchemas } from '../requests/schemas.ts'
import { createTexts } from '../requests/texts.ts'
import { configOf, type RouteConfig } from './operation.ts'
import { registerOperations } from './paths.ts'

/** A reply as it leaves the engine's path; the handler's own type has tied its parts to the document. */
export interface AnyReply {
  status: number | string | symbol
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

/** What a handler is called with. */
export interface AnyInput {
  path: unknown
  query: object
  body: unknown
  /** the versions that If-Match asks for */
  ifMatch: Versions
  /** the request's header fields as they were sent, by lower-case name */
  headers: IncomingHttpHeaders
}

/** A handler with its types worn off: what the binding calls. */
export interface AnyHandler<Context> {
  (input: AnyInput, context: Context): Promise<AnyReply | Refusal>
  /** Whether all that it writes is one statement, so that it needs no transaction by itself. */
  isOneStatement?: boolean
}

/** Runs an operation's handler, with what it may use. */
export type Execute<Context> = (
  operation: OperationModel,
  request: FastifyRequest,
  input: AnyInput,
  run: (context: Context) => Promise<AnyReply>,
  isOneStatement: boolean,
) => Promise<AnyReply>

/**
 * Registers a route for each operation of the document through fastify-openapi-glue. Requests are read and checked by the
 * model itself: the glue gets no schema, which it would copy into each route.
 * @param execute runs a handler with all that it may use
 * @param errors answers what a request is refused for
 * @param forms in which the document declares errors
 * @param bodyLimit longest body, in bytes
 * @throws Error when the handlers are not exactly the document's operations
 */
export async function bindOperations<Context>(
  app: FastifyInstance,
  { model, facts }: Contract,
  handlers: Readonly<Record<string, AnyHandler<Context>>>,
  execute: Execute<Context>,
  errors: Errors,
  forms: ErrorForms,
  bodyLimit: number,
): Promise<void> {
  const missing = model.operations.filter(({ id }) => !Object.hasOwn(handlers, id)).map(({ id }) => id)
  const extra = Object.keys(handlers).filter(id => !model.operation(id))
  if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`)
  if (extra.length > 0) throw new Error(`No operation in the document for the handlers ${extra.join(', ')}`)

  const texts = createTexts(createSchemas(model))
  const readers = new Map(
    model.operations.map(operation => [operation.id, requestReader(texts, operation, bodyLimit)]),
  )
  const readerOf = (request: FastifyRequest): RequestReader | undefined => {
    const { operationId = '' } = configOf(request)
    return readers.get(operationId)
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) => readerOf(request)?.readBody(request))

  await app.register(routes =>
    registerOperations(routes, model, operation => {
      const { id } = operation
      const handler = handlers[id]
      const reader = readers.get(id)
      const own = facts.get(id)
      if (!handler || !reader || !own) throw new Error(`${id} is no operation`) // each was looked for above
      const config: RouteConfig = { operationId: id, facts: own }
      const answer = async (input: AnyInput, context: Context, requestId: string) => {
        const reply = await handler(input, context)
        if (!('code' in reply)) return reply
        const error = refused(own, reply)
        const written = forms.write(id, error, requestId)
        if (!written) return { status: error.status, body: error }
        return { status: error.status, headers: { 'Content-Type': written.type }, body: written.text }
      }
      return {
        config: config as object, // Fastify's type knows its own names only
        onRequest(request, _reply, done) {
          reader.acceptBody(request)
          done()
        },
        handler: routeHandler(operation, answer, reader, errors, execute, handler.isOneStatement === true),
      }
    }),
  )
}

function codeIn(body: unknown): string | null {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : null
  return typeof code === 'string' ? code : null
}

/** A handler's refusal has the status of the response that names its code. */
function refused({ codes }: OperationFacts, { code, message, details }: Refusal): WireError {
  const status = Object.hasOwn(codes, code) ? codes[code] : undefined
  if (status === undefined) throw new Error(`No response of the operation names the code ${code}`)
  return { code, message, status, details }
}

function routeHandler<Context>(
  operation: OperationModel,
  handler: (input: AnyInput, context: Context, requestId: string) => Promise<AnyReply>,
  reader: RequestReader,
  errors: Errors,
  execute: Execute<Context>,
  isOneStatement: boolean,
): RouteHandlerMethod {
  const typeOf = createTypes(operation)
  const isConditional = operation.responses.has('304')
  const answer = (request: FastifyRequest, reply: FastifyReply, { status, headers, body }: AnyReply) => {
    if (headers) setFields(reply, headers)
    if (Number(status) >= 400) request.refusal = codeIn(body)
    if (status === 200 && isConditional && hasAlready(request, fieldsOf(reply).etag)) {
      reply.code(304).send()
      return undefined
    }
    reply.code(Number(status))
    sendBody(reply, typeOf(Number(status)), body)
    // Fastify would wait for the end of a reply that it is handed, even when that has been.
    return reply.sent ? undefined : reply
  }
  return (request, reply) => {
    const read = reader.read(request)
    if (read instanceof ApiError) return errors.send(read, request, reply)
    const { headers } = request
    const input = {
      path: read.path,
      query: read.query,
      body: read.body,
      ifMatch: versionsIn(headers['if-match']),
      headers,
    }
    const run = (context: Context) => handler(input, context, request.id)
    return execute(operation, request, input, run, isOneStatement).then(one => answer(request, reply, one))
  }
}

/** @throws TypeError for a value that no field can have, before any is set: none of them would be of the error then */
function setFields(reply: FastifyReply, fields: Readonly<Record<string, unknown>>): void {
  for (const name in fields) if (fields[name] !== undefined) validateHeaderValue(name, String(fields[name]))
  const all = fieldsOf(reply)
  for (const name in fields) {
    const value = fields[name]
    const key = name.toLowerCase()
    if (typeof value === 'string' && key !== 'set-cookie') all[key] = value
    else if (value !== undefined) reply.header(key, value)
  }
}

/** How a response's bodies leave. */
interface Sent {
  /** undefined: as JSON is sent anyway */
  type: string | undefined
  isJson: boolean
}

/** How the bodies of an operation leave, by status: as the media type that the response declares first. */
function createTypes(operation: OperationModel): (status: number) => Sent {
  const known = new Map<number, Sent>()
  return status => {
    const own = known.get(status)
    if (own) return own
    const [name = 'application/json'] = Object.keys(responseFor(operation, status)?.content ?? {})
    const media = parseMediaType(name)
    const isPlain = !media || name.includes('*') || media.essence === 'application/json'
    const sent = { type: isPlain ? undefined : name, isJson: !media || isPlain || isJson(media) }
    known.set(status, sent)
    return sent
  }
}

/** Sends a body by its media type: a text is one of JSON's, or stands for itself. */
function sendBody(reply: FastifyReply, sent: Sent, body: unknown): FastifyReply {
  if (body === undefined || fieldsOf(reply)['content-type'] !== undefined) return reply.send(body)
  if (sent.type !== undefined) reply.type(sent.type)
  if (!sent.isJson || typeof body !== 'string') return reply.send(body)
  return reply.type(sent.type ?? 'application/json; charset=utf-8').send(JSON.stringify(body))
}
