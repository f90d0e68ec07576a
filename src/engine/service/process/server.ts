import type { FastifyInstance } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'
import type { OperationModel } from 'spec-served-document/model'
import { redactor } from '../callers/redaction.ts'
import { checkersFor, keyScheme } from '../callers/scheme.ts'
import { type Checkers, missingCheckers } from '../callers/security.ts'
import { createEngine, type EngineOptions } from '../engine.ts'
import { errorInLog } from '../errors/error-in-log.ts'
import type { AnyHandler, EngineHandlers } from '../routes/binding.ts'
import type { Service } from './definition.ts'
import type { Resources } from './resources.ts'

/** Stand-ins for parts that are not written yet. Without them an incomplete service does not start. */
export interface StandIns {
  /** answers operations whose handler is not written */
  handler?: ((operation: OperationModel) => AnyHandler<object>) | undefined
  /** checkers for the security schemes that have none */
  checkers?: Checkers | undefined
}

/** Builds the server of a service. @throws Error that names the parts that are not written yet */
export function buildServer(
  service: Service,
  contract: Contract,
  resources: Resources,
  { logger, standIns = {}, ...options }: EngineOptions & { standIns?: StandIns | undefined } = {},
): Promise<FastifyInstance> {
  // Callers may put one anywhere, so every line is searched for credentials before it is written.
  const hooks = { streamWrite: redactor(service.name) }
  const redacted = logger && { ...logger, hooks, serializers: { err: errorInLog } }
  const checkers = checkersFor(contract.model, resources.checkers, service.checkers, standIns.checkers)
  const handlers = handlersFor(service, contract, standIns)
  const unwritten = unwrittenOf(contract, handlers)
  const missing = missingCheckers(contract.model, checkers)
  const faults = missing.map(message => `In src/server.ts, checkers: ${message}`)
  if (unwritten.length > 0)
    faults.unshift(`Handlers in src/handlers are not written yet: ${unwritten.join(', ')}.`)
  if (faults.length > 0)
    throw new Error(`${faults.join('\n')}\n\`npm run dev\` stands in for these until they are written.`)
  const scheme = keyScheme(contract.model)
  const isOurs = scheme !== undefined && checkers[scheme] === resources.checkers.ApiKey
  const docsKey = isOurs ? { scheme, prefix: resources.form.prefix } : undefined
  const all = { plugins: service.plugins, docsKey, ...options, logger: redacted }
  return createEngine(contract, handlers, { ...resources, checkers }, all)
}

/** The engine calls each handler with its own operation's input, so the types that are dropped here still hold. */
type GenericHandlers = EngineHandlers<Resources['db'], Parameters<Resources['replies']['claim']>[0]>

/** Returns each operation's handler or its stand-in. */
export function handlersFor(
  service: Pick<Service, 'handlers'>,
  contract: Pick<Contract, 'model'>,
  { handler }: StandIns = {},
): GenericHandlers {
  const handlers = service.handlers as unknown as GenericHandlers
  if (!handler) return handlers
  const standing = contract.model.operations
    .filter(({ id }) => isUnwritten(handlers[id]))
    .map(operation => [operation.id, handler(operation)])
  return { ...handlers, ...Object.fromEntries(standing) }
}

const isUnwritten = (handler: object | undefined) => handler !== undefined && 'isNotWritten' in handler

export const unwrittenOf = (
  { model }: Pick<Contract, 'model'>,
  handlers: Service['handlers'] | GenericHandlers,
) => model.operations.map(({ id }) => id).filter(id => isUnwritten(handlers[id]))
