import type { Fault } from '../values/faults.ts'
import { attempt, badTexts, Unreadable, unknownName, within } from '../values/faults.ts'
import type { Schemas } from '../values/schemas.ts'
import { parseStrictJson } from '../values/strict-json.ts'
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
} from '../values/values.ts'

/** The part of a request that a text comes from. It determines how characters are escaped. */
export type Source = 'path' | 'query' | 'header' | 'cookie'

/** A decoded name, and its text, which is still escaped. */
export type Pair = readonly [name: string, text: string]

/** A value that is sent by name: a parameter, or a property of a form (OpenAPI 3.0.3, 4.7.12 and 4.7.15). */
export interface Field {
  name: string
  schema: Node
  style: string
  explode: boolean
  /** `?name=` means no value where an empty text is invalid (OpenAPI 3.0.3, 4.7.12.2.1) */
  allowEmptyValue?: boolean | undefined
  /** the format of the value, which overrides the style */
  content?: 'json' | 'text' | undefined
  /** whether an object may also be written as JSON */
  orJson?: boolean
}

/** A decoded part of a request. */
export interface Decoded {
  /** without a prototype, so that any name is an ordinary name */
  values: Record<string, unknown>
  /** the faults of decoding, with paths that begin at the part */
  faults: Fault[]
  /** the objects whose properties were sent by the properties' own names */
  spread: string[]
}

/** Makes an object for values by names that others choose, such as `__proto__` and `constructor`. */
const noNames = <Value = unknown>() => Object.create(null) as Record<string, Value>

export const nothingDecoded = (): Decoded => ({ values: noNames(), faults: [], spread: [] })

/** The most items of one text, as each costs time and memory. */
const itemsLimit = 10_000
/** The most names in brackets after that of a deep object. */
const depthLimit = 10

const repeated = 'is given more than once'

/** The texts of a field, and those with names in brackets after its own: `filter[size][min]=1`. */
interface Sent {
  texts: string[]
  children: Map<string, Sent>
}

const nothingSent = (): Sent => ({ texts: [], children: new Map() })

function add(sent: Sent, keys: readonly string[], text: string): void {
  let position = sent
  for (const key of keys) {
    const child = position.children.get(key) ?? nothingSent()
    position.children.set(key, child)
    position = child
  }
  position.texts.push(text)
}

export interface FieldsOptions {
  schemas: Schemas
  source: Source
  fields: readonly Field[]
  /** the treatment of names that no field has: faults, none, or values by this schema */
  others: 'refused' | 'ignored' | Node
  /** names that the fields ignore */
  known?: readonly string[]
}

export class FieldsDecoder {
  readonly #options: FieldsOptions
  /** fields by their own names first, and fields that take any name last */
  readonly #fields: readonly Field[]
  /** the allowed names */
  readonly #names: ReadonlySet<string>

