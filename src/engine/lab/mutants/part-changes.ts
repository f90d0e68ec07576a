import type { Kind } from 'spec-served-document/reading/grammar'
import { type Change, change, gone, keysOf, type Node, nextOf, renamed, without } from './change.ts'

/** Returns the node under a key, with a reference followed. */
type Below = (key: string) => Node

export function* parameterChanges(node: Node, below: Below): Generator<Change> {
  const { name, in: location } = node
  if (location === 'path') return
  const other = location === 'header' ? `${name}-X` : `${name}X`
  const inUrl = (url: string) => url.replace(`?${name}=`, `?${other}=`).replace(`&${name}=`, `&${other}=`)
  yield change('parameter renamed', { name: other }, '', text =>
    location === 'query' ? text.replace(/"x-successor-url":"[^"]*"/g, inUrl) : text,
  )
  yield change('parameter required flipped', { required: !node.required })
  yield change('parameter location changed', {
    in: location === 'query' ? 'header' : 'query',
    ...gone(['style', 'explode', 'allowReserved', 'allowEmptyValue']),
  })
  if (location === 'query' && below('schema').type === 'array')
    yield change('parameter explode flipped', { explode: node.explode === false })
}

/** Yields changes of bodies and header fields. */
export function* contentChanges(node: Node, side: 'request' | 'response'): Generator<Change> {
  const { content, headers } = node
  if (side === 'request') yield change('request body required flipped', { required: !node.required })
  else {
    if (content) yield change('response body removed', { content: undefined })
    for (const name of keysOf(headers))
      yield change('response header dropped', { headers: without(headers, name) }, name)
    const added = { description: 'An addition.', schema: { type: 'string' } }
    yield change('response header added', { headers: { ...Object(headers), 'X-Added': added } })
  }
  const types = keysOf(content)
  for (const type of types) {
    yield change(
      `${side} media type renamed`,
      { content: renamed(content, type, 'application/x-other+json') },
      type,
    )
    if (types.length > 1)
      yield change(`${side} media type removed`, { content: without(content, type) }, type)
  }
}

/** Yields changes of values, by every schema that a request or a response reaches. */
export function* schemaChanges(node: Node, owners: ReadonlySet<Kind>, below: Below): Generator<Change> {
  yield* enumChanges(node)
  yield* boundChanges(node, below)
  yield* typeChanges(node, owners, below)
  yield* propertyChanges(node)
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    const parts = node[keyword]
    for (const index of Array.isArray(parts) && parts.length > 1 ? parts.keys() : [])
      yield change(`${keyword} part dropped`, { [keyword]: Object(parts).toSpliced(index, 1) }, String(index))
  }
}

/** The values that a schema lists, but for null; undefined where it lists none. */
const listedIn = ({ enum: values }: Node): unknown[] | undefined =>
  Array.isArray(values) ? values.filter(value => value !== null) : undefined

/** The number next to one that a schema's bounds allow. */
const besides = (value: number, { minimum, maximum }: Node) =>
  [value + 1, value - 1].filter(
    candidate =>
      candidate >= Number(minimum ?? Number.MIN_SAFE_INTEGER) &&
      candidate <= Number(maximum ?? Number.MAX_SAFE_INTEGER),
  )

function* enumChanges(node: Node): Generator<Change> {
  const { default: usual, enum: values } = node
  if (Array.isArray(values)) {
    for (const value of values.length > 1 ? values : []) {
      const rest = values.filter(candidate => candidate !== value)
      // A default is one of the values.
      yield change(
        'enum value removed',
        { enum: rest, ...(usual === value && { default: rest[0] }) },
        String(value),
      )
    }
    const isNumber = node.type === 'integer' || node.type === 'number'
    const free = values
      .flatMap(value => (isNumber ? besides(value, node) : []))
      .filter(candidate => !values.includes(candidate))
    const [added] = node.type === 'string' ? ['another'] : free
    if (added !== undefined) yield change('enum value added', { enum: [...values, added] })
  }
  if (usual === undefined) return
  const others: Record<string, () => unknown> = {
    number: () => besides(Number(usual), node)[0],
    boolean: () => !usual,
    string: () => `${usual}x`,
  }
  const other = Array.isArray(values) ? nextOf(values, usual) : others[typeof usual]?.()
  if (other !== undefined) yield change('default changed', { default: other })
  yield change('default dropped', { default: undefined })
}

const bounds = [
  ['minimum', 'maximum', Number.MIN_SAFE_INTEGER],
  ['minLength', 'maxLength', 0],
  ['minItems', 'maxItems', 0],
  ['minProperties', 'maxProperties', 0],
] as const

