import { type Model, partsOf } from '../../document/model.ts'
import type { Reference, Schema } from '../../document/types.ts'
import { isExactNumber } from './exact-number.ts'
import type { Schemas } from './schemas.ts'

type Type = NonNullable<Schema['type']>
export type Node = Schema | Reference

/** What a schema says of the form of its values, through `allOf`, `anyOf` and `oneOf`. */
export interface Shape {
  /** empty where it does not say */
  types: ReadonlySet<Type>
  /** the one type that there is; undefined where there are more, or none */
  only: Type | undefined
  items: Node
  properties: ReadonlyMap<string, Node>
  /** how its values are built, those made of more first */
  kinds: readonly Kind[]
  /** of the names that are not among the properties; undefined when there may be no others */
  others: Node | undefined
  default: unknown
}

const typesByValue: Record<string, Type> = { string: 'string', number: 'number', boolean: 'boolean' }

export function shapeOf(model: Model, schema: Node): Shape {
  const types = new Set<Type>()
  const properties = new Map<string, Node>()
  const found: { items?: Node; others?: Node; default?: unknown } = {}
  let isClosed = false
  const seen = new Set<object>()
  const visit = (node: Node, isTyped: boolean) => {
    const parts = partsOf(model, node).filter(part => !seen.has(part))
    const own = new Set(parts.flatMap(({ type }) => type ?? []))
    if (own.size === 0)
      for (const value of parts.flatMap(part => part.enum ?? [])) {
        const type = Array.isArray(value) ? 'array' : (typesByValue[typeof value] ?? 'object')
        if (value !== null) own.add(type)
      }
    if (own.size === 0 && parts.some(part => part.properties || part.additionalProperties)) own.add('object')
    if (own.size === 0 && parts.some(part => part.items)) own.add('array')
    if (!isTyped) for (const type of own) types.add(type)
    for (const part of parts) {
      seen.add(part)
      for (const [name, property] of Object.entries(part.properties ?? {}))
        if (!properties.has(name)) properties.set(name, property)
      if (part.items) found.items ??= part.items
      if (part.default !== undefined) found.default ??= part.default
      if (part.additionalProperties === false) isClosed = true
      else if (typeof part.additionalProperties === 'object') found.others ??= part.additionalProperties
      for (const branch of [...(part.anyOf ?? []), ...(part.oneOf ?? [])])
        visit(branch, isTyped || own.size > 0)
    }
  }
  visit(schema, false)
  const { items = {}, others = {} } = found
  const [first, ...further] = types
  return {
    types,
    only: further.length === 0 ? first : undefined,
    items,
    properties,
    kinds: kindsOf(types),
    others: isClosed ? undefined : others,
    default: found.default,
  }
}

/** How a parameter's value is built: of one text, of a list of them, or of texts by name. */
export type Kind = 'scalar' | 'array' | 'object'

function kindsOf(types: Shape['types']): Kind[] {
  const isScalar = types.size === 0 || [...types].some(type => type !== 'array' && type !== 'object')
  return [
    ...(types.has('object') ? (['object'] as const) : []),
    ...(types.has('array') ? (['array'] as const) : []),
    ...(isScalar ? (['scalar'] as const) : []),
  ]
}

/** As a JSON number is written, so that each value has one text (RFC 8259, section 6). */
const integer = /^(0|-?[1-9]\d*)$/
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What texts mean under the schemas of a document. */
export interface Texts {
  readonly schemas: Schemas
  shapeOf(schema: Node): Shape
  /**
   * The value that a text stands for. Of several types the first whose value is valid is taken; a text that stands for no
   * value of the type stays a text, for the schema to refuse.
   */
  valueOf(schema: Node, text: string): unknown
}

export function createTexts(schemas: Schemas): Texts {
  const shapes = new WeakMap<object, Shape>()
  const remembered = (schema: Node): Shape => {
    const known = shapes.get(schema)
    if (known) return known
    const shape = shapeOf(schemas.model, schema)
    shapes.set(schema, shape)
    return shape
  }
  return {
    schemas,
    shapeOf: remembered,
    valueOf(schema, text) {
      const { types, only } = remembered(schema)
      if (only !== undefined) return readAs(only, text)
      for (const type of ['number', 'integer', 'boolean'] as const) {
        const value = types.has(type) ? readAs(type, text) : text
        if (value !== text && schemas.check(schema, value).length === 0) return value
      }
      return text
    },
  }
}

function readAs(type: Type, text: string): unknown {
  if (type === 'integer') return integer.test(text) && isExactNumber(text) ? Number(text) : text
  if (type === 'number') return number.test(text) && isExactNumber(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}
