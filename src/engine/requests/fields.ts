import { badTexts, type Fault, within } from './faults.ts'
import type { Schemas } from './schemas.ts'
import { JsonError, parseStrictJson } from './strict-json.ts'
import {
  decoders,
  fromText,
  type Kind,
  type Node,
  pair,
  type Shape,
  separators,
  shapeOf,
  split,
  twos,
} from './values.ts'

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

/** What objects inherit from whose every name is a name. Made without a prototype, each would be slow to make and to read. */
const nothing: object = Object.freeze(Object.create(null))

/** An object for values by names that somebody else chooses, `__proto__` and `constructor` among them. */
const noNames = <Value = unknown>() => Object.create(nothing) as Record<string, Value>

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
  known?: ReadonlySet<string | undefined>
}

/** Decodes a part of a request; each pair is looked at once, however many there are. */
export class FieldsDecoder {
  readonly #options: FieldsOptions
  readonly #fields: Placed[]
  /** the fields that are sent by their own names, and those whose properties are */
  readonly #byName: Map<string, Placed>
  readonly #owners: Map<string, Placed>
  /** takes names that no other field has; what is unknown in a form belongs to the form */
  readonly #open: Placed | undefined

  constructor(options: FieldsOptions) {
    this.#options = options
    this.#fields = options.fields.map(field => ({ ...field, where: within('', field.name) }))
    const objects = this.#fields.filter(field => this.#isSpread(field))
    const hasOwnName = (field: Placed) =>
      !this.#isSpread(field) || field.orJson || this.#shape(field.schema).kinds.length > 1
    this.#byName = new Map(this.#fields.filter(hasOwnName).map(field => [field.name, field]))
    const owned = (field: Placed) => [...this.#shape(field.schema).properties.keys()]
    // The first of several owns a name.
    this.#owners = new Map(
      objects.toReversed().flatMap(field => owned(field).map(name => [name, field] as const)),
    )
    if (typeof options.others === 'string')
      this.#open = objects.find(({ schema }) => this.#shape(schema).others !== undefined)
  }

  decode(pairs: readonly Pair[]): Decoded {
    const { others, known } = this.#options
    const sent = new Map<Placed, Sent>()
    const strangers: Pair[] = []
    for (const [name, text] of pairs) {
      const [field, keys] = this.#placeOf(name)
      if (field) {
        const own = sent.get(field) ?? nothingSent()
        sent.set(field, own)
        add(own, keys, text)
      } else if (!known?.has(name)) strangers.push([name, text])
    }
    const decoded = nothingDecoded()
    for (const field of this.#fields) {
      const own = sent.get(field)
      if (own) this.#settle(decoded, field, own)
      const { default: usual } = this.#shape(field.schema)
      // Those of a form are filled in as it is validated as a whole.
      if (usual !== undefined && typeof others === 'string' && !(field.name in decoded.values))
        decoded.values[field.name] = structuredClone(usual)
    }
    if (others === 'ignored') return decoded
    for (const [name, found] of Map.groupBy(strangers, ([name]) => name)) {
      const where = within('', name)
      if (others === 'refused') refuse(decoded.faults, where, 'is not known')
      else {
        const values = found.map(([, text]) => this.#value(others, text))
        decoded.values[name] = values.length === 1 ? values[0] : values
        decoded.faults.push(...badTexts(decoded.values[name], where))
      }
    }
    return decoded
  }

  #shape(schema: Node): Shape {
    return shapeOf(this.#options.schemas.model, schema)
  }

  #decode(text: string): string {
    return decoders[this.#options.source](text)
  }

  #value(schema: Node, text: string): unknown {
    return fromText(this.#options.schemas, schema, this.#decode(text))
  }

  #isValid(schema: Node, value: unknown): boolean {
    return this.#options.schemas.check(schema, value).length === 0
  }

  /** The field that a name belongs to, and the names below it. */
  #placeOf(name: string): [field: Placed | undefined, keys: string[]] {
    const own = this.#byName.get(name)
    if (own || this.#options.known?.has(name)) return [own, []]
    const start = name.indexOf('[')
    const deep = start > 0 && name.endsWith(']') ? this.#byName.get(name.slice(0, start)) : undefined
    if (deep?.style === 'deepObject') {
      const keys = name.slice(start + 1, -1).split('][')
      if (keys.length <= depthLimit) return [deep, keys]
    }
    return [this.#owners.get(name) ?? this.#open, [name]]
  }

  /** Whether the properties of an object go by their own names. */
  #isSpread({ schema, content, style, explode }: Field): boolean {
    return this.#shape(schema).kinds.includes('object') && !content && style === 'form' && explode
  }

