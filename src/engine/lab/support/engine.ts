import type { FastifyInstance } from 'fastify'
import type { Checkers } from 'spec-served/internal/callers/security'
import { createEngine, type EngineOptions } from 'spec-served/internal/engine'
import type { AnyHandler } from 'spec-served/internal/routes/binding'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { openMemoryParts } from 'spec-served-cli/internal/local/memory-parts'
import type { Contract } from 'spec-served-document/contract/contract'
import { modelFrom } from './model.ts'

export type Handlers = Record<string, AnyHandler<object>>

/** Sends the body of the request back. */
export const echo: AnyHandler<object> = async ({ body }) => ({ status: 200, body })

/** Serves a document from memory; the caller closes the app. */
export async function serve(
  source: object,
  handlers: Handlers | ((contract: Contract) => Handlers),
  checkers: Checkers = {},
  options: EngineOptions = {},
): Promise<FastifyInstance> {
  const contract = contractOf('', await modelFrom(source))
  const parts = await openMemoryParts(contract, checkers)
  const operationHandlers = typeof handlers === 'function' ? handlers(contract) : handlers
  const app = await createEngine(contract, operationHandlers, parts, { maxWaitMs: 60_000, ...options })
  app.addHook('onClose', parts.close)
  await app.ready()
  return app
}
