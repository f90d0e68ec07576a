import type { FastifyInstance } from 'fastify'
import { checkersFor } from './checkers.ts'
import type { OperationModel } from './document/model.ts'
import type { Checkers } from './engine/access/callers.ts'
import type { Contract } from './engine/contract.ts'
import { createEngine, type EngineHandlers, type EngineOptions } from './engine/engine.ts'
import type { AnyHandler } from './engine/routes/binding.ts'
import { handlersWith } from './handlers/index.ts'
import { withWholeBodies } from './handlers/replacement.ts'
import { redactKeys } from './keys/api-key.ts'
import type { Seal } from './keys/seal.ts'
import type { Resources } from './resources.ts'

/** What is there until the code of a service is complete. Absent: nothing is, and what is not complete does not start. */
export interface StandIns {
  /** answers an operation whose handler is not written */
  handler?: ((operation: OperationModel) => AnyHandler<object>) | undefined
  /** check the security schemes that nobody else checks */
  checkers?: Checkers | undefined
}

/** The project's document, served by its handlers. The caller listens, and closes the resources that it passed in. */
export function buildServer(
  contract: Contract,
  resources: Resources,
  { logger, standIns = {}, ...options }: EngineOptions & { standIns?: StandIns | undefined } = {},
): Promise<FastifyInstance> {
  // Callers may put a key anywhere: no line is written before it has been looked through.
  const redacted = logger ? { ...logger, hooks: { streamWrite: redactKeys } } : false
  const checkers = checkersFor(contract.model, resources.checkers.ApiKey, standIns.checkers)
  const handlers = handlersFor(contract, resources.seal, standIns)
  return createEngine(contract, handlers, { ...resources, checkers }, { ...options, logger: redacted })
}

/** The engine calls each handler with its own operation's input, so the types worn off here still hold. */
type Worn = EngineHandlers<Resources['db'], Parameters<Resources['replies']['claim']>[0]>

/**
 * The handler of each operation.
 * @throws Error that names those that are not written
 */
export function handlersFor(contract: Contract, seal: Seal, { handler }: StandIns = {}): Worn {
  const known = handlersWith(seal) as unknown as Worn
  const unwritten = contract.model.operations.filter(({ id }) => known[id] && 'isNotWritten' in known[id])
  if (unwritten.length > 0 && !handler) {
    const ids = unwritten.map(({ id }) => id).join(', ')
    throw new Error(
      `Handlers are not written yet: ${ids}. Write them in src/handlers; \`npm run dev\` answers from the document until then.`,
    )
  }
  const standing = Object.fromEntries(unwritten.flatMap(one => (handler ? [[one.id, handler(one)]] : [])))
  return { ...withWholeBodies(known, contract.facts), ...standing }
}
