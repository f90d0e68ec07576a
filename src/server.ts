import type { FastifyInstance } from 'fastify'
import type { Contract } from './engine/contract.ts'
import { createEngine, type EngineHandlers, type EngineOptions } from './engine/engine.ts'
import { handlersWith } from './handlers/index.ts'
import { withWholeBodies } from './handlers/replacement.ts'
import { redactKeys } from './keys/api-key.ts'
import type { Resources } from './resources.ts'

/** The pet store: its document, served by its handlers. The caller listens, and closes the resources that it passed in. */
export function buildServer(
  contract: Contract,
  resources: Resources,
  { logger, ...options }: EngineOptions = {},
): Promise<FastifyInstance> {
  // Callers may put a key anywhere: no line is written before it has been looked through.
  const redacted = logger ? { ...logger, hooks: { streamWrite: redactKeys } } : false
  // The engine calls each handler with its own operation's input, so the types worn off here still hold.
  const known = handlersWith(resources.seal) as unknown as EngineHandlers<
    Resources['db'],
    Parameters<typeof resources.replies.claim>[0]
  >
  const whole = withWholeBodies(known, contract.facts)
  return createEngine(contract, whole, resources, { ...options, logger: redacted })
}
