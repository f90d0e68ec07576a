import { noNames } from '../names.ts'
import { badTexts, type Fault, within } from './faults.ts'
import type { Schemas } from './schemas.ts'
import { fromText, type Kind, type Node, shapeOf } from './shapes.ts'
import { JsonError, parseStrictJson } from './strict-json.ts'
import { decoders, pair, separators, split, twos } from './styles.ts'

/** The part of a request that a text was taken from: it says how characters are escaped in it. */
export type Source = 'path' | 'query' | 'header' | 'cookie'

/** A name, decoded, and the text sent by it, still escaped. */
export type Pair = readonly [name: string, text: string]

/** A value that is sent by its name: a parameter, or a property of a form (OpenAPI 3.0.3, 4.7.12 and 4.7.15). */
export interface Field {
  name: string
  schema: Node
  style: string
  explode: boolean
  /** `?name=` stands for no value, where an empty text is none (OpenAPI 3.0.3, 4.7.12.2.1) */
  allowEmptyValue?: boolean | undefined
  /** how the value is written, whatever the style says */
  content?: 'json' | 'text' | undefined
  /** whether an object may be written as JSON besides */
  orJson?: boolean
}

type Placed = Field & { where: string }

/** A part of a request as it was decoded. */
export interface Decoded {
  /** without a prototype, so that each name is a name */
  values: Record<string, unknown>
  /** what could not be decoded, with paths that begin at the part */
  faults: Fault[]
  /** the objects whose properties were sent by their own names */
  spread: string[]
}

export const nothingDecoded = (): Decoded => ({ values: noNames(), faults: [], spread: [] })

/** How many items a text may be made of, as each costs time and memory. */
const itemsLimit = 10_000
/** How many names in brackets may follow that of a deep object. */
const depthLimit = 10

const repeated = 'is given more than once'

/** The texts of a field, and those by the names in brackets behind its own: `filter[size][min]=1`. */
interface Sent {
  texts: string[]
  children: Map<string, Sent>
}

const nothingSent = (): Sent => ({ texts: [], children: new Map() })

function add(sent: Sent, keys: readonly string[], text: string): void {
  let at = sent
  for (const key of keys) {
    const child = at.children.get(key) ?? nothingSent()
    at.children.set(key, child)
    at = child
  }
  at.texts.push(text)
}

export interface FieldsOptions {
  schemas: Schemas
  source: Source
  fields: readonly Field[]
  /** what becomes of names that no field has: faults, nothing, or values by this schema */
  others: 'refused' | 'ignored' | Node
  /** names that are none of the fields' business */
  known?: ReadonlySet<string>
}

