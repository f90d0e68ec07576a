import { type IncomingHttpHeaders, validateHeaderValue } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type OperationModel, responseFor } from '../../document/model.ts'
import type { Contract } from '../contract.ts'
import type { OperationFacts } from '../facts.ts'
import { requestSchemaOf } from '../plugins/validation.ts'
import { ApiError, type Refusal } from '../replies/api-error.ts'
import { type Versions, versionsIn } from '../replies/etag.ts'
import { ErrorReply } from '../replies/idempotency.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import type { Schemas } from '../requests/schemas.ts'
import { registerOperations } from './paths.ts'

/** A reply as a handler returns it; the handler's own type ties its parts to the document. */
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
  /** the cookie parameters */
  cookie: object
  /** the versions that If-Match asks for */
  ifMatch: Versions
  /** the request's header fields by lower-case name; those that the document has are of its types */
  headers: IncomingHttpHeaders
}

/** A handler without its operation's types: what the binding calls. */
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
 * Registers a route for each operation of the document through fastify-openapi-glue.
 * @throws Error when the handlers are not exactly the document's operations
 */
export async function bindOperations<Context>(
  app: Parameters<typeof registerOperations>[0],
  { model, facts }: Contract,
  schemas: Schemas,
  handlers: Readonly<Record<string, AnyHandler<Context>>>,
  execute: Execute<Context>,
): Promise<void> {
  const missing = model.operations.filter(({ id }) => !Object.hasOwn(handlers, id)).map(({ id }) => id)
  const extra = Object.keys(handlers).filter(id => !model.operation(id))
  if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`)
  if (extra.length > 0) throw new Error(`No operation in the document for the handlers ${extra.join(', ')}`)

  await registerOperations(app, model, operation => {
    const handler = handlers[operation.id]
    const own = facts.get(operation.id)
    if (!handler || !own) throw new Error(`${operation.id} is no operation`) // each was looked for above
    return {
      schema: requestSchemaOf(schemas, operation),
      config: { operationId: operation.id, facts: own },
      handler: routeHandler(operation, own, handler, execute),
    }
  })
}

function routeHandler<Context>(
  operation: OperationModel,
  facts: OperationFacts,
  handler: AnyHandler<Context>,
  execute: Execute<Context>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const { params, query, body, cookieParameters, headers } = request
    const input: AnyInput = {
      path: params,
      query: query as object, // as it was decoded
      body,
      cookie: cookieParameters,
      ifMatch: versionsIn(headers['if-match']),
      headers,
    }
    const run = async (context: Context) => {
      const answer = await handler(input, context)
      if ('code' in answer) {
        if (Object.hasOwn(facts.codes, answer.code)) throw ApiError.of(answer)
        throw new Error(`No response of the operation names the code ${answer.code}`)
      }
      if (Number(answer.status) >= 400) throw new ErrorReply(answer)
      return answer
    }
    const answer = await execute(operation, request, input, run, handler.isOneStatement === true).catch(
      (error: unknown) => {
        if (error instanceof ErrorReply) return error.reply
        throw error
      },
    )
    if (Number(answer.status) >= 400) request.refusal = codeIn(answer.body)
    return send(reply, operation, answer)
  }
}

function codeIn(body: unknown): string | null {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : null
  return typeof code === 'string' ? code : null
}

/**
 * Sends a reply, its body as the media type that the response declares first: a text is one of JSON's, or stands for itself.
 * @throws TypeError for a value that no header field can have, before any is set
 */
function send(
  reply: FastifyReply,
  operation: OperationModel,
  { status, headers = {}, body }: AnyReply,
): FastifyReply {
  const fields = Object.entries(headers).filter(([, value]) => value !== undefined)
  for (const [name, value] of fields) validateHeaderValue(name, String(value))
  for (const [name, value] of fields) reply.header(name, value)
  reply.code(Number(status))
  if (body === undefined || reply.hasHeader('content-type')) return reply.send(body)
  const [name = 'application/json'] = Object.keys(responseFor(operation, Number(status))?.content ?? {})
  const isJsonItself = name === 'application/json' || name.includes('*')
  const media = isJsonItself ? undefined : parseMediaType(name)
  if (media) reply.type(name)
  if (typeof body !== 'string' || (media && !isJson(media))) return reply.send(body)
  return reply.type(media ? name : 'application/json; charset=utf-8').send(JSON.stringify(body))
}
