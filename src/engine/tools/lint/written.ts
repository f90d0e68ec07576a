import { Misuse } from 'spec-served/internal/command/arguments'
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseDocument,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import type { Mend } from './violation.ts'

/** Keys from the root to a node: `paths`, `/pets`, `get`. */
type Steps = readonly string[]

/** The position of an entry in a map: after or before another entry of it, or else at the end. */
export interface Position {
  after?: string
  before?: string
}

/** A change, and where a new entry goes. */
export type PlacedMend = Mend & { position?: Position }

/** The changes below a node, by the names of its children. */
type Changes = Map<string, PlacedMend | Changes>

/** A map as it is parsed. */
type Entries = YAMLMap<Node, Node | null>

/** A stretch of the text, and what takes its place. */
interface Splice {
  from: number
  to: number
  text: string
}

/**
 * Carries changes out in a YAML or JSON text. Every other byte stays as it is, comments and order included. A missing
 * map is written with its entries, and a map in one line is spread over several.
 * @throws Misuse where a node is written in another place, to which a reference or an alias leads
 */
export function withMends(text: string, mends: readonly PlacedMend[]): string {
  const changes = changesOf(mends)
  if (changes.size === 0) return text
  const document = parseDocument(text)
  const root: Node = document.contents ?? new YAMLMap()
  const splices = splicesIn(text, root, changes, [])
  if (!splices) {
    const changed = changedNode(root, changes, [])
    return isJson(text) ? `${JSON.stringify(changed.toJS(document), null, 2)}\n` : renderNode(changed)
  }
  let [written, end] = ['', 0]
  for (const { from, to, text: insertion } of splices.sort((a, b) => a.from - b.from)) {
    const kept = text.slice(end, from)
    const isEnded = from < text.length || /\n$|^$/.test(written + kept)
    written += `${kept}${isEnded ? '' : '\n'}${insertion}`
    end = to
  }
  return written + text.slice(end)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Writes an entry into a map of a text, as `withMends` does. */
export function withEntry(
  text: string,
  path: Steps,
  name: string,
  value: unknown,
  position: Position = {},
): string {
  return withMends(text, [{ place: [...path, name], value, position }])
}

/**
 * Puts another value in an entry's place.
 * @throws Error where the text has no such entry
 */
export function withValue(text: string, path: Steps, name: string, value: unknown): string {
  const place = [...path, name]
  let node: unknown = parseDocument(text).contents
  for (const step of place) node = isMap(node) ? pairOf(node, step)?.value : undefined
  if (node === undefined) throw new Error(`The document has no ${place.join(' › ')}`)
  return withMends(text, [{ place, value }])
}

/** Whether a text has a list that is not empty. */
export function hasList(text: string, name: string): boolean {
  const list = parseDocument(text).get(name, true)
  return isSeq(list) && list.items.length > 0
}

/** Writes an item behind the last one of a list of the document. */
export function withItem(text: string, name: string, value: unknown): string {
  const list = parseDocument(text).get(name, true)
  return withMends(text, [{ place: [name, String(isSeq(list) ? list.items.length : 0)], value }])
}

/** Sorts changes by the names on the way to them. A change of a whole node takes in those of its parts. */
function changesOf(mends: readonly PlacedMend[]): Changes {
  const root: Changes = new Map()
  for (const mend of mends) {
    let below: Changes | undefined = root
    for (const name of mend.place.slice(0, -1)) {
      const next: PlacedMend | Changes = below.get(name) ?? new Map()
      below.set(name, next)
      below = isWhole(next) ? undefined : next
      if (!below) break
    }
    below?.set(mend.place.at(-1) ?? '', mend)
  }
  return root
}

const isWhole = (change: PlacedMend | Changes): change is PlacedMend => !(change instanceof Map)
const isRemoval = (change: PlacedMend | Changes) => isWhole(change) && change.value === undefined

/** The stretches that change below a node; undefined if the node has to be written again as a whole. */
function splicesIn(text: string, node: Node | null, changes: Changes, place: Steps): Splice[] | undefined {
  if (!isCollection(node) || node.flow || node.items.length === 0) return undefined
  const isEmptied = [...changes.values()].filter(isRemoval).length === node.items.length
  if (isEmptied && changes.size === node.items.length) return undefined
  return isSeq(node)
    ? splicesInList(text, node, changes, place)
    : splicesInMap(text, node as Entries, changes, place) // what is no list is a map
}

function splicesInMap(text: string, map: Entries, changes: Changes, place: Steps): Splice[] | undefined {
  const splices: Splice[] = []
  const added: Splice[] = []
  for (const [name, change] of changes) {
    const pair = pairOf(map, name)
    if (!pair) {
      const splice = isRemoval(change) ? undefined : entrySplice(text, map, name, change, place)
      if (splice) added.push(splice)
      continue
    }
    const isFirstOnLine = /^ *$/.test(text.slice(lineStart(text, startOf(pair.key)), startOf(pair.key)))
    if (isRemoval(change)) {
      if (!isFirstOnLine) return undefined // behind the mark of a list's item
      splices.push({ from: lineStart(text, startOf(pair.key)), to: endOf(text, pair), text: '' })
    } else if (isWhole(change)) splices.push(valueSplice(text, pair, newPair(name, change.value)))
    else {
      const here = [...place, name]
      refuseElsewhere(pair.value, here)
      splices.push(
        ...(splicesIn(text, pair.value, change, here) ?? [
          valueSplice(text, pair, new Pair(pair.key, changedNode(pair.value, change, here))),
        ]),
      )
    }
  }
  // New entries follow the changes at the end of the last entry.
  return [...splices, ...added]
}

function splicesInList(text: string, list: YAMLSeq, changes: Changes, place: Steps): Splice[] | undefined {
  const splices: Splice[] = []
  for (const [index, change] of changes) {
    const item = list.items[Number(index)] ?? list.items.at(-1)
    if (!isNode(item)) return undefined
    const [start = 0, end = 0] = item.range ?? []
    const from = lineStart(text, start)
    const [, indent] = /^( *)- +$/.exec(text.slice(from, start)) ?? []
    if (indent === undefined) return undefined
    const lines = (value: unknown) =>
      indented(renderNode(new Document([value], { aliasDuplicateObjects: false }).contents), indent)
    const to = lineEnd(text, end)
    if (Number(index) >= list.items.length) {
      const value = isWhole(change) ? change.value : changedNode(null, change, place).toJSON()
      splices.push({ from: to, to, text: lines(value) })
    } else if (isRemoval(change)) splices.push({ from, to, text: '' })
    else if (isWhole(change)) splices.push({ from, to, text: lines(change.value) })
    else {
      const here = [...place, index]
      refuseElsewhere(item, here)
      const below = splicesIn(text, item, change, here)
      if (below) splices.push(...below)
      else {
        const sequence = new YAMLSeq()
        sequence.items.push(changedNode(item, change, here))
        splices.push({ from, to, text: indented(renderNode(sequence), indent) })
      }
    }
  }
  return splices
}

/** A new entry of a map in several lines. */
function entrySplice(
  text: string,
  map: Entries,
  name: string,
  change: PlacedMend | Changes,
  place: Steps,
): Splice {
  const { items } = map
  const index = indexFor(map, name, change, place)
  const value = isWhole(change) ? change.value : changedNode(null, change, [...place, name])
  const start = startOf(items[0]?.key)
  const isFirst = index === 0
  const offset = isFirst ? lineStart(text, start) : endOf(text, items[index - 1])
  // Paths stand apart from one another; what is below them does not.
  const gap = place.length === 1 && place[0] === 'paths' ? '\n' : ''
  const entry = indented(renderPair(newPair(name, value)), ' '.repeat(columnAt(text, start)))
  return { from: offset, to: offset, text: `${isFirst ? '' : gap}${entry}${isFirst ? gap : ''}` }
}

/** The index of a new entry: where the change places it, for a response by its status, or else at the end. */
function indexFor(map: YAMLMap, name: string, change: PlacedMend | Changes, place: Steps): number {
  const keys = map.items.map(({ key }) => String(key))
  const { after, before } = (isWhole(change) && change.position) || {}
  const index =
    before !== undefined ? keys.indexOf(before) : after !== undefined ? keys.indexOf(after) + 1 : -1
  if (index > (before === undefined ? 0 : -1)) return index
  if (place.at(-1) !== 'responses' || place[0] !== 'paths') return keys.length
  const later = keys.findIndex(key => key > name)
  return later < 0 ? keys.length : later
}

/** Another entry in an entry's place, with the comment behind it. */
function valueSplice(text: string, pair: Pair<Node, Node | null>, entry: Pair): Splice {
  const from = startOf(pair.key)
  const [, end = from] = (pair.value ?? pair.key)?.range ?? []
  const [comment] = /^[ \t]+#.*/.exec(text.slice(end)) ?? ['']
  const lines = renderPair(entry).replace('\n', () => `${comment}\n`)
  const indent = ' '.repeat(columnAt(text, from))
  return { from, to: endOf(text, pair), text: indented(lines, indent).slice(indent.length) }
}

/** A node with its changes, in several lines. */
function changedNode(node: Node | null, changes: Changes, place: Steps): YAMLMap | YAMLSeq {
  refuseElsewhere(node, place)
  const changed = isMap(node) || isSeq(node) ? node : new YAMLMap()
  if (isMap(changed)) changed.flow = false
  changed.comment = null
  if (isSeq(changed)) changeItems(changed, changes, place)
  else changeEntries(changed, changes, place)
  if (changed.items.length === 0) changed.flow = true
  return changed
}

function changeItems(list: YAMLSeq, changes: Changes, place: Steps): void {
  for (const [index, change] of [...changes].reverse()) {
    const item = list.items[Number(index)]
    const value = childOf(isNode(item) ? item : null, index, change, place)
    list.items.splice(Number(index), 1, ...(isRemoval(change) ? [] : [value]))
  }
}

function changeEntries(map: YAMLMap, changes: Changes, place: Steps): void {
  for (const [name, change] of changes) {
    const pair = pairOf(map, name)
    const value = childOf(pair?.value ?? null, name, change, place)
    if (isRemoval(change)) map.items = map.items.filter(item => item !== pair)
    else if (pair) pair.value = value
    else map.items.splice(indexFor(map, name, change, place), 0, newPair(name, value))
  }
}

/** The value that a child gets. */
const childOf = (node: Node | null, name: string, change: PlacedMend | Changes, place: Steps): Node | null =>
  isWhole(change)
    ? (newPair(name, change.value).value as Node | null) // made by it
    : changedNode(node, change, [...place, name])

/** An entry by its name, whatever the key is written as: 200 is a number, "200" a text. */
const pairOf = (map: YAMLMap<unknown, unknown>, name: string) =>
  map.items.find(({ key }) => String(key) === name) as Pair<Node, Node | null> | undefined // of a parsed map

/** @throws Misuse if a node is written in another place */
function refuseElsewhere(node: unknown, place: Steps): void {
  const elsewhere = isAlias(node) ? `*${node.source}` : isMap(node) ? node.get('$ref') : undefined
  if (elsewhere !== undefined)
    throw new Misuse(`${place.join(' › ')} is written elsewhere (${elsewhere}): write it there by hand`)
}

const startOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1
const columnAt = (text: string, offset: number) => offset - lineStart(text, offset)
const indented = (lines: string, indent: string) => lines.replace(/^(?=.)/gm, indent)

/** The beginning of the line behind an entry. */
function endOf(text: string, pair: Pair<Node, Node | null> | undefined): number {
  const last = pair?.value ?? pair?.key
  return lineEnd(text, last?.range?.[1] ?? text.length)
}

function lineEnd(text: string, end: number): number {
  if (text[end - 1] === '\n') return end // a block of text ends with its line
  const line = text.indexOf('\n', end)
  return line < 0 ? text.length : line + 1
}

/** An entry as YAML. References, tags and examples stand in one line, as in all of the document. */
export const render = (name: string, value: unknown): string => renderPair(newPair(name, value))

/** The same YAML in one line. A single entry or item needs no brackets around it. */
export function inLine(text: string): string {
  const document = parseDocument(text)
  const root = document.contents
  visit(document, {
    Collection(_, node) {
      node.flow = node !== root || node.items.length > 1
    },
    Scalar(_, scalar) {
      if (String(scalar.value).includes('\n')) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0 }).trimEnd()
}

function newPair(name: string, value: unknown): Pair {
  const document = new Document(new YAMLMap())
  // An object that stands twice is written twice: few people read anchors.
  const pair = document.createPair(name, value, { aliasDuplicateObjects: false })
  const holder = new YAMLMap()
  holder.items.push(pair)
  if (isNode(value)) return pair
  visit(holder, {
    Pair(_, { key, value: child }) {
      const isShort = isScalar(key) && /^(tags|example|x-codes)$/.test(String(key.value))
      if (isShort && isCollection(child)) child.flow = true
    },
    Map(_, map) {
      if (map.has('$ref')) map.flow = true
    },
  })
  visit(holder, {
    Scalar(key, scalar) {
      if (key === 'key' && /^\d/.test(String(scalar.value))) scalar.type = 'QUOTE_DOUBLE'
      if (typeof scalar.value === 'string' && scalar.value.startsWith('#/')) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return pair
}

function renderPair(pair: Pair): string {
  const map = new YAMLMap()
  map.items.push(pair)
  return renderNode(map)
}

const renderNode = (node: Node | null) =>
  new Document(node).toString({ lineWidth: 0 }).replace(/\[ (.*) \]$/gm, '[$1]')
