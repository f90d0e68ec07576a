import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import { ApiError } from '../contract/api-error.ts'
import type { Context, RepeatableContext } from '../contract/context.ts'
import { type Versions, versionsIn } from '../contract/etag.ts'
import { refuseBody } from './body.ts'
import type { RouteConfig } from './operation.ts'

/** What the binding needs to know of each operation; the generated facts have it. */
export interface RouteFacts {
  method: string
  path: string
  requestTypes: readonly string[]
  bodyRequired: boolean
}

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
  run: (context: Context | RepeatableContext) => Promise<AnyReply>,
) => Promise<AnyReply>

/**
 * Registers a route for each operation of the document through fastify-openapi-glue.
 * @param document the parsed OpenAPI document; it is not changed
 * @param execute runs a handler with all that it may use
 * @throws Error when the handlers are not exactly the document's operations
 */
export async function bindOperations(
  app: FastifyInstance,
  document: object,
  operations: Readonly<Record<string, RouteFacts>>,
  handlers: Readonly<Record<string, AnyHandler>>,
  execute: Execute,
): Promise<void> {
  const missing = Object.keys(operations).filter(id => !Object.hasOwn(handlers, id))
  const extra = Object.keys(handlers).filter(id => !Object.hasOwn(operations, id))
  if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`)
  if (extra.length > 0) throw new Error(`No operation in the document for the handlers ${extra.join(', ')}`)

  // A body of DELETE has no meaning (RFC 9110, section 9.3.5): it is not even read, unless the document gives it one.
  if (
    !Object.values(operations).some(
      ({ method, requestTypes }) => method === 'DELETE' && requestTypes.length > 0,
    )
  )
    app.addHttpMethod('DELETE', { overrideExisting: true })

  await app.register(async routes => {
    // Without declared query parameters there would be no schema to refuse unknown ones.
    routes.addHook('onRoute', route => {
      route.schema = { querystring: { type: 'object', properties: {} }, ...route.schema }
    })
    await routes.register(glue, {
      specification: structuredClone(document),
      operationResolver: (id: string) => {
        const facts = operations[id]
        const handler = handlers[id]
        if (!facts || !handler)
          throw new Error(`The document has an operation ${id} that src/generated lacks`)
        const config: RouteConfig = {
          operationId: id,
          concretePaths: concretePathsIn(facts.path, operations),
        }
        return {
          config,
          onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
            // The router takes `/pets/` for an animal without a name.
            if (Object.values(request.params as object).includes('')) return reply.callNotFound()
            refuseBrokenQuery(request)
            refuseBody(request, facts)
          },
          handler: routeHandler(id, handler, execute),
        } as unknown as RouteOptions // method and URL are the glue's to fill in, whatever its type says
      },
    })
  })
}

/** The concrete paths that a path template takes too; undefined for none. */
function concretePathsIn(
  template: string,
  operations: Readonly<Record<string, RouteFacts>>,
): ReadonlySet<string> | undefined {
  if (!template.includes('{')) return undefined
  const literals = template.split(/\{[^}]+\}/).map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`^${literals.join('[^/]+')}$`)
  const paths = Object.values(operations).map(({ path }) => path)
  const taken = new Set(paths.filter(path => !path.includes('{') && pattern.test(path)))
  return taken.size > 0 ? taken : undefined
}

/** The query parser leaves what it can't decode as it is; a client would never know. */
function refuseBrokenQuery(request: FastifyRequest): void {
  const start = request.url.indexOf('?')
  try {
    if (start >= 0) decodeURIComponent(request.url.slice(start))
  } catch {
    const message = 'holds a broken percent-encoding'
    throw new ApiError(400, 'invalid_request', `The query ${message}.`, {
      details: [{ path: '/query', message }],
    })
  }
}

function routeHandler(id: string, handler: AnyHandler, execute: Execute): RouteHandlerMethod {
  return async (request, reply) => {
    const ifMatch = versionsIn(request.headers['if-match'])
    const input = { path: request.params, query: request.query, body: request.body, ifMatch }
    const { status, headers, body } = await execute(id, request, context => handler(input, context))
    for (const [name, value] of Object.entries(headers ?? {}))
      if (value !== undefined) reply.header(name, value)
    return reply.code(Number(status)).send(body)
  }
}
