import {
  isSecured,
  type OpenApi,
  type Operation,
  operationsOf,
  type Parameter,
  resolve,
  schemasWithin,
} from './model.ts'

/** What the server must know of an operation, beyond its types. */
export interface OperationFacts {
  method: string
  path: string
  tag: string | null
  secured: boolean
  scope: string | null
  quotaFree: boolean
  stability: string | null
  deprecation: {
    at: string | null
    sunset: string | null
    successor: { operationId: string; href: string } | null
  } | null
  hideTryIt: boolean
  queryDefaults: Record<string, unknown>
  requestTypes: string[]
  bodyRequired: boolean
  /** whether it takes an Idempotency-Key */
  repeatable: boolean
  successStatus: number
  statuses: number[]
  /** whether a success shows a secret: a property of the format `password` */
  secretReply: boolean
}

/** The facts of every operation by operationId, in the order of the document. */
export function factsOf(document: OpenApi): Map<string, OperationFacts> {
  const operations = operationsOf(document)
  const paths = new Map(operations.map(({ path, operation }) => [operation.operationId, path]))
  return new Map(
    operations.map(({ path, method, operation }) => {
      const body = operation.requestBody && resolve(document, operation.requestBody)
      const statuses = Object.keys(operation.responses)
        .filter(status => !status.startsWith('x-'))
        .map(Number)
        .sort((a, b) => a - b)
      const successor = operation['x-successor']
      const href = operation['x-successor-url'] ?? paths.get(successor ?? '')
      const facts: OperationFacts = {
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? null,
        secured: isSecured(document, operation),
        scope: operation['x-required-scope'] ?? null,
        quotaFree: operation['x-quota-free'] ?? false,
        stability: operation['x-stability'] ?? null,
        deprecation: operation.deprecated
          ? {
              at: operation['x-deprecated-at'] ?? null,
              sunset: operation['x-deprecated-sunset'] ?? null,
              successor: successor && href ? { operationId: successor, href } : null,
            }
          : null,
        hideTryIt: operation['x-hideTryItPanel'] ?? false,
        queryDefaults: queryDefaults(document, operation.parameters ?? []),
        requestTypes: Object.keys(body?.content ?? {}),
        bodyRequired: body?.required ?? false,
        repeatable: takesIdempotencyKey(document, operation.parameters ?? []),
        successStatus: statuses.find(status => status >= 200 && status < 300) ?? 0,
        statuses,
        secretReply: showsSecret(document, operation),
      }
      return [operation.operationId, facts]
    }),
  )
}

/** Whether a success of an operation shows a secret: its body has a property of the format `password`. */
export function showsSecret(document: OpenApi, { responses }: Operation): boolean {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.values(resolve(document, response).content ?? {}))
    .some(
      ({ schema }) => schema && [...schemasWithin(document, schema)].some(part => part.format === 'password'),
    )
}

function takesIdempotencyKey(document: OpenApi, parameters: readonly Parameter[]): boolean {
  return parameters
    .map(parameter => resolve(document, parameter))
    .some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key')
}

function queryDefaults(
  document: OpenApi,
  parameters: readonly { name: string; in: string }[],
): Record<string, unknown> {
  const defaults: Record<string, unknown> = {}
  for (const declared of parameters) {
    const parameter: { name: string; in: string; schema?: object } = resolve(document, declared)
    const schema: { default?: unknown } = parameter.schema ? resolve(document, parameter.schema) : {}
    if (parameter.in === 'query' && schema.default !== undefined) defaults[parameter.name] = schema.default
  }
  return defaults
}
