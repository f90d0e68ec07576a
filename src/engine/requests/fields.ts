import { noNames } from '../names.ts'
import { badText, type Fault, noFaults, within } from './faults.ts'
import type { ParseJson } from './strict-json.ts'
import { decoders, type Pieces, type Source, type Style, split } from './styles.ts'
import type { Kind, Node, Texts } from './texts.ts'

/** A value that is sent by its name: a parameter, or a field of a form. */
export interface Field extends Style {
  schema: Node
  required?: boolean | undefined
  /** `?name=` stands for no value, where an empty text is none (OpenAPI 3.0.3, 4.7.12.2.1) */
  allowEmptyValue?: boolean | undefined
  /** whether it is a property of a form, which is invalid as a whole */
  isPart?: boolean
  /** for a value that is written as JSON, whatever the style says */
  parse?: ParseJson | undefined
}

/** What has been decoded of a request's part so far. */
export interface Values {
  /** without a prototype, so that each name is a name */
  values: Record<string, unknown>
  /** what could not be decoded */
  faults: Fault[]
  /** the objects whose properties were sent by their own names */
  spread: string[]
}

export const noValues = (): Values => ({ values: noNames(), faults: [], spread: [] })

/** A value as it was sent, before its schema is applied. */
export interface Found {
  value: unknown
  faults: readonly Fault[]
  /** where it is, for the faults within */
  path: string
}

/** How many items a text may be made of, as each costs time and memory. */
const itemsLimit = 10_000

/**
 * The value of a field that is written as one text.
 * @param only the kind to read it as; else the first of its kinds that is valid is taken
 */
export function readText(
  texts: Texts,
  source: Source,
  field: Field,
  text: string,
  path: string,
  only?: Kind,
): Found {
  const { parse, style, schema } = field
  if (parse) return readJson(parse, decoders[source](text), path)
  const kinds = only ? [only] : texts.shapeOf(schema).kinds
  const readAs = (kind: Kind): Found => {
    const pieces = split(kind === 'array' ? withCommas(texts, schema, text) : text, kind, field)
    if (pieces === undefined) return fault(path, `is not written in the style ${style}`)
    if (typeof pieces !== 'string' && pieces.length > itemsLimit)
      return fault(path, `holds more than ${itemsLimit} items`)
    return found(build(texts, source, schema, kind, pieces), path)
  }
  return firstValid(texts, schema, kinds, readAs)
}

/** Many clients escape the commas of a list; where no item can hold one, they separate items all the same. */
function withCommas(texts: Texts, schema: Node, text: string): string {
  const { types } = texts.shapeOf(texts.shapeOf(schema).items)
  return types.size > 0 && !types.has('string') ? text.replace(/%2c/gi, ',') : text
}

export const found = (value: unknown, path: string): Found => ({ value, faults: noFaults, path })
export const fault = (path: string, message: string): Found => ({
  value: undefined,
  faults: [{ path, message }],
  path,
})

export function readJson(parse: ParseJson, text: string, path: string): Found {
  const parsed = parse(text)
  if ('value' in parsed) return found(parsed.value, path)
  if ('syntax' in parsed) return fault(path, `is no JSON: ${parsed.syntax}`)
  const faults = parsed.faults.map(one => ({ path: path + one.path, message: one.message }))
  return { value: undefined, faults, path }
}

/** A union may be written in several ways: the first that is valid is meant, or else the last. */
export function firstValid(
  texts: Texts,
  schema: Node,
  kinds: readonly Kind[],
  readAs: (kind: Kind) => Found,
): Found {
  const [first, ...others] = kinds
  if (first === undefined) return found(undefined, '')
  let last = readAs(first)
  for (const kind of others) {
    if (last.faults.length === 0 && texts.schemas.check(schema, last.value).length === 0) return last
    last = readAs(kind)
  }
  return last
}

function build(texts: Texts, source: Source, schema: Node, kind: Kind, pieces: Pieces): unknown {
  const decode = decoders[source]
  if (typeof pieces === 'string') return texts.valueOf(schema, decode(pieces))
  const { items, properties, others = {} } = texts.shapeOf(schema)
  if (kind === 'array') {
    const list = (pieces as readonly string[]).map(decode) // of this kind come texts
    // A list of a header field may hold empty elements, which count for nothing (RFC 9110, section 5.6.1.2).
    const taken = source === 'header' ? list.filter(text => text !== '') : list
    return taken.map(text => texts.valueOf(items, text))
  }
  const object: Record<string, unknown> = Object.create(null)
  for (const [name, text] of pieces as readonly [string, string][]) {
    const key = decode(name)
    object[key] = texts.valueOf(properties.get(key) ?? others, decode(text))
  }
  return object
}

/**
 * Puts a decoded value among the others of its part, or its default when there is none, and its faults among theirs.
 * @param sent undefined for none
 */
export function settle(texts: Texts, into: Values, field: Field, sent: Found | undefined): void {
  const { name, schema, isPart } = field
  if (sent && sent.faults.length > 0) into.faults.push(...sent.faults)
  else if (sent && !isEmptyFor(texts, field, sent.value)) {
    const { value, path } = sent
    into.values[name] = value
    if (typeof value === 'string' || typeof value === 'object') into.faults.push(...badTexts(value, path))
  } else if (!isPart) {
    const { default: usual } = texts.shapeOf(schema)
    if (usual !== undefined) into.values[name] = structuredClone(usual)
  }
}

const isEmptyFor = (texts: Texts, { allowEmptyValue, schema }: Field, value: unknown) =>
  allowEmptyValue === true && isEmpty(value) && texts.schemas.check(schema, value).length > 0

const isEmpty = (value: unknown) =>
  value === '' || (Array.isArray(value) && value.length === 1 && value[0] === '')

/** The faults of texts at any depth, and of the names that were sent. */
export function badTexts(value: unknown, path: string): readonly Fault[] {
  if (typeof value === 'string') return badText(value, path)
  if (Array.isArray(value)) return value.flatMap((item, i) => badTexts(item, `${path}/${i}`))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return []
  return Object.entries(value).flatMap(([name, child]) => {
    const where = within(path, name)
    return [...badText(name, where), ...badTexts(child, where)]
  })
}
