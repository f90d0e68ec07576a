import { type Fault, within } from './faults.ts'
import {
  type Field,
  type Found,
  fault,
  firstValid,
  found,
  noValues,
  readJson,
  readText,
  settle,
  type Values,
} from './fields.ts'
import type { ParseJson } from './strict-json.ts'
import { decoders, pair, type Source } from './styles.ts'
import type { Kind, Node, Texts } from './texts.ts'

/** A name, decoded, and the text sent by it, still escaped. */
export type Pair = readonly [name: string, text: string]

/** How many names in brackets may follow that of a deep object. */
const depthLimit = 10

/**
 * The pairs of a query, or of a form's body (OpenAPI 3.0.3, 4.7.14.3; RFC 1866, section 8.2.1).
 * @returns undefined when its percent-encoding is broken
 */
export function pairsOf(text: string): Pair[] | undefined {
  if (text === '') return []
  try {
    if (text.includes('%')) decodeURIComponent(text)
  } catch {
    return undefined
  }
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const [name, value] = pair(part)
    pairs.push([decoders.query(name), value])
  }
  return pairs
}

/** The pairs of a Cookie field (RFC 6265, section 4.2.1). */
export function cookiesOf(header: string): Pair[] {
  return header.split(';').flatMap(part => (part.trim() === '' ? [] : [pair(part.trim())]))
}

export interface PairsOptions {
  texts: Texts
  source: Source
  /** the pointer to the part: `/query` */
  path: string
  fields: readonly PairField[]
  /** whether a name is none of the fields' business */
  isKnown?(name: string): boolean
  /** is told of pairs that belong to no field */
  onUnknown(name: string, texts: readonly string[], into: Values): void
}

export interface PairField extends Field {
  /** for an object that may be written as JSON besides */
  orJson?: ParseJson | undefined
}

/** Texts by the names in brackets behind a name: `filter[size][min]=1`. */
interface Branch {
  texts: string[]
  children: Map<string, Branch>
}

const repeated = 'is given more than once'

