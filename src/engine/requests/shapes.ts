import { type Model, partsOf } from '../../document/model.ts'
import type { Reference, Schema } from '../../document/types.ts'
import type { Schemas } from './schemas.ts'
import { isExactNumber } from './strict-json.ts'

type Type = NonNullable<Schema['type']>
export type Node = Schema | Reference

/** How a value is built: of one text, of a list of them, or of texts by name. */
export type Kind = 'scalar' | 'array' | 'object'

/** What a schema says of the form of its values, through `allOf`, `anyOf` and `oneOf`. */
export interface Shape {
  /** empty where it does not say */
  types: ReadonlySet<Type>
  items: Node
  properties: ReadonlyMap<string, Node>
  /** how its values are built, those made of more first */
  kinds: readonly Kind[]
  /** of the names that are not among the properties; undefined when there may be no others */
  others: Node | undefined
  default: unknown
}

const shapes = new WeakMap<Node, Shape>()

export function shapeOf(model: Model, schema: Node): Shape {
  const known = shapes.get(schema) ?? findShape(model, schema)
  shapes.set(schema, known)
  return known
}

function findShape(model: Model, schema: Node): Shape {
  const types = new Set<Type>()
  const properties = new Map<string, Node>()
  const found: { items?: Node; others?: Node; default?: unknown } = {}
  let isClosed = false
  const seen = new Set<object>()
  const visit = (node: Node, isTyped: boolean) => {
    const parts = partsOf(model, node).filter(part => !seen.has(part))
    const own = typesOf(parts)
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
  const isScalar = types.size === 0 || [...types].some(type => type !== 'array' && type !== 'object')
  const kinds: Kind[] = (['object', 'array'] as const).filter(kind => types.has(kind))
  return {
    types,
    items,
    properties,
    kinds: isScalar ? [...kinds, 'scalar'] : kinds,
    others: isClosed ? undefined : others,
    default: found.default,
  }
}

const typesByValue: Record<string, Type> = { string: 'string', number: 'number', boolean: 'boolean' }

/** The types that schemas name, or else those that their other keywords are about. */
function typesOf(parts: readonly Schema[]): Set<Type> {
  const named = new Set(parts.flatMap(({ type }) => type ?? []))
  if (named.size > 0) return named
  const values = parts.flatMap(part => part.enum ?? []).filter(value => value !== null)
  if (values.length > 0)
    return new Set(
      values.map(value => (Array.isArray(value) ? 'array' : (typesByValue[typeof value] ?? 'object'))),
    )
  if (parts.some(part => part.properties || part.additionalProperties)) return new Set(['object'])
  return new Set(parts.some(part => part.items) ? ['array'] : [])
}

/**
 * The value that a text stands for. Of several types the first whose value is valid is taken; a text that stands for no
 * value of the type stays a text, for the schema to refuse.
 */
export function fromText(schemas: Schemas, schema: Node, text: string): unknown {
  const { types } = shapeOf(schemas.model, schema)
  for (const type of ['number', 'integer', 'boolean'] as const) {
    const value = types.has(type) ? readAs(type, text) : text
    if (value !== text && (types.size === 1 || schemas.check(schema, value).length === 0)) return value
  }
  return text
}

/** As a JSON number is written, so that each value has one text (RFC 8259, section 6). */
const written = { integer: /^(0|-?[1-9]\d*)$/, number: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/ }

function readAs(type: 'number' | 'integer' | 'boolean', text: string): unknown {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return written[type].test(text) && isExactNumber(text) ? Number(text) : text
}
