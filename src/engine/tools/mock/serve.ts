import type { FastifyInstance } from 'fastify'
import { widestRights } from 'spec-served/internal/callers/first-key'
import type { Checker, Checkers } from 'spec-served/internal/callers/security'
import { createEngine, type EngineOptions } from 'spec-served/internal/engine'
import { refuseOtherOrigins } from 'spec-served/internal/http/origins'
import type { StandIns } from 'spec-served/internal/process/server'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { beforeQuery } from 'spec-served-document/contract/path-templates'
import { type Model, withoutBigints } from 'spec-served-document/model'
import { contractOf } from '../generate/contract.ts'
import { openMemoryParts } from '../local/memory-parts.ts'
import type { Disturbance } from './disturbance.ts'
import { addErrorForms } from './error-forms.ts'
import type { Keeper } from './keeper.ts'
import { createContents, mocksOf } from './mock.ts'
import { createWebhooks, type WebhookTarget } from './webhooks.ts'

export interface MockOptions extends EngineOptions, Disturbance {
  /** keeps records; without it each reply is the document's example */
  keeper?: Keeper | undefined
  now?: () => Date
  /** absent: nothing is sent */
  webhooks?: WebhookTarget | undefined
}

/** The contract of a mock. @param isOurs whether the document's `x-rate-limits` are meant as this project does */
export function mockContract(text: string, model: Model, isOurs: boolean): Contract {
  const contract = contractOf(text, model)
  return isOurs ? contract : { ...contract, rateLimits: undefined }
}

/**
 * Serves a document with nothing behind it, through the whole engine: routing, credentials (any is right), validation
 * and docs. Limits are those of the document, if any. Each operation answers as `mocksOf` says. Pages of all origins may
 * call it.
 * @param text the document as it was written, for those who ask for it
 */
export async function serveMocks(
  text: string,
  model: Model,
  { isOurs, ...options }: MockOptions & { isOurs: boolean },
): Promise<FastifyInstance> {
  return serveContract(mockContract(text, model, isOurs), options)
}

/** Serves the contract of a mock. */
export async function serveContract(
  contract: Contract,
  { keeper, now, prepare, latencyMs, errorShare, webhooks: target, ...options }: MockOptions = {},
): Promise<FastifyInstance> {
  const { model } = contract
  const parts = await openMemoryParts(contract, keeper?.checkers ?? checkersOf(contract), now, keeper?.ban)
  const contents = createContents(model)
  const mock = mocksOf(model, keeper, contents, { latencyMs, errorShare })
  const webhooks = target && createWebhooks(model, contents.schemas, target)
  const handlers = Object.fromEntries(
    model.operations.map(operation => {
      const handler = mock(operation)
      return [operation.id, webhooks ? webhooks.after(operation, handler) : handler]
    }),
  )
  const app = await createEngine(contract, handlers, parts, {
    corsOrigins: '*',
    ...options,
    prepare(instance) {
      prepare?.(instance)
      addErrorForms(instance, model, contents)
      const isReset = keeper && !model.operations.some(({ url }) => url === resetPath)
      refusePages(instance, [docsAddresses(model).mcp, ...(isReset ? [resetPath] : [])])
      if (isReset)
        addReset(instance, () => {
          keeper.reset()
          parts.forgetReplies()
        })
    },
  })
  app.addHook('onClose', async () => {
    await webhooks?.close()
    await parts.close()
  })
  return app
}

/** The path at which a mock forgets what it has been sent; a document that has it keeps it. */
const resetPath = '/__reset'

/** Refuses POSTs of pages at paths that no page needs, unless CORS_ORIGINS names their origin: any page may call the operations. */
function refusePages(app: FastifyInstance, paths: readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'POST' || !paths.includes(beforeQuery(request.url))) return done()
    try {
      refuseOtherOrigins(request, reply, undefined, false)
      done()
    } catch (error) {
      done(error as Error) // it throws Errors
    }
  })
}

/** Lets a POST bring the start back. It needs no credential, costs no quota and reads no body. */
function addReset(app: FastifyInstance, reset: () => void): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (beforeQuery(request.url) !== resetPath || request.method === 'OPTIONS') return done()
    if (request.method === 'POST') reset()
    reply
      .header('Allow', 'POST')
      .code(request.method === 'POST' ? 204 : 405)
      .send()
  })
}

/** Mocks for the operations whose handlers are not written, and checkers by which every credential is right. */
export function standInsFor(contract: Contract): Required<StandIns> & { checkers: Checkers } {
  const mock = mocksOf(withoutBigints(contract.model))
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
