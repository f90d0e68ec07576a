import type { FastifyInstance } from 'fastify'
import { checkersFor } from './checkers.ts'
import type { OperationModel } from './document/model.ts'
import { type Checkers, missingCheckers } from './engine/access/security.ts'
import type { Contract } from './engine/contract.ts'
import { createEngine, type EngineOptions } from './engine/engine.ts'
import type { AnyHandler, EngineHandlers } from './engine/routes/binding.ts'
import { handlersWith } from './handlers/index.ts'
import { redactKeys } from './keys/api-key.ts'
import { type Seal, unsealed } from './keys/seal.ts'
import type { Resources } from './resources.ts'

/** What is there until the code of a service is complete. Absent: nothing is, and what is not complete does not start. */
export interface StandIns {
  /** answers an operation whose handler is not written */
  handler?: ((operation: OperationModel) => AnyHandler<object>) | undefined
  /** check the security schemes that nobody else checks */
  checkers?: Checkers | undefined
}

/**
 * The project's document, served by its handlers. The caller listens, and closes the resources that it passed in.
 * @throws Error that names what is not written yet: handlers, and what checks security schemes
 */
export function buildServer(
  contract: Contract,
  resources: Resources,
  { logger, standIns = {}, ...options }: EngineOptions & { standIns?: StandIns | undefined } = {},
): Promise<FastifyInstance> {
  // Callers may put a key anywhere: no line is written before it has been looked through.
  const redacted = logger && { ...logger, hooks: { streamWrite: redactKeys } }
  const checkers = checkersFor(contract.model, resources.checkers.ApiKey, standIns.checkers)
  const handlers = handlersFor(contract, resources.seal, standIns)
  const unwritten = unwrittenOf(contract, handlers)
  const faults = missingCheckers(contract.model, checkers).map(message => `In src/checkers.ts: ${message}`)
  if (unwritten.length > 0)
    faults.unshift(`Handlers in src/handlers are not written yet: ${unwritten.join(', ')}.`)
  if (faults.length > 0)
    throw new Error(`${faults.join('\n')}\n\`npm run dev\` stands in for these until they are written.`)
  return createEngine(contract, handlers, { ...resources, checkers }, { ...options, logger: redacted })
}

/** The engine calls each handler with its own operation's input, so the types worn off here still hold. */
type Worn = EngineHandlers<Resources['db'], Parameters<Resources['replies']['claim']>[0]>

/** The handler of each operation, or what stands in for it. */
export function handlersFor(contract: Contract, seal: Seal, { handler }: StandIns = {}): Worn {
  const known = handlersWith(seal) as unknown as Worn
  if (!handler) return known
  const standing = contract.model.operations
    .filter(({ id }) => isUnwritten(known[id]))
    .map(operation => [operation.id, handler(operation)])
  return { ...known, ...Object.fromEntries(standing) }
}

const isUnwritten = (handler: object | undefined) => handler !== undefined && 'isNotWritten' in handler

/** The operations whose handlers are stubs. */
export function unwrittenOf(
  { model }: Pick<Contract, 'model'>,
  handlers = handlersWith(unsealed) as unknown as Worn,
): string[] {
  return model.operations.filter(({ id }) => isUnwritten(handlers[id])).map(({ id }) => id)
}