/** Prepares the reading of fields from pairs; each pair is looked at once, however many there are. */
export function pairsReader(options: PairsOptions): (pairs: readonly Pair[]) => Values {
  const { texts, source, path, fields, isKnown, onUnknown } = options
  const decode = decoders[source]
  const objects = fields.filter(isSpread)
  const byName = new Map(fields.filter(hasOwnName).map(field => [field.name, field]))
  const places = fields.map(field => [field, within(path, field.name)] as const)
  const ownerOf = new Map<string, Field>()
  for (const field of objects)
    for (const name of texts.shapeOf(field.schema).properties.keys())
      if (!byName.has(name) && !ownerOf.has(name)) ownerOf.set(name, field)
  // What is unknown in a form belongs to the form, not to an object in it.
  const openField = objects.find(field => !field.isPart && texts.shapeOf(field.schema).others !== undefined)

  return pairs => {
    const into = noValues()
    const plain = new Map<string, string[]>()
    let branches: Map<Field, Branch> | undefined
    const graftTo = (field: Field, keys: readonly string[], text: string) => {
      branches ??= new Map()
      const branch = branches.get(field) ?? newBranch()
      branches.set(field, branch)
      graft(branch, keys, text)
    }
    for (const [name, text] of pairs) {
      if (isKnown?.(name) && !byName.has(name)) continue
      const deep = byName.has(name) ? undefined : deepName(name)
      const deepField = deep && byName.get(deep.base)
      const owner = byName.has(name) ? undefined : (ownerOf.get(name) ?? openField)
      if (deepField?.style === 'deepObject') graftTo(deepField, deep?.keys ?? [], text)
      else if (owner) graftTo(owner, [name], text)
      else {
        const known = plain.get(name)
        if (known) known.push(text)
        else plain.set(name, [text])
      }
    }
    for (const [field, where] of places) {
      const own = byName.has(field.name) ? plain.get(field.name) : undefined
      const branch = branches?.get(field)
      if (branch && isSpread(field)) into.spread.push(field.name)
      settle(texts, into, field, read(field, own, branch, where))
    }
    for (const [name, values] of plain) if (!byName.has(name)) onUnknown(name, values.map(decode), into)
    return into
  }

  /** Whether the properties of an object go by their own names. */
  function isSpread(field: Field): boolean {
    const isObject = texts.shapeOf(field.schema).kinds.includes('object')
    return isObject && !field.parse && field.style === 'form' && field.explode
  }

  function hasOwnName(field: PairField): boolean {
    return !isSpread(field) || field.orJson !== undefined || texts.shapeOf(field.schema).kinds.length > 1
  }

  function read(
    field: PairField,
    sent: string[] | undefined,
    branch: Branch | undefined,
    where: string,
  ): Found | undefined {
    const { schema, style, explode, orJson } = field
    if (branch) return grow(branch, schema, isSpread(field) ? path : where)
    const [first, second] = sent ?? []
    if (sent === undefined || first === undefined) return undefined
    const single = (text: string, kind?: Kind) =>
      second === undefined ? readText(texts, source, field, text, where, kind) : fault(where, repeated)
    if (field.parse) return single(first)
    const kinds = texts.shapeOf(schema).kinds
    if (orJson && kinds[0] === 'object') return readJson(orJson, decode(first), where)
    const readAs = (kind: Kind): Found => {
      if (kind === 'array' && (explode || style === 'deepObject')) return list(schema, sent, where)
      if (kind === 'scalar') return single(first, kind)
      if (style === 'deepObject') return fault(where, `is not written in the style ${style}`)
      return readText(texts, source, field, sent.join(delimiters[style] ?? ','), where, kind)
    }
    return firstValid(texts, schema, kinds, readAs)
  }

  function list(schema: Node, sent: readonly string[], where: string): Found {
    const { items } = texts.shapeOf(schema)
    return found(
      sent.map(text => texts.valueOf(items, decode(text))),
      where,
    )
  }

  function grow({ texts: sent, children }: Branch, schema: Node, where: string): Found {
    const { types, items, properties, others = {} } = texts.shapeOf(schema)
    if (children.size === 0) {
      if (types.has('array')) return list(schema, sent, where)
      if (sent.length > 1) return fault(where, repeated)
      return found(texts.valueOf(schema, decode(sent[0] ?? '')), where)
    }
    const faults: Fault[] = []
    const child = (branch: Branch, of: Node, at: string): unknown => {
      const grown = grow(branch, of, at)
      faults.push(...grown.faults)
      return grown.value
    }
    if (sent.length > 0) return fault(where, repeated)
    if (types.has('array') && [...children.keys()].every(key => /^\d*$/.test(key))) {
      const parts = [...children.values()].flatMap(branch =>
        branch.children.size > 0
          ? branch
          : branch.texts.map(text => ({ texts: [text], children: branch.children })),
      )
      return { value: parts.map((part, i) => child(part, items, `${where}/${i}`)), faults, path: where }
    }
    const value: Record<string, unknown> = Object.create(null)
    for (const [name, branch] of children)
      value[name] = child(branch, properties.get(name) ?? others, within(where, name))
    return { value, faults, path: where }
  }
}

const delimiters: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '|' }

const newBranch = (): Branch => ({ texts: [], children: new Map() })

function graft(branch: Branch, keys: readonly string[], text: string): void {
  let at = branch
  for (const key of keys) {
    const child = at.children.get(key) ?? newBranch()
    at.children.set(key, child)
    at = child
  }
  at.texts.push(text)
}

/** The parts of a name with brackets; undefined for a name without, or with too many. */
function deepName(name: string): { base: string; keys: string[] } | undefined {
  const start = name.indexOf('[')
  if (start < 1 || !name.endsWith(']')) return undefined
  const keys = name.slice(start + 1, -1).split('][')
  return keys.length > depthLimit ? undefined : { base: name.slice(0, start), keys }
}
