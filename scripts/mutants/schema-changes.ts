import type { OpenApi } from '../../src/document/types.ts'
import { type Change, change, keysOf, type Node, nextOf, type Place, resolvedAt } from './change.ts'

/** What values may be: every schema that a request or a response reaches. */
export function* schemaChanges(document: OpenApi, place: Place): Generator<Change> {
  yield* enumChanges(place)
  yield* boundChanges(document, place)
  yield* textChanges(place)
  yield* typeChanges(document, place)
  yield* propertyChanges(place)
  yield* defaultChanges(place)
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    const parts = place.node[keyword]
    if (Array.isArray(parts) && parts.length > 1)
      for (const index of parts.keys())
        yield change(
          `${keyword} part dropped`,
          [...place.at, keyword],
          parts.toSpliced(index, 1),
          String(index),
        )
  }
}

/** The values that a schema lists, but for null; undefined where it lists none. */
const listedIn = ({ enum: values }: Node): unknown[] | undefined =>
  Array.isArray(values) ? values.filter(value => value !== null) : undefined

const leastOf = ({ minimum }: Node) => Number(minimum ?? Number.MIN_SAFE_INTEGER)
const mostOf = ({ maximum }: Node) => Number(maximum ?? Number.MAX_SAFE_INTEGER)

function* enumChanges({ at, node }: Place): Generator<Change> {
  const values = node.enum
  if (!Array.isArray(values)) return
  const place = [...at, 'enum']
  for (const value of values.length > 1 ? values : []) {
    const rest = values.filter(other => other !== value)
    // A default is one of the values.
    const follows = node.default === value ? [[[...at, 'default'], rest[0]] as const] : []
    yield change('enum value removed', place, rest, String(value), ...follows)
  }
  const isNumber = node.type === 'integer' || node.type === 'number'
  const added = isNumber
    ? values
        .flatMap(value => [value + 1, value - 1])
        .find(value => !values.includes(value) && value >= leastOf(node) && value <= mostOf(node))
    : 'another'
  if (added !== undefined && (isNumber || node.type === 'string'))
    yield change('enum value added', place, [...values, added])
}

const bounds = [
  ['minimum', 'maximum', Number.MIN_SAFE_INTEGER],
  ['minLength', 'maxLength', 0],
  ['minItems', 'maxItems', 0],
  ['minProperties', 'maxProperties', 0],
] as const

