import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { Misuse } from '../command/arguments.ts'

/** Keys from the root to a node: `paths`, `/pets`, `get`. */
type Steps = readonly string[]

/** The position of an entry in a map: after or before another entry of it, or else at the end. */
export interface Place {
  after?: string
  before?: string
}

/**
 * Writes an entry into a map of a YAML text. Every other byte stays as it is, comments and order included. A missing map
 * is written with it. A map in one line is spread over several.
 * @throws Misuse where the map is written in another place, to which a reference or an alias leads
 */
export function withEntry(
  text: string,
  path: Steps,
  name: string,
  value: unknown,
  place: Place = {},
): string {
  const found = mapAt(text, path)
  const { map } = found
  if (!map) return withEntry(text, ...parentOf(path), { [name]: value })
  if (map.flow || map.items.length === 0) return withMap(text, path, entered(found.value, name, value, place))
  const { items } = map
  const { after, before } = place
  const indexOf = (key: string) => items.findIndex(item => String(item.key) === key)
  const index = before !== undefined ? indexOf(before) - 1 : after === undefined ? -2 : indexOf(after)
  const previous = items.at(index === -2 ? -1 : index)
  const indent = ' '.repeat(columnAt(text, startOf(items[0]?.key)))
  const isFirst = index === -1 && before !== undefined
  const offset = isFirst ? lineStart(text, startOf(items[0]?.key)) : endOf(text, previous)
  // Paths stand apart from one another; what is below them does not.
  const gap = path.length === 1 && path[0] === 'paths' ? '\n' : ''
  const entry = render(name, value).replace(/^(?=.)/gm, indent)
  const head = text.slice(0, offset)
  const isEnded = head === '' || head.endsWith('\n')
  return `${head}${isEnded ? '' : '\n'}${isFirst ? '' : gap}${entry}${isFirst ? gap : ''}${text.slice(offset)}`
}

/**
 * Puts another value in an entry's place.
 * @throws Error where the text has no such entry
 */
export function withValue(text: string, path: Steps, name: string, value: unknown): string {
  const { map, value: present } = mapAt(text, path)
  const pair = map?.items.find(item => String(item.key) === name)
  if (!map || !pair) throw new Error(`The document has no ${[...path, name].join(' › ')}`)
  if (map.flow) return withMap(text, path, { ...present, [name]: value })
  const from = lineStart(text, startOf(pair.key))
  const indent = ' '.repeat(columnAt(text, startOf(pair.key)))
  const [, end = from] = (pair.value ?? pair.key)?.range ?? []
  const [comment] = /^[ \t]+#.*/.exec(text.slice(end)) ?? ['']
  const entry = render(name, value)
    .replace('\n', () => `${comment}\n`)
    .replace(/^(?=.)/gm, indent)
  return `${text.slice(0, from)}${entry}${text.slice(endOf(text, pair))}`
}

/** Whether a text has a list that is not empty. */
export function hasList(text: string, name: string): boolean {
  const list = parseDocument(text).get(name, true)
  return isSeq(list) && list.items.length > 0
}

/**
 * Writes an item behind the last one of a list of the document.
 * @throws Misuse where it has no such list, or one in one line
 */
export function withItem(text: string, name: string, value: unknown): string {
  const list = parseDocument(text).get(name, true)
  const last = isSeq<ParsedNode>(list) && !list.flow ? list.items.at(-1) : undefined
  if (!last?.range) throw new Misuse(`${name} has no item in a line of its own: write the new one by hand`)
  const indent = ' '.repeat(columnAt(text, last.range[0]) - '- '.length)
  const end = lineEnd(text, last.range[1])
  const item = new Document([value]).toString({ lineWidth: 0 }).replace(/^(?=.)/gm, indent)
  return `${text.slice(0, end)}${item}${text.slice(end)}`
}

type Map = YAMLMap<ParsedNode, ParsedNode | null>
type Entries = Record<string, unknown>

/** A map in another one's place. */
function withMap(text: string, path: Steps, value: Entries): string {
  // A document that is one line's map is JSON, or may be.
  return path.length === 0 ? `${JSON.stringify(value, null, 2)}\n` : withValue(text, ...parentOf(path), value)
}

/** The map that an entry is in, and the entry's name. */
function parentOf(path: Steps): [path: Steps, name: string] {
  const name = path.at(-1)
  if (name === undefined) throw new Misuse('The document has no entries')
  return [path.slice(0, -1), name]
}

/** Entries with one more. */
function entered(present: Entries, name: string, value: unknown, { after, before }: Place): Entries {
  const entries = Object.entries(present)
  const index = entries.findIndex(([key]) => key === (before ?? after))
  entries.splice(index < 0 ? entries.length : before === undefined ? index + 1 : index, 0, [name, value])
  return Object.fromEntries(entries)
}

/** The map at a path whatever its keys are written as: 200 is a number, "200" a text. */
function mapAt(text: string, path: Steps): { map: Map | undefined; value: Entries } {
  const document = parseDocument(text)
  let node: ParsedNode | null | undefined = document.contents
  for (const [index, step] of path.entries()) {
    if (!isMap<ParsedNode, ParsedNode | null>(node)) break
    node = node.items.find(({ key }) => String(key) === step)?.value
    const elsewhere = isAlias(node) ? `*${node.source}` : isMap(node) ? node.get('$ref') : undefined
    if (elsewhere === undefined) continue
    const name = path.slice(0, index + 1).join(' › ')
    throw new Misuse(`${name} is written elsewhere (${elsewhere}): write it there by hand`)
  }
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return { map: undefined, value: {} }
  return { map: node, value: node.toJS(document) }
}

const startOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1
const columnAt = (text: string, offset: number) => offset - lineStart(text, offset)

/** The beginning of the line behind an entry. */
function endOf(text: string, pair: Map['items'][number] | undefined): number {
  const last = pair?.value ?? pair?.key
  return lineEnd(text, last?.range?.[1] ?? text.length)
}

function lineEnd(text: string, end: number): number {
  if (text[end - 1] === '\n') return end // a block of text ends with its line
  const line = text.indexOf('\n', end)
  return line < 0 ? text.length : line + 1
}

/** An entry as YAML. References, tags and examples stand in one line, as in all of the document. */
export function render(name: string, value: unknown): string {
  const document = new Document({ [name]: value })
  visit(document, {
    Pair(_, { key, value: child }) {
      const isShort = isScalar(key) && /^(tags|example|x-codes)$/.test(String(key.value))
      if (isShort && isCollection(child)) child.flow = true
    },
    Map(_, map) {
      if (map.has('$ref')) map.flow = true
    },
  })
  visit(document, {
    Scalar(key, scalar) {
      if (key === 'key' && /^\d/.test(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE'
      if (typeof scalar.value === 'string' && scalar.value.startsWith('#/')) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0 }).replace(/\[ (.*) \]$/gm, '[$1]')
}
