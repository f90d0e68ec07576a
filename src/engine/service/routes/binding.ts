import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { buffer as bytesOf } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import { sequenceOf, streamOf } from 'spec-served-document/formats/sequences'
import { type OperationModel, responseFor } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { exact, jsonOf } from 'spec-served-document/values/exact-json'
import { inUtf8, isJson, parseMediaType, typeWithin } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { textOfInt64 } from 'spec-served-document/values/whole-numbers'
import { credentialsOf } from '../callers/authentication.ts'
import type { Caller, HolderId } from '../callers/caller.ts'
import { waysInto } from '../callers/security.ts'
import type { Context, RepeatableContext } from '../context.ts'
import { type AnyReply, ApiError, type Refusal } from '../errors/api-error.ts'
import { notKept } from '../http/every-request.ts'
import { upcomingSunsets } from '../lifecycle/lifecycle.ts'
import type { Parts, Reads } from '../parts.ts'
import { type Versions, versionsOf } from '../replies/etag.ts'
import { createIdempotency } from '../replies/idempotency.ts'
import { pagesOf } from '../replies/pages.ts'
import { rangesOf } from '../replies/ranges.ts'
import { withholderOf } from '../replies/write-only.ts'
import { validateHeaderValue } from '../runtime/node-http.ts'
import { within } from '../runtime/within.ts'
import { registerOperations } from './register.ts'

export interface AnyInput {
  path: unknown
  query: object
  /** in a replacement, omitted properties have their default or null: the same code serves PUT and PATCH */
  body: unknown
  /** the cookie parameters */
  cookie: object
  /** the versions in If-Match */
  ifMatch: Versions
  /** the request's header fields by lower-case name; declared ones have their declared types */
  headers: IncomingHttpHeaders
}

/** A handler without its operation's types, as the binding calls it. */
export interface AnyHandler<Context> {
  (input: AnyInput, context: Context): Promise<AnyReply | Refusal>
  /** Whether all its writes are one statement, so that it needs no transaction. */
  isOneStatement?: boolean
}

/** The context of all handlers. Each handler needs a part of it. */
type HandlerContext<Store, Transaction> = Context<Store> & RepeatableContext<Transaction>

/** The handlers of a document's operations, by operationId. */
export type EngineHandlers<Store, Transaction> = Readonly<
  Record<string, AnyHandler<HandlerContext<Store, Transaction>>>
>

/** Longest wait of a caller for its calls of deprecated operations, in ms. */
const deprecatedCallsWithin = 1_000

/**
 * Registers a route for each operation of the document. It runs the handler in its turn, with the operation's tools. A
 * repeatable request runs in a transaction.
 * @throws Error when the handlers do not match the document's operations
 */
