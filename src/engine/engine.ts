import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Caller } from './access/caller.ts'
import { createCallers } from './access/callers.ts'
import { createGate, type Gate, type Refused } from './access/gate.ts'
import { measureLoad } from './access/load.ts'
import { openConnections } from './connections/connections.ts'
import { keepAddresses } from './connections/forwarded.ts'
import type { Observe, ObserveUnread } from './connections/outcome.ts'
import { createRequestIds } from './connections/request-ids.ts'
import { type LogOptions, logUnread, registerRequestLog } from './connections/request-log.ts'
import { registerStopping } from './connections/stopping.ts'
import type { Contract } from './contract.ts'
import { docsAddresses } from './docs/addresses.ts'
import { type DocsOptions, registerDocs } from './docs/docs.ts'
import { createExecution, type HandlerContext } from './execution.ts'
import type { Later } from './later.ts'
import { type Counting, noCounting } from './limits/counting.ts'
import { createLimits } from './limits/limits.ts'
import { countInRedis } from './limits/redis-counting.ts'
import type { Parts } from './parts.ts'
import { selectContent } from './replies/conditional.ts'
import { createCrossOrigin } from './replies/cross-origin.ts'
import { createErrorForms } from './replies/error-forms.ts'
import { createErrors, originOf, refusalOf, writeRefusal } from './replies/errors.ts'
import { beginFields, fieldsOf } from './replies/fields.ts'
import { createFixedFields, firstFields } from './replies/fixed-fields.ts'
import { createLifecycleFields, refuseAfterSunset } from './replies/lifecycle.ts'
import { type AnyHandler, bindOperations } from './routes/binding.ts'
import { registerNotFound } from './routes/not-found.ts'
import { factsFor, isUnknown, operationOf } from './routes/operation.ts'
import { originForm, refuseTarget } from './routes/target.ts'

/** A request id that may stand in logs and headers as it is. */
const saneRequestId = /^[\w.:-]{1,128}$/
/** Longest request body, in bytes. */
const bodyLimit = 1_048_576
/** Above all that Node reads of a URL: too long ones are refused once it is known which operation they are for. */
const maxParamLength = 100_000
const noQuery = Object.freeze({})

/**
 * No route has a schema for Fastify: requests are read by the model, and what a handler returns goes out as it is, as a
 * serialiser made from the schemas would hide what does not fit them. So neither of Fastify's compilers is loaded.
 */
