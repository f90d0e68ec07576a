import { type Model, type OperationModel, partsOf } from '../../document/model.ts'
import { isObject } from '../../document/pointer.ts'
import type { Reference, Schema } from '../../document/types.ts'

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

/** The schema of what an operation is sent; its media types share one. */
export function bodySchemaOf({ body }: OperationModel): Schema | Reference | undefined {
  return Object.values(body?.content ?? {})[0]?.schema
}

/** The properties of the record at an operation's path of which its `x-effects` say what becomes of them. */
export function spokenOf({ operation, path }: OperationModel): ReadonlySet<string> {
  const record = /\{(\w+)\}[^{]*$/.exec(path)?.[1]
  const effects: unknown = 'x-effects' in operation ? operation['x-effects'] : []
  const own = (Array.isArray(effects) ? effects : []).filter(
    effect => isObject(effect) && isObject(effect.of) && record !== undefined && record in effect.of,
  )
  return new Set(own.flatMap(({ becomes }) => (isObject(becomes) ? Object.keys(becomes) : [])))
}

/**
 * What a replacement (PUT, RFC 9110, section 9.3.4) makes of each property that its body may leave out: its default, or
 * null for one that is removed. A property of which `x-effects` says what becomes of it is not among them.
 */
export function whenLeftOutOf(model: Model, operation: OperationModel): Record<string, unknown> {
  const schema = bodySchemaOf(operation)
  if (operation.method !== 'PUT' || !schema) return {}
  const { properties, required } = propertiesOf(model, schema)
  const spoken = spokenOf(operation)
  const optional = Object.entries(properties).filter(([name]) => !required.has(name) && !spoken.has(name))
  return Object.fromEntries(optional.map(([name, one]) => [name, defaultOf(model, one) ?? null]))
}

const defaultOf = (model: Model, schema: Schema | Reference) =>
  partsOf(model, schema).find(part => part.default !== undefined)?.default
