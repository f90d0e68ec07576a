import { isSecured, type Model, type OperationModel, schemasWithin } from '../document/model.ts'
import { codesOf, textOf } from './extensions.ts'
import { whenLeftOutOf } from './requests/replacement.ts'

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
  /** what a replacement makes of the properties that its body leaves out: defaults, and null for what is removed */
  whenLeftOut: Record<string, unknown>
  /** whether it takes an Idempotency-Key */
  repeatable: boolean
  /** those that are declared by their number */
  statuses: number[]
  /** whether its replies may be repeated and show a secret: a property of the format `password` */
  secretReply: boolean
  /** the statuses of its refusals, by their codes */
  codes: Record<string, number>
}

/** The facts of every operation by operationId, in the order of the document. */
export function factsOf(model: Model): Map<string, OperationFacts> {
  return new Map(model.operations.map(operation => [operation.id, factsOfOne(model, operation)]))
}

function factsOfOne(model: Model, located: OperationModel): OperationFacts {
  const { operation, path, method, parameters, responses } = located
  const statuses = [...responses.keys()]
    .map(Number)
    .filter(status => status > 0)
    .sort((a, b) => a - b)
  const repeatable = parameters.some(
    parameter => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  )
  const successor = textOf(operation, 'x-successor')
  const href = textOf(operation, 'x-successor-url') ?? model.operation(successor ?? '')?.path
  return {
    method,
    path,
    tag: operation.tags[0] ?? null,
    secured: isSecured(located),
    scope: textOf(operation, 'x-required-scope') ?? null,
    quotaFree: operation['x-quota-free'] === true,
    stability: textOf(operation, 'x-stability') ?? null,
    deprecation: operation.deprecated
      ? {
          at: textOf(operation, 'x-deprecated-at') ?? null,
          sunset: textOf(operation, 'x-deprecated-sunset') ?? null,
          successor: successor && href ? { operationId: successor, href } : null,
        }
      : null,
    hideTryIt: operation['x-hideTryItPanel'] === true,
    queryDefaults: queryDefaults(model, located),
    whenLeftOut: whenLeftOutOf(model, located),
    repeatable,
    statuses,
    secretReply: repeatable && showsSecret(model, located),
    codes: {
      // Many documents tell of bad input with 422, and know no 400.
      ...(statuses.includes(422) && !statuses.includes(400) && { invalid_request: 422 }),
      ...Object.fromEntries(
        statuses.flatMap(status => {
          const response = responses.get(String(status))
          return response ? codesOf(response).map(code => [code, status]) : []
        }),
      ),
    },
  }
}

/** Whether a success of an operation shows a secret: its body has a property of the format `password`. */
export function showsSecret(model: Model, { responses }: Pick<OperationModel, 'responses'>): boolean {
  return [...responses]
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content))
    .some(
      ({ schema }) => schema && [...schemasWithin(model, schema)].some(part => part.format === 'password'),
    )
}

function queryDefaults({ resolve }: Model, { parameters }: OperationModel): Record<string, unknown> {
  const defaults: Record<string, unknown> = {}
  for (const { in: place, name, schema } of parameters) {
    const value = schema && resolve(schema).default
    if (place === 'query' && value !== undefined) defaults[name] = value
  }
  return defaults
}
