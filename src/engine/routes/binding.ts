import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Model } from '../../document/model.ts'
import { missingCheckers } from '../access/security.ts'
import type { Context, RepeatableContext } from '../context.ts'
import { type Versions, versionsIn } from '../replies/etag.ts'
import { type RequestReader, requestReader } from '../requests/reader.ts'
import { createSchemas } from '../requests/schemas.ts'
import { createTexts } from '../requests/texts.ts'
import type { RouteConfig } from './operation.ts'
import { pathsOf, registerOperations } from './paths.ts'

/** A reply as it leaves a handler; the handler's own type has tied its parts to the document. */
export interface AnyReply {
  status: number | string | symbol
  headers?: Readonly<Record<string, unknown>> | undefined
  body?: unknown
}

/** A handler with its types worn off: what the binding calls. */
export type AnyHandler = (
  input: { path: unknown; query: unknown; body: unknown; ifMatch: Versions },
  context: Context | RepeatableContext,
) => Promise<AnyReply>

/** Runs an operation's handler in the context of a request. */
export type Execute = (
  operationId: string,
  request: FastifyRequest,
  body: unknown,
  run: (context: Context | RepeatableContext) => Promise<AnyReply>,
) => Promise<AnyReply>

/**
 * Registers a route for each operation of the document through fastify-openapi-glue. Requests are read and checked by the
 * model itself: the glue gets no schema, which it would copy into each route.
 * @param execute runs a handler with all that it may use
 * @param bodyLimit longest body, in bytes
 * @param checked what checks credentials, by the names of the document's security schemes
 * @throws Error when the handlers are not exactly the document's operations, or nothing checks who may call one of them
 */
export async function bindOperations(
  app: FastifyInstance,
  model: Model,
  handlers: Readonly<Record<string, AnyHandler>>,
  execute: Execute,
  bodyLimit: number,
  checked: Readonly<Record<string, unknown>>,
): Promise<void> {
  const missing = model.operations.filter(({ id }) => !Object.hasOwn(handlers, id)).map(({ id }) => id)
  const extra = Object.keys(handlers).filter(id => !model.operation(id))
  if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`)
  if (extra.length > 0) throw new Error(`No operation in the document for the handlers ${extra.join(', ')}`)
  const unchecked = missingCheckers(model, checked)
  if (unchecked.length > 0) throw new Error(unchecked.map(({ message }) => message).join('\n'))

  const texts = createTexts(createSchemas(model))
  const readers = new Map(
    model.operations.map(operation => [operation.id, requestReader(texts, operation, bodyLimit)]),
  )
  const readerOf = (request: FastifyRequest): RequestReader | undefined => {
    const { operationId = '' } = request.routeOptions.config as RouteConfig // set below
    return readers.get(operationId)
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) => readerOf(request)?.readBody(request))

  const paths = pathsOf(model)
  await app.register(routes =>
    registerOperations(routes, model, ({ id, path }) => {
      const handler = handlers[id]
      const reader = readers.get(id)
      if (!handler || !reader) throw new Error(`${id} is no operation`) // each was looked for above
      const config: RouteConfig = {
        operationId: id,
        isElsewhere: path.includes('{') ? url => paths.isConcrete(url) : undefined,
      }
      return {
        config: config as object, // Fastify's type knows its own names only
        onRequest: async request => reader.acceptBody(request),
        handler: routeHandler(id, handler, reader, execute),
      }
    }),
  )
}

function routeHandler(
  id: string,
  handler: AnyHandler,
  reader: RequestReader,
  execute: Execute,
): RouteHandlerMethod {
  return async (request, reply) => {
    const input = { ...reader.read(request), ifMatch: versionsIn(request.headers['if-match']) }
    const { status, headers, body } = await execute(id, request, input.body, context =>
      handler(input, context),
    )
    for (const [name, value] of Object.entries(headers ?? {}))
      if (value !== undefined) reply.header(name, value)
    return reply.code(Number(status)).send(body)
  }
}