/** Bounds that decide nothing stay: the values are listed, or the pattern, or the items, say more. */
function* boundChanges(document: OpenApi, { at, node }: Place): Generator<Change> {
  if (node.type === 'array') {
    yield change('uniqueItems flipped', [...at, 'uniqueItems'], !node.uniqueItems)
    if (node.uniqueItems && listedIn(resolvedAt(document, [...at, 'items']).node)) return
  }
  for (const [lower, upper, floor] of bounds) {
    const [least, most] = [Number(node[lower] ?? floor), Number(node[upper] ?? Number.MAX_SAFE_INTEGER)]
    for (const [keyword, value, inward] of [
      [lower, least, 1],
      [upper, most, -1],
    ] as const) {
      if (node[keyword] === undefined) continue
      if (least < most) yield change('bound tightened', [...at, keyword], value + inward)
      const isIdle = keyword === 'minLength' && (value === 0 || (value === 1 && refusesNothing(node)))
      if (listedIn(node) || isIdle) continue
      if (value - inward >= floor && value - inward <= Number.MAX_SAFE_INTEGER)
        yield change('bound loosened', [...at, keyword], value - inward)
      yield change('bound dropped', [...at, keyword], undefined)
    }
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'])
    if (node[keyword] !== undefined)
      yield change('bound exclusiveness flipped', [...at, keyword], !node[keyword])
}

const refusesNothing = ({ pattern }: Node) =>
  typeof pattern === 'string' && !new RegExp(pattern, 'u').test('')

const otherFormats: Record<string, string> = {
  date: 'date-time',
  'uri-reference': 'email',
  uri: 'email',
  email: 'uri',
}

function* textChanges({ at, node }: Place): Generator<Change> {
  const { pattern, format, type } = node
  if (listedIn(node)) return // which says all
  if (typeof pattern === 'string') {
    yield change('pattern changed', [...at, 'pattern'], pattern === '^[xyz]' ? '^[uvw]' : '^[xyz]')
    yield change('pattern dropped', [...at, 'pattern'], undefined)
  }
  if (typeof format === 'string' && type === 'string') {
    yield change('format changed', [...at, 'format'], otherFormats[format] ?? 'date')
    yield change('format dropped', [...at, 'format'], undefined)
  }
}

/** The keywords that make no sense with another type. */
const scalarKeywords = [
  ...bounds.flatMap(([lower, upper, _]) => [String(lower), upper]),
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern', 'format', 'enum', 'default'],
]

function* typeChanges(document: OpenApi, { at, node, owners }: Place): Generator<Change> {
  const { type, items, nullable } = node
  if (['string', 'integer', 'number', 'boolean'].includes(String(type)))
    yield change(
      'type changed',
      [...at, 'type'],
      type === 'string' ? 'integer' : 'string',
      '',
      ...scalarKeywords.map(keyword => [[...at, keyword], undefined] as const),
    )
  if (typeof items === 'object' && items !== null && '$ref' in items) {
    // Items that stand here are a place of their own.
    const item = resolvedAt(document, [...at, 'items']).node
    yield change('items type changed', [...at, 'items'], {
      type: item.type === 'string' ? 'integer' : 'string',
    })
  }
  const isSent = [...owners].some(owner => owner !== 'parameter' && owner !== 'header') // null is no text
  const listed = listedIn(node)
  if (type === undefined || !isSent || listed?.length === 0) return
  yield change('nullable flipped', [...at, 'nullable'], nullable ? undefined : true, '', [
    [...at, 'enum'],
    listed && !nullable ? [...listed, null] : listed,
  ])
}

function* propertyChanges({ at, node }: Place): Generator<Change> {
  const names = keysOf(node.properties)
  const required = Array.isArray(node.required) ? node.required.map(String) : []
  /** OpenAPI 3.0 knows no empty list. */
  const needs = (some: string[]) => [[...at, 'required'], some.length > 0 ? some : undefined] as const
  const properties = Object(node.properties)
  const place = [...at, 'properties']
  for (const name of names) {
    const others = required.filter(other => other !== name)
    yield required.includes(name)
      ? change('required property made optional', ...needs(others), name)
      : change('optional property made required', ...needs([...required, name]), name)
    yield change('property removed', [...place, name], undefined, '', needs(others))
    const isNeeded = others.length < required.length
    yield change(
      'property renamed',
      [...place, name],
      undefined,
      '',
      [[...place, `${name}X`], properties[name]],
      needs(isNeeded ? [...others, `${name}X`] : required),
    )
  }
  const added = { type: 'string', maxLength: 100, description: 'An addition.' }
  if (names.length > 0) {
    yield change('property added', [...place, 'added'], added)
    yield change('property added as required', [...place, 'added'], added, '', needs([...required, 'added']))
  }
  const more = [...at, 'additionalProperties']
  if (node.additionalProperties === false) yield change('object opened', more, true)
  else if (names.length > 0 && typeof node.additionalProperties !== 'object')
    yield change('object closed', more, false)
}

function* defaultChanges({ at, node }: Place): Generator<Change> {
  const value = node.default
  if (value === undefined) return
  const other = Array.isArray(node.enum)
    ? nextOf(node.enum, value)
    : typeof value === 'number'
      ? [value + 1, value - 1].find(one => one >= leastOf(node) && one <= mostOf(node))
      : typeof value === 'boolean'
        ? !value
        : `${value}x`
  if (other !== undefined) yield change('default changed', [...at, 'default'], other)
  yield change('default dropped', [...at, 'default'], undefined)
}