  constructor(options: FieldsOptions) {
    this.#options = options
    const rank = (field: Field) => Number(this.#isSpread(field)) + Number(this.#isOpen(field))
    this.#fields = options.fields.toSorted((a, b) => rank(a) - rank(b))
    const names = (field: Field) =>
      this.#isSpread(field) ? this.#shape(field.schema).properties.keys() : [field.name]
    this.#names = new Set([...options.fields.flatMap(field => [...names(field)]), ...(options.known ?? [])])
  }

  decode(pairs: readonly Pair[]): Decoded {
    const { others, known = [] } = this.#options
    const decoded = nothingDecoded()
    const rest = Map.groupBy(pairs, ([name]) => name)
    for (const name of known) rest.delete(name)
    for (const field of this.#fields) {
      const sent = this.#take(field, rest)
      if (sent.texts.length + sent.children.size > 0) this.#settle(decoded, field, sent)
    }
    if (others === 'ignored') return decoded
    for (const [name, found] of rest) {
      const where = within('', name)
      if (others === 'refused') {
        const message = unknownName(name, this.#names, decoded.faults.length)
        decoded.faults.push({ path: where, message })
      } else {
        const values = found.map(([, text]) => this.#value(others, text))
        decoded.values[name] = values.length === 1 ? values[0] : values
        decoded.faults.push(...badTexts(decoded.values[name], where))
      }
    }
    return decoded
  }

  /** Moves the texts of a field out of the remaining pairs. */
  #take(field: Field, rest: Map<string, readonly Pair[]>): Sent {
    const { name, schema, style, orJson } = field
    const { kinds, properties } = this.#shape(schema)
    const sent = nothingSent()
    const take = (key: string, keys: readonly string[]) => {
      for (const [, text] of rest.get(key) ?? []) add(sent, keys, text)
      rest.delete(key)
    }
    const isSpread = this.#isSpread(field)
    if (!isSpread || orJson || kinds.length > 1) take(name, [])
    if (isSpread) for (const key of this.#isOpen(field) ? rest.keys() : properties.keys()) take(key, [key])
    if (style !== 'deepObject') return sent
    for (const key of rest.keys()) {
      const keys =
        key.startsWith(`${name}[`) && key.endsWith(']') ? key.slice(name.length + 1, -1).split('][') : []
      if (keys.length > 0 && keys.length <= depthLimit) take(key, keys)
    }
    return sent
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

  #json(schema: Node, text: string): unknown {
    return parseStrictJson(text, undefined, this.#options.schemas.hasBigints(schema))
  }

  #isValid(schema: Node, value: unknown): boolean {
    return this.#options.schemas.check(schema, value).length === 0
  }

  /** Whether the properties of an object are sent by their own names. */
  #isSpread({ schema, content, style, explode }: Field): boolean {
    return this.#shape(schema).kinds.includes('object') && !content && style === 'form' && explode
  }

  /** Whether names of no other field are properties of this one. In a form, unknown names belong to the form. */
  #isOpen(field: Field): boolean {
    const isForm = typeof this.#options.others !== 'string'
    return this.#isSpread(field) && !isForm && this.#shape(field.schema).others !== undefined
  }

  /** Adds a value to its part's values, and its faults to the part's faults. */
  #settle(into: Decoded, field: Field, sent: Sent): void {
    const { name, schema, allowEmptyValue } = field
    const isNested = sent.children.size > 0
    const isSpread = isNested && this.#isSpread(field)
    const where = isSpread ? '' : within('', name)
    if (isSpread) into.spread.push(name)
    const read = () => (isNested ? this.#grow(sent, schema, '') : this.#read(field, sent.texts))
    const faults: Fault[] = []
    const value = attempt(read, where, faults)
    into.faults.push(...faults)
    const isNone = value === '' || (Array.isArray(value) && value.length === 1 && value[0] === '')
    if (faults.length > 0 || (allowEmptyValue && isNone && !this.#isValid(schema, value))) return
    into.values[name] = value
    into.faults.push(...badTexts(value, where))
  }

  /** Reads a union by the first alternative that is valid, or else by the last. @throws Unreadable */
  #read(field: Field, texts: readonly string[]): unknown {
    const { schema, content, orJson } = field
    const { kinds } = this.#shape(schema)
    const items = this.#jsonItems(field, texts)
    if (items) return items
    if (content || (orJson && kinds[0] === 'object')) {
      const text = this.#decode(texts[0] ?? '')
      if (texts.length > 1) return refuse(repeated)
      return content === 'text' ? text : this.#json(schema, text)
    }
    for (const kind of kinds.slice(0, -1)) {
      const value = attempt(() => this.#readAs(kind, field, texts), '', [])
      if (value !== undefined && this.#isValid(schema, value)) return value
    }
    return this.#readAs(kinds.at(-1) ?? 'scalar', field, texts)
  }

  /**
   * Returns the items of a list that is written in JSON: each in a text of its own, or all in one. The items of a list are
   * in JSON if they are objects or lists, which have no other form, or if a form says so.
   * @returns undefined for any other value
   */
  #jsonItems(
    { schema, content, orJson, style, explode }: Field,
    texts: readonly string[],
  ): unknown[] | undefined {
    const { types, items } = this.#shape(schema)
    if (types.size !== 1 || !types.has('array')) return undefined
    const { kinds } = this.#shape(items)
    const isRepeated = !content && style === 'form' && explode && this.#options.source === 'query'
    const isJson = (content === 'json' && orJson) || ((isRepeated || orJson) && !kinds.includes('scalar'))
    return isJson
      ? itemsOf(
          texts.map(text => this.#json(schema, this.#decode(text))),
          kinds,
        )
      : undefined
  }

  #readAs(kind: Kind, field: Field, texts: readonly string[]): unknown {
    const { schema, style, explode } = field
    const { source } = this.#options
    const isListed = style === 'deepObject' || (explode && (source === 'query' || source === 'cookie'))
    if (kind === 'array' && isListed) return this.#list(schema, texts)
    if (kind === 'scalar' && texts.length > 1) return refuse(repeated)
    const text = texts.join(separators[style] ?? ',')
    const pieces = split(kind === 'array' ? this.#withCommas(schema, text) : text, kind, field)
    const isHalf = kind === 'object' && !explode && pieces && pieces.length % 2 === 1
    if (!pieces || isHalf) return refuse(`is not written in the style ${style}`)
    if (pieces.length > itemsLimit) return refuse(`holds more than ${itemsLimit} items`)
    if (kind === 'scalar') return this.#value(schema, pieces[0] ?? '')
    if (kind === 'array') return this.#list(schema, pieces)
    const sent = nothingSent()
    for (const [name, piece] of explode ? pieces.map(pair) : twos(pieces))
      add(sent, [this.#decode(name)], piece)
    return this.#grow(sent, schema, '')
  }

  /** Many clients escape the commas of a list. Where no item can hold a comma, escaped ones also separate items. */
  #withCommas(schema: Node, text: string): string {
    const { types } = this.#shape(this.#shape(schema).items)
    return types.size > 0 && !types.has('string') ? text.replace(/%2c/gi, ',') : text
  }

  #list(schema: Node, texts: readonly string[]): unknown[] {
    const { items } = this.#shape(schema)
    // A list in a header field may have empty elements, which do not count (RFC 9110, section 5.6.1.2).
    const taken = texts.filter(text => this.#options.source !== 'header' || this.#decode(text) !== '')
    return taken.map(text => this.#value(items, text))
  }

  /** Returns the value of a field, or of a part of it, from its named texts. */
  #grow({ texts, children }: Sent, schema: Node, path: string): unknown {
    const { types, items, properties, others = {} } = this.#shape(schema)
    const [text] = texts
    if (text !== undefined && children.size === 0 && types.has('array')) return this.#list(schema, texts)
    if (texts.length + children.size > 1 && text !== undefined) return refuse(repeated, path)
    if (text !== undefined) return this.#value(schema, text)
    if (types.has('array') && [...children.keys()].every(key => /^\d*$/.test(key))) {
      const parts = [...children.values()].flatMap(child =>
        child.children.size > 0 ? child : child.texts.map(leaf => ({ texts: [leaf], children: new Map() })),
      )
      return parts.map((part, i) => this.#grow(part, items, `${path}/${i}`))
    }
    const value = noNames()
    for (const [name, child] of children)
      value[name] = this.#grow(child, properties.get(name) ?? others, within(path, name))
    return value
  }
}

/** Returns the items of a list from its texts: a single one may hold the whole list, unless lists are its items. */
export function itemsOf(values: unknown[], kinds: readonly Kind[]): unknown[] {
  const [first, ...others] = values
  const isWhole =
    Array.isArray(first) && (!kinds.includes('array') || first.every(item => Array.isArray(item)))
  return isWhole && others.length === 0 ? first : values
}

function refuse(message: string, path = ''): never {
  throw new Unreadable({ path, message })
}