/** Prepares the decoding of fields; each pair is looked at once, however many there are. */
export function fieldsDecoder(options: FieldsOptions): (pairs: readonly Pair[]) => Decoded {
  const { schemas, source, others, known } = options
  const fields = options.fields.map((field): Placed => ({ ...field, where: within('', field.name) }))
  const { model } = schemas
  const shape = (schema: Node) => shapeOf(model, schema)
  const decode = decoders[source]
  const objects = fields.filter(isSpread)
  const byName = new Map(fields.filter(hasOwnName).map(field => [field.name, field]))
  const owners = new Map(
    objects
      .toReversed() // the first of several owns a name
      .flatMap(field => [...shape(field.schema).properties.keys()].map(name => [name, field] as const)),
  )
  // What is unknown in a form belongs to the form, not to an object in it.
  const open =
    typeof others === 'string' ? objects.find(({ schema }) => shape(schema).others !== undefined) : undefined

  return pairs => {
    const sent = new Map<Placed, Sent>()
    const strangers: Pair[] = []
    for (const [name, text] of pairs) {
      const [field, keys] = placeOf(name)
      if (field) {
        const own = sent.get(field) ?? nothingSent()
        sent.set(field, own)
        add(own, keys, text)
      } else if (!known?.has(name)) strangers.push([name, text])
    }
    const decoded = nothingDecoded()
    for (const field of fields) {
      const own = sent.get(field)
      if (own) settle(decoded, field, own)
      const { default: usual } = shape(field.schema)
      // Those of a form are filled in as it is validated as a whole.
      if (usual !== undefined && typeof others === 'string' && !(field.name in decoded.values))
        decoded.values[field.name] = structuredClone(usual)
    }
    if (others === 'ignored') return decoded
    for (const [name, found] of Map.groupBy(strangers, ([name]) => name)) {
      const where = within('', name)
      if (others === 'refused') decoded.faults.push({ path: where, message: 'is not known' })
      else {
        const values = found.map(([, text]) => fromText(schemas, others, decode(text)))
        decoded.values[name] = values.length === 1 ? values[0] : values
        decoded.faults.push(...badTexts(decoded.values[name], where))
      }
    }
    return decoded
  }

  /** The field that a name belongs to, and the names below it. */
  function placeOf(name: string): [field: Placed | undefined, keys: string[]] {
    const own = byName.get(name)
    if (own || known?.has(name)) return [own, []]
    const start = name.indexOf('[')
    const deep = start > 0 && name.endsWith(']') ? byName.get(name.slice(0, start)) : undefined
    if (deep?.style === 'deepObject') {
      const keys = name.slice(start + 1, -1).split('][')
      if (keys.length <= depthLimit) return [deep, keys]
    }
    return [owners.get(name) ?? open, [name]]
  }

  /** Whether the properties of an object go by their own names. */
  function isSpread({ schema, content, style, explode }: Field): boolean {
    return shape(schema).kinds.includes('object') && !content && style === 'form' && explode
  }

  function hasOwnName(field: Field): boolean {
    return !isSpread(field) || field.orJson === true || shape(field.schema).kinds.length > 1
  }

  /** Puts a value among the others of its part, and its faults among theirs. */
  function settle(into: Decoded, field: Placed, sent: Sent): void {
    const { name, schema, allowEmptyValue } = field
    const isOpen = sent.children.size > 0 && isSpread(field)
    const where = isOpen ? '' : field.where
    const faults: Fault[] = []
    const value = sent.children.size > 0 ? grow(sent, schema, where, faults) : read(field, sent.texts, faults)
    if (isOpen) into.spread.push(name)
    const isNone = value === '' || (Array.isArray(value) && value.length === 1 && value[0] === '')
    if (faults.length > 0) into.faults.push(...faults)
    else if (!allowEmptyValue || !isNone || schemas.check(schema, value).length === 0) {
      into.values[name] = value
      into.faults.push(...badTexts(value, where))
    }
  }

  /** A union may be written in several ways: the first that is valid is meant, or else the last. */
  function read(field: Placed, texts: readonly string[], faults: Fault[]): unknown {
    const { schema, content, orJson, where } = field
    const { kinds } = shape(schema)
    const [text = ''] = texts
    if (content || (orJson && kinds[0] === 'object')) {
      if (texts.length > 1) return refuse(faults, where, repeated)
      return content === 'text' ? decode(text) : readJson(decode(text), where, faults)
    }
    for (const kind of kinds) {
      const own: Fault[] = []
      const value = readAs(kind, field, texts, own)
      if (kind === kinds.at(-1) || (own.length === 0 && schemas.check(schema, value).length === 0)) {
        faults.push(...own)
        return value
      }
    }
    return undefined
  }

  function readAs(kind: Kind, field: Placed, texts: readonly string[], faults: Fault[]): unknown {
    const { schema, style, explode, where } = field
    const isListed = style === 'deepObject' || (explode && (source === 'query' || source === 'cookie'))
    if (kind === 'array' && isListed) return list(schema, texts)
    if (kind === 'scalar' && texts.length > 1) return refuse(faults, where, repeated)
    const text = texts.join(separators[style] ?? ',')
    const isPlain = kind !== 'object' || style !== 'deepObject'
    const pieces = isPlain
      ? split(kind === 'array' ? withCommas(schema, text) : text, kind, field)
      : undefined
    if (pieces && pieces.length > itemsLimit)
      return refuse(faults, where, `holds more than ${itemsLimit} items`)
    const isHalf = kind === 'object' && !explode && pieces && pieces.length % 2 === 1
    if (!pieces || isHalf) return refuse(faults, where, `is not written in the style ${style}`)
    if (kind === 'scalar') return fromText(schemas, schema, decode(pieces[0] ?? ''))
    return kind === 'array' ? list(schema, pieces) : object(schema, explode ? pieces.map(pair) : twos(pieces))
  }

  /** Many clients escape the commas of a list; where no item can hold one, they separate items all the same. */
  function withCommas(schema: Node, text: string): string {
    const { types } = shape(shape(schema).items)
    return types.size > 0 && !types.has('string') ? text.replace(/%2c/gi, ',') : text
  }

  function list(schema: Node, texts: readonly string[]): unknown[] {
    const { items } = shape(schema)
    // A list of a header field may hold empty elements, which count for nothing (RFC 9110, section 5.6.1.2).
    const decoded = texts.map(decode).filter(text => source !== 'header' || text !== '')
    return decoded.map(text => fromText(schemas, items, text))
  }

  function object(schema: Node, members: readonly Pair[]): unknown {
    const { properties, others = {} } = shape(schema)
    const value = noNames()
    for (const [name, text] of members) {
      const key = decode(name)
      value[key] = fromText(schemas, properties.get(key) ?? others, decode(text))
    }
    return value
  }

  function grow({ texts, children }: Sent, schema: Node, where: string, faults: Fault[]): unknown {
    const { types, items, properties, others = {} } = shape(schema)
    if (children.size === 0 && types.has('array')) return list(schema, texts)
    if (texts.length > 1 || (texts.length > 0 && children.size > 0)) return refuse(faults, where, repeated)
    if (children.size === 0) return fromText(schemas, schema, decode(texts[0] ?? ''))
    if (types.has('array') && [...children.keys()].every(key => /^\d*$/.test(key))) {
      const parts = [...children.values()].flatMap(child =>
        child.children.size > 0 ? child : child.texts.map(text => ({ texts: [text], children: new Map() })),
      )
      return parts.map((part, i) => grow(part, items, `${where}/${i}`, faults))
    }
    const value = noNames()
    for (const [name, child] of children)
      value[name] = grow(child, properties.get(name) ?? others, within(where, name), faults)
    return value
  }
}

function refuse(faults: Fault[], path: string, message: string): undefined {
  faults.push({ path, message })
}

/** @param faults is given what keeps the text from being read */
export function readJson(text: string, path: string, faults: Fault[]): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    faults.push(...error.faults.map(fault => ({ path: path + fault.path, message: fault.message })))
    return undefined
  }
}