export async function bindOperations<Store, Transaction extends Store>(
  app: FastifyInstance & Parameters<typeof registerOperations>[0],
  contract: Contract,
  handlers: EngineHandlers<Store, Transaction>,
  parts: Parts<Store, Transaction>,
  schemas: Schemas,
): Promise<void> {
  const { model, facts } = contract
  const { now, db, reads, checkers, deprecatedCalls, replies, isUnavailable } = parts
  const missing = model.operations.filter(({ id }) => !Object.hasOwn(handlers, id)).map(({ id }) => id)
  const extra = Object.keys(handlers).filter(id => !model.operation(id))
  if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`)
  if (extra.length > 0) throw new Error(`No operation in the document for the handlers ${extra.join(', ')}`)
  const pageOf = pagesOf(model)
  const once = createIdempotency(replies, now)

  async function keyChanged(id: HolderId): Promise<void> {
    await Promise.all(Object.values(checkers).map(checker => checker.forget?.(id)))
  }

  /** A caller gets its own limits whatever the state of the database. Calls come only if the database answers soon. */
  async function callsOf(caller: Caller): Promise<ReadonlyMap<string, number> | undefined> {
    if (caller.kind !== 'key') return new Map()
    try {
      return await within(deprecatedCallsWithin, deprecatedCalls.of(caller.counter), undefined)
    } catch (error) {
      if (isUnavailable(error)) return undefined
      throw error
    }
  }

  /** The tools of a handler. What few handlers use is made when they ask for it. */
  class OwnTools<Own extends Store> {
    readonly now = now
    readonly contract = contract
    readonly db: Own
    readonly caller: Caller
    readonly request: FastifyRequest
    readonly #changed: (id: HolderId) => Promise<void>

    /** @param changed to be called for each changed key */
    constructor(request: FastifyRequest, connection: Own, changed = keyChanged) {
      this.db = connection
      this.caller = request.caller
      this.request = request
      this.#changed = changed
    }
    get keys() {
      return parts.keys(this.db, { contract, now, keyChanged: this.#changed })
    }
    get signal() {
      return app.signalOf(this.request)
    }
    get page() {
      const { url, params, query, server } = this.request
      const address = `${server.prefixOf(this.request)}${url}`
      return pageOf(this.request.destination.operationId ?? '', address, params, query as object) // validation has decoded it
    }
  }

  /** The tools of handlers whose operations are not repeatable. */
  class FreeTools extends OwnTools<Store> {
    get limits() {
      return () => app.limitsOf(this.caller)
    }
    get deprecatedCalls() {
      return () => callsOf(this.caller)
    }
    readonly warnings = warnings
    readonly dependencies = dependencies
  }
  const warnings = () => upcomingSunsets(contract, now())
  const dependencies = async () => [...(await parts.dependencies()), app.sharedLimitsState() ?? []].flat()

  /** Runs an operation in a transaction, and only once if its caller may repeat the request. */
  async function inTransaction(
    operation: OperationModel,
    request: FastifyRequest,
    mayRunAgain: boolean,
    run: (tools: OwnTools<Transaction>) => Promise<AnyReply>,
  ): Promise<AnyReply> {
    const { url, body, caller, headers } = request
    const changed = new Set<HolderId>()
    const noteChange = async (id: HolderId) => void changed.add(id)
    const runIn = (transaction: Transaction) => run(new OwnTools(request, transaction, noteChange))
    const { 'idempotency-key': key } = headers
    try {
      if (typeof key !== 'string')
        return await replies.transaction(
          transaction => app.untilRefused(request, () => runIn(transaction)),
          mayRunAgain,
        )
      const secrets = waysInto(model, operation).flatMap(way => credentialsOf(way, request) ?? [])
      const isSecret = facts.get(operation.id)?.secretReply
      const repeatable = {
        scope: `${operation.id} ${caller.counter}`,
        key: key.replace(/^"(.*)"$/, '$1'),
        payload: `${url} ${(model.hasBigints ? exact : JSON).stringify(body)}`,
        json: jsonOf(schemas, operation),
        secret: isSecret ? secrets.map(({ value }) => value).join(' ') : undefined,
        mayRunAgain,
      }
      const runToEnd = async (transaction: Transaction) => {
        const reply = await runIn(transaction)
        // A stored reply is complete.
        const { body: replyBody } = reply
        if (replyBody instanceof Readable) return { ...reply, body: await bytesOf(replyBody) }
        return isSequence(replyBody) ? { ...reply, body: await Readable.from(replyBody).toArray() } : reply
      }
      return await once(repeatable, transaction => app.untilRefused(request, () => runToEnd(transaction)))
    } finally {
      await Promise.all([...changed].map(keyChanged))
    }
  }

  /** Notes the possible writes of a request before its reply. */
  async function noteWrites<T>(to: Reads<Store>, caller: Caller, work: () => Promise<T>): Promise<T> {
    try {
      const reply = await work()
      await to.wrote(caller, true)
      return reply
    } catch (error) {
      await to.wrote(caller, !isUnavailable(error))
      throw error
    }
  }

  function routeHandler(
    operation: OperationModel,
    handler: AnyHandler<HandlerContext<Store, Transaction>>,
    { repeatable, quotaFree, codes, whenLeftOut }: OperationFacts,
  ): RouteHandlerMethod {
    const isRead = ['GET', 'HEAD', 'QUERY'].includes(operation.method)
    const isReplacement = Object.keys(whenLeftOut).length > 0
    const versions = versionsOf(model, operation)
    const send = senderOf(schemas, operation)
    const inRange = rangesOf(operation)
    const withhold = withholderOf(schemas, operation)
    const answer = withhold
      ? async (...args: Parameters<typeof handler>) => {
          const reply = await handler(...args)
          return 'code' in reply ? reply : withhold(reply)
        }
      : handler

    function call(request: FastifyRequest, tools: object): Promise<AnyReply | Refusal> {
      const { params: path, query, cookieParameters: cookie = {}, headers, body: sent } = request
      const body = isReplacement && isObject(sent) ? { ...whenLeftOut, ...sent } : sent
      const ifMatch = versions.namedIn(headers['if-match'])
      const input: AnyInput = { path, query: query as object, body, cookie, ifMatch, headers } // validation has decoded it
      return answer(input, tools as HandlerContext<Store, Transaction>) // they fit the kind of operation
    }
    const runFreely = (request: FastifyRequest, store: Store) => call(request, new FreeTools(request, store))
    // A refusal rolls a transaction back. A stored reply keeps its ETag.
    const runToCommit = async (request: FastifyRequest, tools: object) =>
      versions.tagged(answered(await call(request, tools), codes))

    function work(request: FastifyRequest): Promise<AnyReply | Refusal> {
      const { caller, headers } = request
      // Operations without quota read where the limits and the service itself are.
      const store = isRead && !quotaFree && reads ? reads.storeFor(caller) : db
      if (isRead)
        return store instanceof Promise
          ? store.then(replyStore => runFreely(request, replyStore))
          : runFreely(request, store)
      // A single statement that is not repeatable takes effect as a whole, without a transaction around it.
      const isAlone = !repeatable || (handler.isOneStatement && headers['idempotency-key'] === undefined)
      const run = () =>
        isAlone
          ? runFreely(request, db)
          : inTransaction(operation, request, handler.isOneStatement === true, tools =>
              runToCommit(request, tools),
            )
      const write = () => app.withWrites(request, run, isUnavailable)
      return reads ? noteWrites(reads, caller, write) : write()
    }

    return async (request, reply) => {
      if (reply.sent) return reply // it was refused before its turn
      if (request.underWay) request.underWay.isRunning = true
      let sent: AnyReply
      try {
        const found = await work(request)
        if ('code' in found) sent = answered(found, codes)
        else sent = versions.tagged(found)
      } catch (error) {
        if (reply.sent) return reply // it was refused meanwhile
        if (!(error instanceof ApiError && error.outcome && 'reply' in error.outcome)) throw error
        sent = error.outcome.reply
      } finally {
        app.endWork(request)
      }
      if (reply.sent) return reply
      if (Number(sent.status) >= 400) request.refusal = codeIn(sent.body)
      return send(reply, inRange ? inRange(request, sent) : sent)
    }
  }

  const routeFor = (operation: OperationModel) => {
    const handler = handlers[operation.id]
    const operationFacts = facts.get(operation.id)
    if (!handler || !operationFacts)
      throw new Error(
        `${operation.id} has no handler: export it from its file in src/handlers, and run \`npm run generate\``,
      ) // each was checked above
    return {
      config: { operationId: operation.id, facts: operationFacts },
      handler: routeHandler(operation, handler, operationFacts),
    }
  }
  await registerOperations(app, model, routeFor, contract.isTakenWhole === true, app.pathsBeside)
}

