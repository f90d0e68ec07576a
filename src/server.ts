import Fastify, {
  type FastifyInstance,
  type FastifyLoggerOptions,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import type { ContractDocument } from './contract.ts'
import type { Caller } from './engine/access/caller.ts'
import { createGate, type Gate } from './engine/access/gate.ts'
import { measureLoad } from './engine/access/load.ts'
import { openConnections } from './engine/connections/connections.ts'
import { registerStopping } from './engine/connections/stopping.ts'
import type { Context } from './engine/context.ts'
import { registerDocs } from './engine/docs/docs.ts'
import { type Counting, countInMemory, countInRedis } from './engine/limits/counting.ts'
import { createLimits } from './engine/limits/limits.ts'
import { registerConditionalReads } from './engine/replies/conditional.ts'
import { registerCrossOrigin } from './engine/replies/cross-origin.ts'
import { answerBrokenRequest, sendError } from './engine/replies/errors.ts'
import { commonFields, registerFixedFields } from './engine/replies/fixed-fields.ts'
import { runInTransaction, runOnce } from './engine/replies/idempotency.ts'
import {
  type LifecycleFacts,
  refuseAfterSunset,
  registerLifecycleHeaders,
  upcomingSunsets,
} from './engine/replies/lifecycle.ts'
import { registerReplyCheck } from './engine/replies/reply-check.ts'
import { type AnyHandler, bindOperations, type Execute } from './engine/routes/binding.ts'
import { registerNotFound } from './engine/routes/not-found.ts'
import { isUnknown, operationOf } from './engine/routes/operation.ts'
import { originForm, refuseTarget } from './engine/routes/target.ts'
import { within } from './engine/within.ts'
import { operations } from './generated/operations.ts'
import { handlers } from './handlers/index.ts'
import { redactKeys } from './keys/api-key.ts'
import type { Resources } from './resources.ts'
import { isDatabaseUnavailable } from './store/failures.ts'

/** A request id that may stand in logs and headers as it is. */
const saneRequestId = /^[\w.:-]{1,128}$/
/** Longest request body, in bytes. */
const bodyLimit = 1_048_576
/** Above all that Node reads of a URL: too long ones are refused once it is known which operation they are for. */
const maxParamLength = 100_000

/** How long `/usage` waits for the calls of deprecated operations, in ms. */
const deprecatedCallsWithin = 1_000

/** What costs no quota goes on whatever the load. */
const quotaFree = new Set(Object.entries(operations).flatMap(([id, facts]) => (facts.quotaFree ? [id] : [])))

/** Every operation may be deprecated one day, whatever the document says today. */
const lifecycles: Readonly<Record<string, LifecycleFacts>> = operations

/** Which operations may be repeated, and which show secrets. */
const replies: Readonly<Record<string, { repeatable: boolean; secretReply: boolean }>> = operations

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

export interface ServerOptions {
  /** false: no log */
  logger?: FastifyLoggerOptions | false | undefined
  /** whose X-Forwarded-For is believed: a number of proxies, or addresses and ranges */
  trustProxy?: boolean | number | string[] | undefined
  /** milliseconds */
  requestTimeoutMs?: number | undefined
  /** how long a client may take nothing of a reply that waits for it, in milliseconds */
  stalledAfterMs?: number | undefined
  /** how long a request may have to wait for those before it; past that new ones are refused; milliseconds */
  maxWaitMs?: number | undefined
  /** requests that the database works on at a time */
  databaseConnections?: number | undefined
  /** origins whose pages may use the API: `*` for all; absent: none */
  corsOrigins?: '*' | readonly string[] | undefined
  /** Whether each reply is held against the document before it leaves: for tests, as it costs time. */
  checkReplies?: boolean | undefined
  /** Lets everybody do everything, uncounted: only to measure what keys and limits cost. */
  ungated?: boolean | undefined
  /** Is told of each route as it is registered: to see that there are no others than the document's. */
  onRoute?: ((route: RouteOptions) => void) | undefined
}

/** Wires the parts together. Opens nothing: the caller listens, and closes the resources that it passed in. */
export async function buildServer(
  document: ContractDocument,
  resources: Resources,
  options: ServerOptions = {},
): Promise<FastifyInstance> {
  const { db, now, keys, askDatabase, bans, deprecatedCalls } = resources
  const { trustProxy = false, requestTimeoutMs = 30_000, stalledAfterMs = 30_000 } = options
  let gate: Gate | undefined
  const connections = openConnections({ requestTimeoutMs, stalledAfterMs }, async (error, socket) => {
    const limits = await gate?.headersFor(socket.remoteAddress ?? '').catch(() => undefined)
    answerBrokenRequest(error, socket, {
      ...commonFields,
      'X-Request-Id': crypto.randomUUID(),
      ...limits,
    })
  })

  const app = Fastify({
    bodyLimit,
    // Callers may put a key anywhere: no line is written before it has been looked through.
    logger: options.logger ? { ...options.logger, hooks: { streamWrite: redactKeys } } : false,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    serverFactory: listener => connections.createServer(listener),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && saneRequestId.test(given) ? given : crypto.randomUUID()
    },
    routerOptions: { maxParamLength },
    rewriteUrl: originForm,
    frameworkErrors: (error, request, reply) => {
      // What the router refuses has not been through the hooks.
      reply.headers({ ...commonFields, 'X-Request-Id': request.id })
      const entered = gate ? gate.enter(request, reply) : Promise.resolve()
      entered
        .then(() => Promise.reject(error))
        .catch((refusal: unknown) => sendError(refusal, request, reply))
    },
    clientErrorHandler: connections.fail,
  })
  if (options.onRoute) app.addHook('onRoute', options.onRoute)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  registerStopping(app, connections)
  // What a handler returns goes out as it is: a serialiser made from the schemas would hide what does not fit them.
  app.setSerializerCompiler(() => JSON.stringify)
  if (options.checkReplies) registerReplyCheck(app, document)
  registerLifecycleHeaders(app, operations)
  registerConditionalReads(app, operations)
  registerFixedFields(app, document)
  // Before the gate, so that a page can read refusals too.
  const answerPreflight = options.corsOrigins
    ? await registerCrossOrigin(app, document, options.corsOrigins)
    : () => {}
  const answerUnknown = registerNotFound(app, answerPreflight)

  const counting = await openCounting(app, resources)
  const limits = createLimits(counting, bans, now)
  const load = measureLoad(options.maxWaitMs ?? 25, options.databaseConnections)
  const guard = createGate(operations, keys, bans, limits, load, now)
  gate = guard
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    if (!options.ungated) request.caller = await guard.enter(request, reply)
    refuseTarget(request.raw)
    if (isUnknown(request)) return answerUnknown(request, reply)
    observeLifecycle(request)
  })

  /** Notes who still calls what is deprecated, and ends it on its day. */
  function observeLifecycle(request: FastifyRequest): void {
    const id = operationOf(request)
    const facts: LifecycleFacts | undefined = lifecycles[id ?? '']
    if (id === undefined || !facts?.deprecation) return
    if (request.caller?.kind === 'key') deprecatedCalls.note(request.caller.keyId, id)
    refuseAfterSunset(id, facts, now())
  }

  /** What a caller's own limits are, it is told whatever the database does; this is told where it answers soon. */
  async function toldCalls(caller: Caller): Promise<ReadonlyMap<string, number> | undefined> {
    if (caller.kind !== 'key') return new Map()
    try {
      return await within(deprecatedCallsWithin, deprecatedCalls.of(caller.keyId), undefined)
    } catch (error) {
      if (isDatabaseUnavailable(error)) return undefined
      throw error
    }
  }

  const contextOf = ({ caller }: FastifyRequest): Context => ({
    db,
    now,
    caller,
    limits: () => limits.look(caller),
    deprecatedCalls: () => toldCalls(caller),
    warnings: () => upcomingSunsets(operations, now()),
    keyChanged: keys.forget,
    dependencies: async () => [await askDatabase(), ...(counting.shared ? [counting.shared()] : [])],
  })
  const execute: Execute = (operationId, request, body, run) =>
    quotaFree.has(operationId)
      ? perform(operationId, request, body, run)
      : load.during(() => perform(operationId, request, body, run))

  const perform: Execute = (operationId, request, body, run) => {
    const context = contextOf(request)
    const { 'idempotency-key': key, 'x-api-key': secret } = request.headers
    const { repeatable = false, secretReply = false } = replies[operationId] ?? {}
    if (!repeatable) return run(context)
    if (typeof key !== 'string') return runInTransaction(context, run)
    return runOnce(
      {
        scope: `${operationId} ${context.caller.counter}`,
        key: key.replace(/^"(.*)"$/, '$1'),
        payload: `${request.url} ${JSON.stringify(body)}`,
        secret: secretReply ? String(secret) : undefined,
      },
      context,
      run,
    )
  }
  // The binding calls each handler with its own operation's input, so the types worn off here still hold.
  await bindOperations(
    app,
    document.model,
    handlers as unknown as Record<string, AnyHandler>,
    execute,
    bodyLimit,
    { ApiKey: guard },
  )
  await registerDocs(app, document)
  return app
}

async function openCounting(app: FastifyInstance, { counters, redis, now }: Resources): Promise<Counting> {
  const memory = await countInMemory(app, counters, now)
  return redis ? countInRedis(app, redis, memory, app.log, now) : memory
}
