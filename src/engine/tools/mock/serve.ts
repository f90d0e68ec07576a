import type { FastifyInstance } from 'fastify'
import type { Model } from '../../document/model.ts'
import { widestRights } from '../../service/callers/first-key.ts'
import type { Checker, Checkers } from '../../service/callers/security.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { createEngine, type EngineOptions } from '../../service/engine.ts'
import type { StandIns } from '../../service/process/server.ts'
import { contractOf } from '../generate/contract.ts'
import { openMemoryParts } from '../local/memory-parts.ts'
import { mocksOf } from './mock.ts'

/**
 * Serves a document with nothing behind it, through the whole engine: routing, credentials (any is right), validation
 * and docs. Limits are those of the document, if any. Each operation answers as `mocksOf` says.
 * @param text the document as it was written, for those who ask for it
 * @param isOurs whether its `x-rate-limits` are meant as this project does
 */
export async function serveMocks(
  text: string,
  model: Model,
  { isOurs, ...options }: EngineOptions & { isOurs: boolean },
): Promise<FastifyInstance> {
  const known = contractOf(text, model)
  const contract = isOurs ? known : { ...known, rateLimits: undefined }
  const parts = await openMemoryParts(contract, checkersOf(contract))
  const mock = mocksOf(model)
  const handlers = Object.fromEntries(model.operations.map(operation => [operation.id, mock(operation)]))
  const app = await createEngine(contract, handlers, parts, options)
  app.addHook('onClose', () => parts.close())
  return app
}

/** Mocks for the operations whose handlers are not written, and checkers by which every credential is right. */
export function standInsFor(contract: Contract): Required<StandIns> & { checkers: Checkers } {
  const mock = mocksOf(contract.model)
  return { handler: operation => mock(operation), checkers: checkersOf(contract) }
}

/** Checkers by which every credential is right: its holder has each scope, and the plan with the most calls. */
export function checkersOf(contract: Contract): Record<string, Checker> {
  const rights = widestRights(contract)
  const holderOf = (secret: string) => ({ id: secret, ...rights, quotas: null, bannedUntil: null })
  const checker: Checker = { find: credential => holderOf(credential.value) }
  return Object.fromEntries(
    Object.keys(contract.model.document.components?.securitySchemes ?? {}).map(name => [name, checker]),
  )
}
