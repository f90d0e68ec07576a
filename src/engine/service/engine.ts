import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyPluginCallback,
  LogController,
} from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import { boundsOf } from 'spec-served-document/contract/extensions'
import { createSchemas } from 'spec-served-document/values/schemas'
import { type McpOptions, mcp } from './agents/mcp.ts'
import { authentication, authorization } from './callers/authentication.ts'
import { type DocsOptions, docs } from './docs/docs.ts'
import { errors } from './errors/errors.ts'
import { createConnections } from './http/connections.ts'
import * as log from './http/every-request.ts'
import { placeFinder } from './http/place.ts'
import { probes } from './http/probes.ts'
import { underWay } from './http/under-way.ts'
import { type ObserveUnread, unreadRefuser } from './http/unread.ts'
import { lifecycle } from './lifecycle/lifecycle.ts'
import { rateLimits } from './limits/rate-limits.ts'
import type { Parts } from './parts.ts'
import { createErrorForms } from './replies/error-forms.ts'
import { conditionalRequests } from './replies/etag.ts'
import { bindOperations, type EngineHandlers } from './routes/binding.ts'
import { findDestinations, notFound, routableForm } from './routes/register.ts'
import { bodies } from './validation/bodies.ts'
import type { ObserveReply } from './validation/sampled-replies.ts'
import { validation } from './validation/validation.ts'

/** Larger than any URL that Node reads. A URL that is too long is refused after its operation is known. */
const maxParamLength = 100_000
/** Longest start of a plugin, in ms. By the clock a machine that is busy needs many times what another does. */
const pluginTimeout = 300_000

export interface EngineOptions extends DocsOptions, Pick<McpOptions, 'mcp' | 'tokenIssuer' | 'agentTools'> {
  /** false: no log */
  logger?: log.LogOptions | false | undefined
  /** the proxies whose X-Forwarded-For and X-Forwarded-Proto count: a number of proxies, or addresses and ranges */
  trustProxy?: boolean | number | string[] | undefined
  /** milliseconds */
  requestTimeoutMs?: number | undefined
  /** longest time from a whole request to its answer, in milliseconds; above it the request is refused */
  handlerTimeoutMs?: number | undefined
  /** how long a client may take nothing of a waiting reply, in milliseconds */
  stalledAfterMs?: number | undefined
  /** longest wait of a request for earlier ones, in milliseconds; above it the service refuses new requests */
  maxWaitMs?: number | undefined
  /** Returns the number of statements and transactions that wait for locks in the database. */
  waitingForLocks?: (() => number) | undefined
  /** origins whose pages may use the API: `*` for all; absent: none */
  corsOrigins?: '*' | readonly string[] | undefined
  /** Called with each request as it comes. */
  observe?: log.Observe | undefined
  /** Called for each request that was refused before its head was read. */
  observeUnread?: ObserveUnread | undefined
  /** the share of the replies that is checked against the document after they were sent, from 0 to 1; absent: none */
  checkReplies?: number | undefined
  /** Called with the outcome of each such check. */
  observeReply?: ObserveReply | undefined
  /** Called with the instance before all but the log, to add hooks that apply to all routes. */
  prepare?: ((app: FastifyInstance) => void) | undefined
  /** plugins of a project; their hooks run for all routes, and the document's parsers and forms are not for their routes */
  plugins?: readonly (FastifyPluginAsync | FastifyPluginCallback)[] | undefined
}

/**
 * Serves a document: each request runs through these stages to its handler. The caller listens and closes the parts.
 * @throws Error when the handlers do not match the document's operations, or when a security scheme has no checker
 */
export async function createEngine<Store, Transaction extends Store>(
  contract: Contract,
  handlers: EngineHandlers<Store, Transaction>,
  parts: Parts<Store, Transaction>,
  options: EngineOptions = {},
): Promise<FastifyInstance> {
  const { model } = contract
  const first = log.createFirstFields(model, options.corsOrigins)
  const forms = createErrorForms(model, parts.now)
  const schemas = createSchemas(model)

  const { requestTimeoutMs = 30_000, handlerTimeoutMs = 30_000, stalledAfterMs = 30_000 } = options
  const refuse = unreadRefuser(() => app, forms, first, options.observeUnread)
  const connections = createConnections({ requestTimeoutMs, stalledAfterMs }, refuse)
  const app = createApp(options, connections, boundsOf(model.document).bodyBytes)

  const finder = placeFinder(options.publicUrl, options.trustProxy ?? false)
  app.decorate('placeOf', finder.placeOf)
  app.decorate('prefixOf', finder.prefixOf)
  app.decorate('fixedPrefix', finder.fixedPrefix)

  // The stages of a request, in order. From the overload on they work before the body is read (`preParsing`): so the
  // `onRequest` hooks of a project's plugins see each request and reply, whichever stage refuses it.
  connections.register(app)
  findDestinations(app)
  await app.register(log.everyRequest, { model, first, observe: options.observe })
  if (options.checkReplies) {
    const { sampledReplies } = await import('./validation/sampled-replies.ts')
    await app.register(sampledReplies, { model, share: options.checkReplies, observe: options.observeReply })
  }
  options.prepare?.(app)
  await app.register(errors, { ...parts, facts: contract.facts, forms })
  const { maxWaitMs = 25, waitingForLocks } = options
  await app.register(underWay, { handlerTimeoutMs, requestTimeoutMs, maxWaitMs, waitingForLocks })
  await app.register(authentication, { contract, parts })
  await app.register(rateLimits, { contract, parts })
  await app.register(authorization)
  await app.register(notFound, { model, preflight: first.preflight })
  await app.register(lifecycle, { contract, parts })
  connections.tellFaults(app)
  for (const plugin of options.plugins ?? []) await app.register(plugin)
  const isTaken = (path: string) => model.operations.some(({ url }) => url === path)
  await app.register(probes, { isTaken, dependencies: parts.dependencies })
  await app.register(async scope => {
    scope.setErrorHandler(scope.answerError)
    await scope.register(async operations => {
      await operations.register(bodies, { schemas })
      await operations.register(validation, { schemas })
      await operations.register(conditionalRequests)
      await bindOperations(operations, contract, handlers, parts, schemas)
    })
    const { publicUrl, tokenIssuer, agentTools } = options
    const forAgents = { publicUrl, mcp: options.mcp, tokenIssuer, agentTools }
    await scope.register(mcp, { ...forAgents, contract, now: parts.now })
    const { docsScript, docsKey } = options
    await scope.register(docs, { contract, publicUrl, docsScript, docsKey })
  })
  return app
}

function createApp(
  { logger, trustProxy = false }: EngineOptions,
  connections: ReturnType<typeof createConnections>,
  bodyLimit: number,
): FastifyInstance {
  return Fastify({
    bodyLimit,
    pluginTimeout,
    logger: logger || false,
    // Requests are logged by `everyRequest`.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: log.requestLogger,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    serverFactory: connections.createServer,
    genReqId: log.requestIdOf,
    routerOptions: { maxParamLength },
    rewriteUrl: trustProxy === false ? routableForm : behindProxies,
    clientErrorHandler: connections.fail,
  })
}

/** As `routableForm`. It comes before Fastify reads X-Forwarded-For for `request.ip`. */
function behindProxies(request: IncomingMessage): string {
  log.keepAddresses(request.headers)
  return routableForm(request)
}