/** Returns a handler's reply. @throws ApiError for a refusal, which rolls its transaction back */
function answered(answer: AnyReply | Refusal, codes: Readonly<Record<string, number>>): AnyReply {
  if ('code' in answer) {
    if (Object.hasOwn(codes, answer.code)) throw ApiError.of({ refusal: answer })
    throw new Error(
      `No response of the operation names the code ${answer.code}: name it in x-codes of one, or return { status, body }`,
    )
  }
  if (Number(answer.status) >= 400) throw ApiError.of({ reply: answer })
  return answer
}

const codeIn = (body: unknown) => (isObject(body) && typeof body.code === 'string' ? body.code : null)

/** Whether a body consists of items. A stream of bytes does not. */
function isSequence(body: unknown): body is readonly unknown[] | AsyncIterable<unknown> {
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body
  return Array.isArray(body) || (isStream && !(body instanceof Readable))
}

/** Returns the media type of an operation's replies with a status, as the document declares it first. */
function typeOf(operation: OperationModel, status: number) {
  const [declared = 'application/json'] = Object.keys(responseFor(operation, status)?.content ?? {})
  const name = declared.includes('*+') ? typeWithin(declared) : declared
  const isJsonItself = name === 'application/json' || name.includes('*')
  return { name, media: isJsonItself ? undefined : parseMediaType(name) }
}

const json = 'application/json; charset=utf-8'

const isBytes = (body: unknown) => body instanceof Readable || body instanceof Uint8Array

/** The text of a header field. @throws RangeError for a bigint of more than 64 bits */
const textOf = (value: unknown, name: string) =>
  typeof value === 'bigint' ? textOfInt64(value, `The header ${name}`) : String(value)

/** Returns a function that sends a reply in its first declared media type, or in the one that the handler gives. */
function senderOf(schemas: Schemas, operation: OperationModel) {
  const { stringify, isExact } = jsonOf(schemas, operation)
  const types = new Map<number, ReturnType<typeof typeOf>>()

  /** @throws TypeError for a value that no header field can have */
  return (reply: FastifyReply, { status, headers, body }: AnyReply): FastifyReply => {
    // All or none: the reply that names a bad one has no others.
    for (const name in headers)
      if (headers[name] !== undefined) validateHeaderValue(name, textOf(headers[name], name))
    for (const name in headers) if (headers[name] !== undefined) reply.header(name, headers[name])
    const code = Number(status)
    reply.code(code)
    const type = types.get(code) ?? typeOf(operation, code)
    types.set(code, type)
    const contentType = reply.getHeader('content-type')
    const name = contentType === undefined ? type.name : String(contentType)
    const sequence = isSequence(body) && sequenceOf(name)
    if (sequence) {
      // HEAD shows no items, and an endless sequence would be read for ever.
      const items = reply.request.method === 'HEAD' ? [] : body
      // A proxy that gathers or codes what it passes on would hold items back.
      reply.header('x-accel-buffering', 'no')
      if (headers?.['Cache-Control'] === undefined) reply.header('cache-control', `${notKept}, no-transform`)
      return reply.type(name).send(streamOf(sequence, items, reply.server.stopping, undefined, stringify))
    }
    const { media } = type
    const isText = typeof body === 'string'
    if (isExact && !isText && !isBytes(body)) {
      reply.serializer(stringify)
      // Fastify names no type for what another serializer writes.
      if (body !== undefined && contentType === undefined && !media) reply.type(json)
    }
    if (contentType !== undefined && isText) reply.type(inUtf8(name))
    if (body === undefined || contentType !== undefined) return reply.send(body)
    if (media) reply.type(isText ? inUtf8(name) : name)
    if (!isText || (media && !isJson(media))) return reply.send(body)
    return reply.type(media ? name : json).send(JSON.stringify(body))
  }
}