const compilersFactory = {
  buildValidator: (() => () => () => true) as never, // its type asks for the parts of Ajv's functions that Fastify never uses
  buildSerializer: () => () => JSON.stringify,
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

export interface EngineOptions extends DocsOptions {
  /** false: no log */
  logger?: LogOptions | false | undefined
  /** whose X-Forwarded-For and X-Forwarded-Proto are believed: a number of proxies, or addresses and ranges */
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
  /** is handed each request as it comes */
  observe?: Observe | undefined
  /** is told of each request that was refused before its head was read */
  observeUnread?: ObserveUnread | undefined
  /** Is handed the instance before all but the log: for hooks of one's own, which all routes then have. */
  prepare?: ((app: FastifyInstance) => void) | undefined
}

/** The handlers of a document's operations, by operationId. */
export type EngineHandlers<Store, Transaction> = Readonly<
  Record<string, AnyHandler<HandlerContext<Store, Transaction>>>
>

/**
 * Serves a document: each request goes through the caller's identification, the limits, the lifecycle and the
 * validation to its handler. Opens nothing: the caller listens, and closes the parts that it passed in.
 * @throws Error when the handlers are not exactly the document's operations, or one of them asks for a security scheme
 *   that nobody checks
 */
export async function createEngine<Store, Transaction extends Store>(
  contract: Contract,
  handlers: EngineHandlers<Store, Transaction>,
  parts: Parts<Store, Transaction>,
  options: EngineOptions = {},
): Promise<FastifyInstance> {
  const { model, facts, rateLimits } = contract
  const { name, now, checkers, bans, deprecatedCalls } = parts
  const { trustProxy = false, requestTimeoutMs = 30_000, stalledAfterMs = 30_000 } = options
  const forms = createErrorForms(model, now)
  const errors = createErrors(facts, parts, forms)
  const createId = createRequestIds()
  const crossOrigin = createCrossOrigin(contract, options.corsOrigins)
  let gate: Gate | undefined
  const connections = openConnections({ requestTimeoutMs, stalledAfterMs }, async (error, socket) => {
    const began = performance.now()
    const { remoteAddress: ip } = socket
    const requestId = createId()
    const limits = await gate?.headersFor(ip ?? '').catch(() => undefined)
    const fields = { ...firstFields(requestId), ...crossOrigin.fieldsFor(originOf(error)), ...limits }
    const refusal = refusalOf(error)
    const isAborted = !socket.writable
    if (!isAborted) writeRefusal(refusal, socket, fields, forms)
    const { code } = refusal
    const { status } = refusal.toWire()
    const ms = performance.now() - began
    observeUnread({ requestId, ip, status, code, reason: error.message, isAborted, ms })
  })

  const app = Fastify({
    bodyLimit,
    // It has that of `registerRequestLog`. To one of its own it would tell of each request: for that it would listen to
    // each reply, and make a log for it, be these told of or not.
    logger: false,
    // Nor does it tell of them in the log that each request is given.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    serverFactory: listener => connections.createServer(listener),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && saneRequestId.test(given) ? given : createId()
    },
    // The query is read by the model, for the operations that have one.
    routerOptions: { maxParamLength, querystringParser: () => noQuery },
    schemaController: { compilersFactory },
    rewriteUrl(request) {
      // Before Fastify reads it, for `request.ip`.
      if (trustProxy !== false) keepAddresses(request.headers)
      return originForm(request)
    },
    frameworkErrors: (error, request, reply) => {
      // What the router refuses has not been through the hooks.
      const { origin = null } = request.headers
      beginFields(reply, { ...firstFields(request.id), ...crossOrigin.fieldsFor(origin) })
      observe(request, reply)
      const enter = async () => gate?.enter(request, reply)
      enter()
        .catch((failure: unknown) => failure)
        .then(refused => errors.send(refused ?? error, request, reply))
    },
    clientErrorHandler: connections.fail,
  })
  const log = registerRequestLog(app, options.logger || undefined)
  const observe: Observe = (request, reply) => {
    log(request, reply)
    options.observe?.(request, reply)
  }
  const observeUnread: ObserveUnread = refused => {
    logUnread(app, refused)
    options.observeUnread?.(refused)
  }
  app.addHook('onRequest', (request, reply, done) => {
    observe(request, reply)
    connections.await(request.raw.socket, reply)
    beginFields(reply, firstFields(request.id))
    done()
  })
  options.prepare?.(app)
  app.setErrorHandler(errors.send)
  registerStopping(app, connections)
  const addLifecycle = createLifecycleFields(facts, docsAddresses(model).page)
  const addFixed = createFixedFields(contract)
  app.addHook('onSend', (request, reply, payload, done) => {
    connections.await(request.raw.socket, undefined)
    const conclude = (content: unknown) => {
      addLifecycle(request, reply)
      addFixed(request, reply)
      if (fieldsOf(reply).connection === 'close') reply.raw.shouldKeepAlive = false
      done(null, content)
    }
    const content = selectContent(request, reply, payload)
    if (content instanceof Promise) content.then(conclude, done)
    else conclude(content)
  })
  // Before the gate, so that a page can read refusals too.
  await crossOrigin.register(app)
  const answerUnknown = registerNotFound(app, model, crossOrigin.answerPreflight)

  const counting = openCounting(app, contract, parts)
  const limits = createLimits(rateLimits, counting, bans, now)
  const load = measureLoad(options.maxWaitMs ?? 25, options.databaseConnections)
  const callers = createCallers(model, checkers, rateLimits, bans, name)
  const guard = createGate(callers, limits, load, now, parts.isUnavailable)
  gate = guard
  app.decorateRequest('caller')
  app.decorateRequest('destination', null)
  app.addHook('onRequest', (request, reply, done) => {
    const proceed = (refused: Refused) => {
      if (refused) return errors.send(refused, request, reply)
      try {
        refuseTarget(request.raw)
        if (isUnknown(request)) return void answerUnknown(request, reply)
        observeLifecycle(request)
      } catch (error) {
        return done(error as Error) // only Errors are thrown here
      }
      done()
    }
    let entered: Later<Refused>
    try {
      entered = guard.enter(request, reply)
    } catch (error) {
      return done(error as Error) // likewise
    }
    if (entered instanceof Promise) entered.then(proceed, done)
    else proceed(entered)
  })

  /** Notes who still calls what is deprecated, and ends it on its day. */
  function observeLifecycle(request: FastifyRequest): void {
    const id = operationOf(request)
    const own = factsFor(request)
    if (id === undefined || !own?.deprecation) return
    const { caller } = request
    if (caller.kind === 'key') deprecatedCalls.note(caller.keyId, id)
    refuseAfterSunset(id, own, now())
  }

  const execute = createExecution(contract, parts, limits, load, counting.shared)
  await bindOperations(app, contract, handlers, execute, errors, forms, bodyLimit)
  await registerDocs(app, contract, options)
  return app
}

function openCounting<Store, Transaction extends Store>(
  app: FastifyInstance,
  { rateLimits }: Contract,
  { name, counting, redis, now }: Parts<Store, Transaction>,
): Counting {
  if (!rateLimits || !counting) return noCounting
  return redis ? countInRedis(app, rateLimits, `${name}:`, redis, counting, now) : counting
}
