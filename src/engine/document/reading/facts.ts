import type { OperationFacts } from '../contract/contract.ts'
import { codesOf, type Model, type OperationModel, partsOf } from '../model.ts'
import { isObject } from '../pointer.ts'
import type { Place, Reference, Schema } from '../types.ts'
import { exactText } from '../values/exact-keywords.ts'
import { createSchemas } from '../values/schemas.ts'
import { parseExactly } from '../values/whole-numbers.ts'
import { isSecured, schemasWithin, textOf } from './nodes.ts'

/** The facts of every operation by operationId, in the order of the document. */
export function factsOf(model: Model): Map<string, OperationFacts> {
  return new Map(model.operations.map(operation => [operation.id, factsOfOne(model, operation)]))
}

function factsOfOne(model: Model, located: OperationModel): OperationFacts {
  const { operation, url: path, method, parameters, responses } = located
  const statuses = [...responses.keys()]
    .map(Number)
    .filter(status => status > 0)
    .sort((a, b) => a - b)
  const repeatable = parameters.some(
    parameter => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  )
  const successor = textOf(operation, 'x-successor')
  const href = textOf(operation, 'x-successor-url') ?? model.operation(successor ?? '')?.url
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
    defaults: {
      query: defaultsIn(model, located, 'query'),
      header: defaultsIn(model, located, 'header'),
      cookie: defaultsIn(model, located, 'cookie'),
    },
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

function defaultsIn(model: Model, { parameters }: OperationModel, place: Place): Record<string, unknown> {
  const placed = parameters.filter(parameter => parameter.in === place)
  const defaults = placed.map(({ name, schema = {} }) => [name, defaultOf(model, schema)] as const)
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined))
}

/** The default of a schema, with bigints at their places. */
function defaultOf(model: Model, schema: Schema | Reference): unknown {
  const part = partsOf(model, schema).find(candidate => candidate.default !== undefined)
  if (!part || !model.hasBigints) return part?.default
  return createSchemas(model).take(schema, parseExactly(exactText(part, 'default'))).value
}

/** The properties of an object with all that it takes from `allOf`, and those of them that must be there. */
export function propertiesOf(
  model: Model,
  schema: Schema | Reference,
): { properties: Record<string, Schema | Reference>; required: ReadonlySet<string> } {
  const parts = partsOf(model, schema)
  return {
    properties: Object.assign({}, ...parts.map(part => part.properties)),
    required: new Set(parts.flatMap(part => part.required ?? [])),
  }
}

/** The schema of an operation's body. Its media types share one. */
export function bodySchemaOf({ body }: OperationModel): Schema | Reference | undefined {
  return Object.values(body?.content ?? {})[0]?.schema
}

/** The properties of the record at an operation's path of which its `x-effects` say what becomes of them. */
export function spokenOf({ operation, path }: OperationModel): ReadonlySet<string> {
  const record = /\{(\w+)\}[^{]*$/.exec(path)?.[1]
  const effects: unknown = 'x-effects' in operation ? operation['x-effects'] : []
  const described = (Array.isArray(effects) ? effects : []).filter(
    effect => isObject(effect) && isObject(effect.of) && record !== undefined && record in effect.of,
  )
  return new Set(described.flatMap(({ becomes }) => (isObject(becomes) ? Object.keys(becomes) : [])))
}

/**
 * Returns the values that a PUT gives to properties its body leaves out (RFC 9110, section 9.3.4). They are defaults,
 * or null for a removed property. Properties whose value `x-effects` tells are not among them.
 */
function whenLeftOutOf(model: Model, operation: OperationModel): Record<string, unknown> {
  const schema = bodySchemaOf(operation)
  if (operation.method !== 'PUT' || !schema) return {}
  const { properties, required } = propertiesOf(model, schema)
  const spoken = spokenOf(operation)
  const isSent = (property: Schema | Reference) => !partsOf(model, property).some(part => part.readOnly)
  const optional = Object.entries(properties).filter(
    ([name, property]) => !required.has(name) && !spoken.has(name) && isSent(property),
  )
  return Object.fromEntries(optional.map(([name, property]) => [name, defaultOf(model, property) ?? null]))
}
