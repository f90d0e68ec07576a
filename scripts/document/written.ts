import {
  Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import type { Path } from '../../src/document/pointer.ts'

/** Where an entry of a map goes: behind or before another one that it has; at the end unless told. */
export interface Place {
  after?: string
  before?: string
}

/**
 * Writes an entry into a map of a YAML text and leaves every other byte as it is, comments and order included.
 * @throws Error where the text has no such map, or has it in one line
 */
export function withEntry(
  text: string,
  path: Path,
  name: string,
  value: unknown,
  { after, before }: Place = {},
): string {
  const map = mapAt(text, path)
  const { items } = map
  const indexOf = (key: string) => items.findIndex(item => String(item.key) === key)
  const index = before !== undefined ? indexOf(before) - 1 : after === undefined ? -2 : indexOf(after)
  const previous = items.at(index === -2 ? -1 : index)
  const indent = ' '.repeat(columnAt(text, startOf(items[0]?.key)))
  const isFirst = index === -1 && before !== undefined
  const offset = isFirst ? lineStart(text, startOf(items[0]?.key)) : endOf(text, previous)
  // Paths stand apart from one another; what is below them does not.
  const gap = path.length === 1 && path[0] === 'paths' ? '\n' : ''
  const entry = render(name, value).replace(/^(?=.)/gm, indent)
  return `${text.slice(0, offset)}${isFirst ? '' : gap}${entry}${isFirst ? gap : ''}${text.slice(offset)}`
}

/**
 * Puts another value in an entry's place.
 * @throws Error where the text has no such entry
 */
export function withValue(text: string, path: Path, name: string, value: unknown): string {
  const map = mapAt(text, path)
  const index = map.items.findIndex(item => String(item.key) === name)
  const pair = map.items[index]
  if (!pair) throw new Error(`The document has no ${[...path, name].join(' › ')}`)
  const from = lineStart(text, startOf(pair.key))
  const indent = ' '.repeat(columnAt(text, startOf(pair.key)))
  const entry = render(name, value).replace(/^(?=.)/gm, indent)
  return `${text.slice(0, from)}${entry}${text.slice(endOf(text, pair))}`
}

type Map = YAMLMap<ParsedNode, ParsedNode | null>

function mapAt(text: string, path: Path): Map {
  const document = parseDocument(text)
  const map: unknown = document.getIn(path, true)
  const name = path.join(' › ')
  if (!isMap<ParsedNode, ParsedNode | null>(map) || map.items.length === 0)
    throw new Error(`The document has no ${name} to write into`)
  if (map.flow) throw new Error(`${name} stands in one line: write each of its entries in a line of its own`)
  return map
}

const startOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1
const columnAt = (text: string, offset: number) => offset - lineStart(text, offset)

/** The beginning of the line behind an entry. */
function endOf(text: string, pair: Map['items'][number] | undefined): number {
  const last = pair?.value ?? pair?.key
  const end = last?.range?.[1] ?? text.length
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
