import { decodeOr } from '../contract/path-templates.ts'
import { isExactNumber } from '../decimals.ts'
import type { Field, Pair, Source } from '../formats/fields.ts'
import { type Model, partsOf, typesIn, valuesIn } from '../model.ts'
import type { Reference, Schema, SchemaType } from '../types.ts'
import type { Schemas } from './schemas.ts'
import { isInt64, wholeIn } from './whole-numbers.ts'

export type Node = Schema | Reference

/** The structure of a value: one text, a list of texts, or texts by name. */
export type Kind = 'scalar' | 'array' | 'object'

/** The structure that a schema gives its values, through `allOf`, `anyOf` and `oneOf`. */
export interface Shape {
  /** empty if the schema names none */
  types: ReadonlySet<SchemaType>
  items: Node
  properties: ReadonlyMap<string, Node>
  /** the structures of its values, the most complex first */
  kinds: readonly Kind[]
  /** the schema of names that are not among the properties; undefined: there may be none */
  others: Node | undefined
  /** whether some of its values are whole numbers of 64 bits */
  isInt64: boolean
}

/** Results by node. Each node belongs to one document. */
const shapes = new WeakMap<Node, Shape>()

export function shapeOf(model: Model, schema: Node): Shape {
  const cached = shapes.get(schema) ?? findShape(model, schema)
  shapes.set(schema, cached)
  return cached
}

function findShape(model: Model, schema: Node): Shape {
  const types = new Set<SchemaType>()
  const properties = new Map<string, Node>()
  const found: { items?: Node; others?: Node } = {}
  let isClosed = false
  let hasInt64 = false
  const seen = new Set<object>()
  const visit = (node: Node, isTyped: boolean) => {
    const parts = partsOf(model, node).filter(part => !seen.has(part))
    const typeNames = typesOf(parts)
    if (!isTyped) for (const type of typeNames) types.add(type)
    for (const part of parts) {
      seen.add(part)
      for (const [name, property] of Object.entries(part.properties ?? {}))
        if (!properties.has(name)) properties.set(name, property)
      if (part.items) found.items ??= part.items
      if (isInt64(part)) hasInt64 = true
      if (part.additionalProperties === false) isClosed = true
      else if (typeof part.additionalProperties === 'object') found.others ??= part.additionalProperties
      for (const branch of [...(part.anyOf ?? []), ...(part.oneOf ?? [])])
        visit(branch, isTyped || typeNames.size > 0)
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
    isInt64: hasInt64,
  }
}

const typesByValue: Record<string, SchemaType> = { string: 'string', number: 'number', boolean: 'boolean' }

/** The types that schemas name, or else the types to which their other keywords apply. */
function typesOf(parts: readonly Schema[]): Set<SchemaType> {
  const named = new Set(parts.flatMap(typesIn))
  if (named.size > 0) return named
  const values = parts.flatMap(part => valuesIn(part) ?? []).filter(value => value !== null)
  if (values.length > 0)
    return new Set(
      values.map(value => (Array.isArray(value) ? 'array' : (typesByValue[typeof value] ?? 'object'))),
    )
  if (parts.some(part => part.properties || part.additionalProperties)) return new Set(['object'])
  return new Set(parts.some(part => part.items) ? ['array'] : [])
}

/** Converts a text to the first type for which it is valid. Otherwise the schema refuses the text itself. */
export function fromText(schemas: Schemas, schema: Node, text: string): unknown {
  const { types, isInt64: hasInt64 } = shapeOf(schemas.model, schema)
  const isExact = hasInt64 && schemas.model.hasBigints === true
  for (const type of ['number', 'integer', 'boolean'] as const) {
    const value = types.has(type) ? readAs(type, text, isExact) : text
    if (value !== text && (types.size === 1 || schemas.check(schema, value).length === 0)) return value
  }
  return text
}

/** The forms of numbers in JSON, so that each value has one text (RFC 8259, section 6). */
const written = { integer: /^(0|-?[1-9]\d*)$/, number: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/ }

function readAs(type: 'number' | 'integer' | 'boolean', text: string, isExact: boolean): unknown {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (!written[type].test(text)) return text
  const long = isExact && !Number.isSafeInteger(Number(text)) ? wholeIn(text) : undefined
  return long ?? (isExactNumber(text) ? Number(text) : text)
}

/** The separators of items when a name was repeated. */
export const separators: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '|' }
const delimiters: Record<string, RegExp> = { spaceDelimited: /%20|\+/, pipeDelimited: /%7c|\|/i }

/**
 * Splits a text by its style, before it is decoded: an escaped delimiter separates nothing (RFC 6570, 3.2.2 to 3.2.8).
 * @returns undefined for a text in another form
 */
export function split(text: string, kind: Kind, { name, style, explode }: Field): string[] | undefined {
  const rest = text.slice(1)
  const pieces = (all: string, delimiter: string | RegExp) => {
    if (kind === 'scalar') return [all]
    return kind === 'object' && all === '' ? [] : all.split(delimiter)
  }
  if (style === 'label') {
    // OpenAPI 3.0 also shows dots where RFC 6570 has commas.
    return text.startsWith('.') ? pieces(rest, !explode && rest.includes(',') ? ',' : '.') : undefined
  }
  if (style === 'deepObject' && kind === 'object') return undefined
  if (style !== 'matrix') return pieces(text, delimiters[style] ?? ',')
  if (!text.startsWith(';')) return undefined
  if (explode && kind === 'object') return pieces(rest, ';')
  const pairs = (explode && kind === 'array' ? rest.split(';') : [rest]).map(pair)
  if (pairs.some(([key]) => decodeOr(key) !== name)) return undefined
  const values = pairs.map(([, value]) => value)
  return explode ? values : pieces(values[0] ?? '', ',')
}

export function pair(text: string): Pair {
  const separator = text.indexOf('=')
  return separator < 0 ? [text, ''] : [text.slice(0, separator), text.slice(separator + 1)]
}

export const twos = (pieces: readonly string[]): Pair[] =>
  pieces.flatMap((name, i) => (i % 2 === 0 ? [[name, pieces[i + 1] ?? ''] as const] : []))

/** The functions that decode the escapes of a request's parts. Header fields have none. */
export const decoders: Record<Source, (text: string) => string> = {
  path: decodeURIComponent,
  query: text => decodeURIComponent(text.replaceAll('+', ' ')),
  header: text => text.trim(),
  cookie: text => decodeOr(text.replace(/^"(.*)"$/, '$1')),
}

/** Returns the pairs of a query or a form's body (OpenAPI 3.0.3, 4.7.14.3); undefined for broken percent-encoding. */
export function pairsOf(text: string): readonly Pair[] | undefined {
  try {
    const pairs = text.split('&').filter(Boolean).map(pair)
    decodeURIComponent(text)
    return pairs.map(([name, value]) => [decoders.query(name), value])
  } catch {
    return undefined
  }
}

/** Returns the query of a URL, as it was sent. */
export const queryOf = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

/** The pairs of a Cookie field (RFC 6265, section 4.2.1). */
export function cookiesOf(header: string): Pair[] {
  return header.split(';').flatMap(part => (part.trim() === '' ? [] : [pair(part.trim())]))
}
