import type { FastifyInstance } from 'fastify'
import type { Service } from 'spec-served'
import type { Database } from 'spec-served/internal/database/tables'
import { createEngine } from 'spec-served/internal/engine'
import { openResources } from 'spec-served/internal/process/resources'
import { handlersFor } from 'spec-served/internal/process/server'
import { createErrorForms } from 'spec-served/internal/replies/error-forms'
import { createReplyChecker } from 'spec-served/internal/validation/replies'
import type { Contract } from 'spec-served-document/contract/contract'
import type { RateLimits } from 'spec-served-document/contract/extensions'
import { type OperationModel, responseFor, withoutBigints } from 'spec-served-document/model'
import { createSchemas } from 'spec-served-document/values/schemas'
import { causeOf } from '../local/log-cause.ts'
import { type Call, invalidCalls, validCalls } from '../samples/calls.ts'
import { standInsFor } from './serve.ts'

/** The findings of calls to a service. */
export interface Called {
  /** a line for each, the same one once */
  faults: string[]
  /** statuses that operations answer with and do not declare, with the operations */
  undeclared: ReadonlyMap<number, ReadonlySet<string>>
  /** errors that the service can't write as the document has them, and what to do */
  unfit: readonly string[]
  requests: number
}

/** The statuses that may refuse an invalid request, whatever the document says of it. */
const refusals = new Set([400, 413, 415, 422])

/**
 * Calls operations of any document as it allows and as it does not, each a few times, on an empty database. Every
 * credential is right, and nobody comes to a limit.
 * @param operations those whose handlers are written
 */
export async function checkCalls(
  service: Service,
  contract: Contract,
  database: Database,
  operations: readonly OperationModel[],
): Promise<Called> {
  const log: string[] = []
  const { app, close } = await serve(service, contract, database, line => log.push(causeOf(line)))
  const model = withoutBigints(contract.model)
  const check = createReplyChecker(model)
  const schemas = createSchemas(model)
  const unfit = createErrorForms(model, () => new Date()).unfit()
  const faults = new Set<string>()
  const undeclared = new Map<number, Set<string>>()
  let requests = 0

  /** @param isRefusal whether it is the engine that answers */
  async function call(
    operation: OperationModel,
    { about, method, url, headers, payload }: Call,
    isRefusal = false,
  ) {
    requests += 1
    log.length = 0
    const response = await app.inject({
      method: method as 'GET', // whatever the document has
      url,
      headers,
      ...(payload && { payload }),
    })
    const { statusCode: status, body } = response
    const fault = (text: string) => {
      const shown = body.length > 300 ? `${body.slice(0, 300)}…` : body
      faults.add(`${operation.id}: ${text} (${about})\n    ${method} ${url} → ${status} ${shown}`)
    }
    if (log.length > 0) fault(`the log says: ${log.join('; ')}`)
    else if (!responseFor(operation, status)) {
      if (status < 400) fault(`it does not declare the status ${status}`)
      else undeclared.set(status, (undeclared.get(status) ?? new Set()).add(operation.id))
    } else if (method !== 'HEAD') {
      const isJson = /[/+]json\b/.test(String(response.headers['content-type']))
      const value: unknown = body === '' ? undefined : isJson ? JSON.parse(body) : body
      const reply = { status, headers: response.headers, body: value }
      const isTold = isRefusal && unfit.some(({ operations: refusing }) => refusing.includes(operation.id))
      // A response that says nothing of a body does not keep a refusal from having one.
      for (const text of check(operation.id, reply))
        if (!isTold && !(isRefusal && text.includes('declares no body'))) fault(text)
    }
    return { status, fault }
  }

  try {
    for (const operation of operations) {
      for (const validCall of await validCalls(schemas, operation)) await call(operation, validCall)
      for (const invalidCall of await invalidCalls(schemas, operation)) {
        const { status, fault } = await call(operation, invalidCall, true)
        if (!refusals.has(status)) fault(`an invalid request was answered ${status}`)
      }
      const [valid] = await validCalls(schemas, operation)
      if (!valid || !contract.facts.get(operation.id)?.secured) continue
      const anonymous = { ...valid, ...withoutCredentials(contract, valid), about: 'no credential' }
      const { status, fault } = await call(operation, anonymous, true)
      if (status !== 401) fault(`a request without a credential was answered ${status}`)
    }
  } finally {
    await close()
  }
  return { faults: [...faults], undeclared, unfit: unfit.map(({ text }) => text), requests }
}

async function serve(
  service: Service,
  contract: Contract,
  database: Database,
  printLine: (line: string) => void,
): Promise<{ app: FastifyInstance; close(): Promise<void> }> {
  const free = { ...contract, rateLimits: contract.rateLimits && ample(contract.rateLimits) }
  const resources = await openResources(free, database, { name: service.name })
  const standIns = standInsFor(contract)
  const parts = { ...resources, checkers: standIns.checkers }
  const app = await createEngine(free, handlersFor(service, contract, standIns), parts, {
    maxWaitMs: 60_000, // what is checked is the document, not the speed of this machine
    logger: { level: 'error', stream: { write: printLine } },
  })
  return {
    app,
    async close() {
      await app.close()
      await resources.close()
    },
  }
}

/** The same windows and plans, each with more calls than anybody makes. */
function ample({ plans, windows, ...rateLimits }: RateLimits): RateLimits {
  const quotas = Object.fromEntries(windows.map(({ name }) => [name, 1_000_000_000]))
  return {
    ...rateLimits,
    windows,
    plans: Object.fromEntries(Object.keys(plans).map(name => [name, quotas])),
  }
}

function withoutCredentials({ model }: Contract, { headers, url }: Call): Pick<Call, 'headers' | 'url'> {
  const schemes = Object.values(model.document.components?.securitySchemes ?? {}).map(securityScheme =>
    model.resolve(securityScheme),
  )
  const named = (place: string) => schemes.filter(scheme => scheme.in === place).map(({ name = '' }) => name)
  const secret = new Set(['authorization', 'cookie', ...named('header').map(name => name.toLowerCase())])
  const shownHeaders = Object.entries(headers).filter(([name]) => !secret.has(name.toLowerCase()))
  const [path, query = ''] = url.split('?')
  const parameters = new URLSearchParams(query)
  for (const name of named('query')) parameters.delete(name)
  return { headers: Object.fromEntries(shownHeaders), url: query ? `${path}?${parameters}` : url }
}