  /** Puts a value among the others of its part, and its faults among theirs. */
  #settle(into: Decoded, field: Placed, sent: Sent): void {
    const { name, schema, allowEmptyValue } = field
    const isNested = sent.children.size > 0
    const isOpen = isNested && this.#isSpread(field)
    const where = isOpen ? '' : field.where
    const faults: Fault[] = []
    const value = isNested ? this.#grow(sent, schema, where, faults) : this.#read(field, sent.texts, faults)
    if (isOpen) into.spread.push(name)
    const isNone = value === '' || (Array.isArray(value) && value.length === 1 && value[0] === '')
    if (faults.length > 0) into.faults.push(...faults)
    else if (!allowEmptyValue || !isNone || this.#isValid(schema, value)) {
      into.values[name] = value
      into.faults.push(...badTexts(value, where))
    }
  }

  /** A union may be written in several ways: the first that is valid is meant, or else the last. */
  #read(field: Placed, texts: readonly string[], faults: Fault[]): unknown {
    const { schema, content, orJson, where } = field
    const { kinds } = this.#shape(schema)
    if (content || (orJson && kinds[0] === 'object')) {
      const text = this.#decode(texts[0] ?? '')
      if (texts.length > 1) return refuse(faults, where, repeated)
      return content === 'text' ? text : readJson(text, where, faults)
    }
    for (const kind of kinds) {
      const own: Fault[] = []
      const value = this.#readAs(kind, field, texts, own)
      if (kind !== kinds.at(-1) && (own.length > 0 || !this.#isValid(schema, value))) continue
      faults.push(...own)
      return value
    }
    return undefined
  }

  #readAs(kind: Kind, field: Placed, texts: readonly string[], faults: Fault[]): unknown {
    const { schema, style, explode, where } = field
    const { source } = this.#options
    const isListed = style === 'deepObject' || (explode && (source === 'query' || source === 'cookie'))
    if (kind === 'array' && isListed) return this.#list(schema, texts)
    if (kind === 'scalar' && texts.length > 1) return refuse(faults, where, repeated)
    const text = texts.join(separators[style] ?? ',')
    const pieces = split(kind === 'array' ? this.#withCommas(schema, text) : text, kind, field)
    const isHalf = kind === 'object' && !explode && pieces && pieces.length % 2 === 1
    if (!pieces || isHalf) return refuse(faults, where, `is not written in the style ${style}`)
    if (pieces.length > itemsLimit) return refuse(faults, where, `holds more than ${itemsLimit} items`)
    if (kind === 'scalar') return this.#value(schema, pieces[0] ?? '')
    if (kind === 'array') return this.#list(schema, pieces)
    const sent = nothingSent()
    for (const [name, one] of explode ? pieces.map(pair) : twos(pieces)) add(sent, [this.#decode(name)], one)
    return this.#grow(sent, schema, where, faults)
  }

  /** Many clients escape the commas of a list; where no item can hold one, they separate items all the same. */
  #withCommas(schema: Node, text: string): string {
    const { types } = this.#shape(this.#shape(schema).items)
    return types.size > 0 && !types.has('string') ? text.replace(/%2c/gi, ',') : text
  }

  #list(schema: Node, texts: readonly string[]): unknown[] {
    const { items } = this.#shape(schema)
    // A list of a header field may hold empty elements, which count for nothing (RFC 9110, section 5.6.1.2).
    const taken = texts.filter(text => this.#options.source !== 'header' || this.#decode(text) !== '')
    return taken.map(text => this.#value(items, text))
  }

  /** The value of a field, or of a part of it, that was sent by names. */
  #grow({ texts, children }: Sent, schema: Node, where: string, faults: Fault[]): unknown {
    const { types, items, properties, others = {} } = this.#shape(schema)
    const [text] = texts
    if (text !== undefined && children.size === 0 && types.has('array')) return this.#list(schema, texts)
    if (texts.length + children.size > 1 && text !== undefined) return refuse(faults, where, repeated)
    if (text !== undefined) return this.#value(schema, text)
    if (types.has('array') && [...children.keys()].every(key => /^\d*$/.test(key))) {
      const parts = [...children.values()].flatMap(child =>
        child.children.size > 0 ? child : child.texts.map(one => ({ texts: [one], children: new Map() })),
      )
      return parts.map((part, i) => this.#grow(part, items, `${where}/${i}`, faults))
    }
    const value = noNames()
    for (const [name, child] of children)
      value[name] = this.#grow(child, properties.get(name) ?? others, within(where, name), faults)
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
