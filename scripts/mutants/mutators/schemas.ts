import type { OpenApi } from '../../../src/document/types.ts'
import { constraintEdits } from './constraints.ts'
import {
  drop,
  type Edit,
  edit,
  free,
  isNode,
  keysOf,
  type Mutator,
  nextOf,
  nodeAt,
  renameKey,
  set,
} from './edit.ts'
import { type Place, placesIn, resolvedAt } from './places.ts'
import { boundPairs, enumOf, rangeOf, valueBeside } from './values.ts'

const eachSchema = (edits: (document: OpenApi, place: Place) => Iterable<Edit>): Mutator =>
  function* (document) {
    for (const place of placesIn(document, 'schema')) yield* edits(document, place)
  }

/** What values may be: every schema that a request or a response reaches. */
export const schemaMutators: Mutator[] = [
  eachSchema(enums),
  eachSchema(function* (document, place) {
    for (const { idle, ...meant } of constraintEdits(document, place)) if (!idle) yield meant
  }),
  eachSchema(types),
  eachSchema(nulls),
  eachSchema(properties),
  eachSchema(objects),
  eachSchema(defaults),
  eachSchema(compositions),
]

function* enums(_document: OpenApi, { at, node }: Place): Generator<Edit> {
  const values = enumOf(node)
  if (!values) return
  const place = [...at, 'enum']
  if (values.length > 1)
    for (const value of values)
      yield edit(
        'enum value removed',
        place,
        `${value} → (none)`,
        root => {
          const schema = nodeAt(root, at)
          const rest = values.filter(other => other !== value)
          schema.enum = rest
          if (schema.default === value) schema.default = rest[0] // a default is one of the values
        },
        String(value),
      )
  const added = valueBeside(node, values)
  if (added !== undefined)
    yield edit('enum value added', place, `(none) → ${added}`, root => {
      nodeAt(root, at).enum = [...values, added]
    })
}

/** What a type is changed to, and the keywords that then make no sense. */
const otherTypes: Record<string, string> = {
  string: 'integer',
  integer: 'string',
  number: 'string',
  boolean: 'string',
}
const scalarKeywords = [
  ...boundPairs.flatMap(({ lower, upper }) => [lower, upper]),
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'pattern',
  'format',
  'enum',
  'default',
]

function* types(document: OpenApi, { at, node }: Place): Generator<Edit> {
  const { type, items } = node
  const other = otherTypes[String(type)]
  if (other)
    yield edit('type changed', [...at, 'type'], `${type} → ${other}`, root => {
      const schema = nodeAt(root, at)
      for (const keyword of scalarKeywords) delete schema[keyword]
      schema.type = other
    })
  if (!isNode(items) || items.$ref === undefined) return // items that stand here are a place of their own
  const target = resolvedAt(document, [...at, 'items']).node
  const itemType = isNode(target) && target.type === 'string' ? 'integer' : 'string'
  yield set('items type changed', document, [...at, 'items'], { type: itemType })
}

function* nulls(_document: OpenApi, { at, node, owners }: Place): Generator<Edit> {
  const { type, nullable } = node
  const values = enumOf(node)
  const sent = [...owners].some(owner => owner !== 'parameter' && owner !== 'header') // null is no text
  const onlyNull = values?.every(value => value === null) ?? false
  if (type === undefined || !sent || onlyNull) return
  yield edit('nullable flipped', [...at, 'nullable'], `${nullable ?? false} → ${!nullable}`, root => {
    const schema = nodeAt(root, at)
    if (nullable) delete schema.nullable
    else schema.nullable = true
    const others = values?.filter(value => value !== null)
    if (others) schema.enum = nullable ? others : [...others, null]
  })
}

function* properties(document: OpenApi, { at, node }: Place): Generator<Edit> {
  const names = keysOf(node.properties)
  const required = namesIn(node.required)
  for (const name of names) {
    const place = [...at, 'properties', name]
    const due = required.includes(name)
    yield edit(
      due ? 'required property made optional' : 'optional property made required',
      [...at, 'required'],
      due ? `${name} → (none)` : `(none) → ${name}`,
      root => require(nodeAt(root, at), due ? required.filter(other => other !== name) : [...required, name]),
      name,
    )
    yield edit('property removed', place, `${name} → (none)`, root => {
      const schema = nodeAt(root, at)
      delete nodeAt(schema, ['properties'])[name]
      require(schema, required.filter(other => other !== name))
    })
    const renamed = free(`${name}X`, names)
    yield edit('property renamed', place, `${name} → ${renamed}`, root => {
      const schema = nodeAt(root, at)
      renameKey(nodeAt(schema, ['properties']), name, renamed)
      require(schema, required.map(other => (other === name ? renamed : other)))
    })
  }
  if (names.length === 0) return
  const added = free('added', names)
  const place = [...at, 'properties', added]
  const schema = { type: 'string', maxLength: 100, description: 'An addition.' }
  yield set('property added', document, place, schema)
  yield edit('property added as required', place, `(none) → ${added}`, root => {
    nodeAt(root, [...at, 'properties'])[added] = schema
    require(nodeAt(root, at), [...required, added])
  })
}

function* objects(document: OpenApi, { at, node }: Place): Generator<Edit> {
  const { additionalProperties: more, properties: known } = node
  const place = [...at, 'additionalProperties']
  if (more === false) yield set('object opened', document, place, true)
  else if (known !== undefined && !isNode(more)) yield set('object closed', document, place, false)
}

function* defaults(document: OpenApi, { at, node }: Place): Generator<Edit> {
  const { default: value, enum: values } = node
  if (value === undefined) return
  const place = [...at, 'default']
  const other = otherDefault(value, node, Array.isArray(values) ? values : undefined)
  if (other !== undefined) yield set('default changed', document, place, other)
  yield drop('default dropped', document, place)
}

function otherDefault(value: unknown, schema: Place['node'], values?: readonly unknown[]): unknown {
  if (values) return nextOf(values, value)
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return `${value}x`
  if (typeof value !== 'number') return undefined
  const [least, most] = rangeOf(schema, boundPairs[0])
  return [value + 1, value - 1].find(other => other >= least && other <= most)
}

function* compositions(document: OpenApi, { at, node }: Place): Generator<Edit> {
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    const options = node[keyword]
    if (!Array.isArray(options) || options.length < 2) continue
    for (const index of options.keys())
      yield drop(`${keyword} part dropped`, document, [...at, keyword, String(index)])
  }
}

/** Names the properties that an object needs; OpenAPI 3.0 knows no empty list. */
function require(schema: Place['node'], names: readonly string[]): void {
  if (names.length > 0) schema.required = names
  else delete schema.required
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.map(String) : []
}