/** Bounds that decide nothing stay: the values are listed, or the pattern, or the items, say more. */
function* boundChanges(node: Node, below: Below): Generator<Change> {
  if (node.type === 'array') {
    yield change('uniqueItems flipped', { uniqueItems: !node.uniqueItems })
    if (node.uniqueItems && listedIn(below('items'))) return
  }
  for (const [lower, upper, floor] of bounds) {
    const [least, most] = [Number(node[lower] ?? floor), Number(node[upper] ?? Number.MAX_SAFE_INTEGER)]
    for (const [keyword, value, inward] of [
      [lower, least, 1],
      [upper, most, -1],
    ] as const) {
      if (node[keyword] === undefined) continue
      if (least < most) yield change('bound tightened', { [keyword]: value + inward })
      const isIdle = keyword === 'minLength' && (value === 0 || (value === 1 && refusesNothing(node)))
      if (listedIn(node) || isIdle) continue
      if (value - inward >= floor && value - inward <= Number.MAX_SAFE_INTEGER)
        yield change('bound loosened', { [keyword]: value - inward })
      yield change('bound dropped', { [keyword]: undefined })
    }
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'])
    if (node[keyword] !== undefined)
      yield change('bound exclusiveness flipped', { [keyword]: !node[keyword] })
}

const refusesNothing = ({ pattern }: Node) =>
  typeof pattern === 'string' && !new RegExp(pattern, 'u').test('')

const otherFormats: Record<string, string> = {
  date: 'date-time',
  'uri-reference': 'email',
  uri: 'email',
  email: 'uri',
}

/** The keywords that make no sense with another type. */
const scalarKeywords = [
  ...bounds.flatMap(([lower, upper, _]) => [String(lower), upper]),
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern', 'format', 'enum', 'default'],
]

function* typeChanges(node: Node, owners: ReadonlySet<Kind>, below: Below): Generator<Change> {
  const { type, items, nullable, pattern, format } = node
  const listed = listedIn(node)
  const otherThan = (name: unknown) => (name === 'string' ? 'integer' : 'string')
  if (!listed && typeof pattern === 'string') {
    yield change('pattern changed', { pattern: pattern === '^[xyz]' ? '^[uvw]' : '^[xyz]' })
    yield change('pattern dropped', { pattern: undefined })
  }
  if (!listed && typeof format === 'string' && type === 'string') {
    yield change('format changed', { format: otherFormats[format] ?? 'date' })
    yield change('format dropped', { format: undefined })
  }
  if (['string', 'integer', 'number', 'boolean'].includes(String(type)))
    yield change('type changed', { type: otherThan(type), ...gone(scalarKeywords) })
  // Items that stand here are a place of their own.
  if ('$ref' in Object(items))
    yield change('items type changed', { items: { type: otherThan(below('items').type) } })
  const isSent = [...owners].some(owner => owner !== 'parameter' && owner !== 'header') // null is no text
  if (type === undefined || !isSent || listed?.length === 0) return
  yield change('nullable flipped', {
    nullable: nullable ? undefined : true,
    enum: listed && !nullable ? [...listed, null] : listed,
  })
}

function* propertyChanges({ properties, required = [], additionalProperties }: Node): Generator<Change> {
  const names = keysOf(properties)
  /** OpenAPI 3.0 knows no empty list. */
  const needs = (some: string[]) => ({ required: some.length > 0 ? some : undefined })
  const needed = [required].flat().map(String)
  for (const name of names) {
    const others = needed.filter(other => other !== name)
    const isNeeded = others.length < needed.length
    yield isNeeded
      ? change('required property made optional', needs(others), name)
      : change('optional property made required', needs([...needed, name]), name)
    yield change('property removed', { properties: without(properties, name), ...needs(others) }, name)
    const others_ = renamed(properties, name, `${name}X`)
    yield change(
      'property renamed',
      { properties: others_, ...needs(isNeeded ? [...others, `${name}X`] : needed) },
      name,
    )
  }
  const added = {
    ...Object(properties),
    added: { type: 'string', maxLength: 100, description: 'An addition.' },
  }
  if (names.length > 0) {
    yield change('property added', { properties: added })
    yield change('property added as required', { properties: added, ...needs([...needed, 'added']) })
  }
  if (additionalProperties === false) yield change('object opened', { additionalProperties: true })
  else if (names.length > 0 && typeof additionalProperties !== 'object')
    yield change('object closed', { additionalProperties: false })
}
