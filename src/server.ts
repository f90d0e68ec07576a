import Fastify, { type FastifyInstance, type FastifyLoggerOptions } from 'fastify'
import { ApiError } from './contract/api-error.ts'
import type { Context, DependencyState } from './contract/context.ts'
import type { ContractDocument } from './contract/document.ts'
import type { Db } from './database/tables.ts'
import { operations } from './generated/operations.ts'
import { handlers } from './handlers/index.ts'
import { type AnyHandler, bindOperations } from './http/binding.ts'
import { registerBodyParsers } from './http/body.ts'
import { registerDocs } from './http/docs.ts'
import { answerBrokenRequest, registerNotFound, sendError } from './http/errors.ts'
import { registerReplyCheck } from './http/reply-check.ts'
import { createValidatorCompiler } from './http/validation.ts'
import { askDatabase } from './store/health.ts'

/** Longest request body, in bytes. */
export const bodyLimit = 1_048_576
/** Longest URL, in characters: room for 100 identifiers and a cursor. */
const urlLimit = 8_000

export interface ServerDependencies {
  db: Db
  document: ContractDocument
  /** false: no log */
  logger?: FastifyLoggerOptions | false | undefined
  trustProxy?: boolean | number | string[] | undefined
  /** milliseconds */
  requestTimeoutMs?: number | undefined
  /** Whether each reply is held against the document before it leaves: for tests, as it costs time. */
  checkReplies?: boolean | undefined
}

/** Wires the parts together. Opens nothing: the caller listens, and closes what it passed in. */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { db, document, trustProxy = false } = dependencies
  const app = Fastify({
    bodyLimit,
    logger: dependencies.logger ?? false,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    requestTimeout: dependencies.requestTimeoutMs ?? 30_000,
    // Node would refuse a request without Host by itself, in a form that is not ours.
    http: { requireHostHeader: false },
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength: urlLimit },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, bodyLimit),
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, { 'X-Request-Id': crypto.randomUUID() }),
  })
  // Expectations other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, bodyLimit))
  app.setValidatorCompiler(createValidatorCompiler())
  // What a handler returns goes out as it is: a serialiser made from the schemas would hide what does not fit them.
  app.setSerializerCompiler(() => JSON.stringify)
  registerBodyParsers(
    app,
    Object.values(operations).flatMap(operation => operation.requestTypes),
  )
  registerNotFound(app, operations)
  if (dependencies.checkReplies) registerReplyCheck(app, document)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError(400, 'invalid_request', 'The Host header field is missing.')
    if (request.url.length > urlLimit)
      throw new ApiError(414, 'uri_too_long', `The URL is longer than ${urlLimit} characters.`)
  })

  const context: Context = {
    db,
    dependencies: async (): Promise<DependencyState[]> => [await askDatabase(db)],
  }
  // The binding calls each handler with its own operation's input, so the types worn off here still hold.
  await bindOperations(
    app,
    document.value,
    operations,
    handlers as unknown as Record<string, AnyHandler>,
    () => context,
  )
  await registerDocs(app, document)
  return app
}
