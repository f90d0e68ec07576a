import type { FastifyInstance } from 'fastify'
import type { Checkers } from '../../service/callers/security.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { createEngine, type EngineOptions } from '../../service/engine.ts'
import type { AnyHandler } from '../../service/routes/binding.ts'
import { contractOf } from '../../tools/generate/contract.ts'
import { openMemoryParts } from '../../tools/local/memory-parts.ts'
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
  const own = typeof handlers === 'function' ? handlers(contract) : handlers
  const app = await createEngine(contract, own, parts, { maxWaitMs: 60_000, ...options })
  app.addHook('onClose', parts.close)
  await app.ready()
  return app
}
