import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { lookUp, type Path } from '../pointer.ts'
import { DocumentRefused, type Fault } from './fault.ts'

/** One file of a document. */
export interface Source {
  /** absolute */
  file: string
  /** of a document: the folder that its references do not leave; by default the file's own */
  folder?: string
  /** as it was written */
  text: string
  /** its value: objects, lists, texts, numbers, booleans and null */
  value: unknown
  /** Returns the place of a node, or of the nearest written one above it; counts from 1. */
  place(path: Path): { line: number; column: number }
  /** Returns the text of a number; undefined for what is written otherwise. */
  literal?(path: Path): string | undefined
  /** Returns the place in the files where a node was written; only there if overlays were applied. */
  origin?(path: Path): { source: Source; path: Path }
}

/** Deepest nesting; what is deeper is no description of an interface, and would exhaust whoever walks through it. */
const depthLimit = 100
const tooDeeply = `Nodes are nested more than ${depthLimit} deep here: name parts of them as components.`

const yamlOptions = { merge: true, maxAliasCount: 10_000, prettyErrors: false } as const

/** The most faults of YAML that are told of a file. */
const mostFaults = 10

/** The most characters through which the end of a quoted text is looked for. */
const longestText = 100_000

/** The largest file that is read, in MiB. */
const mostMiB = 64

/**
 * Whether a file is in a folder or below it, symbolic links followed: references of a document lead nowhere else. A URL
 * is no file.
 */
export function isWithin(folder: string, file: string): boolean {
  if (/^[a-z][a-z\d+.-]+:/i.test(file)) return false
  const isBelow = (from: string, to: string) => {
    const way = relative(from, to)
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  }
  if (!isBelow(resolve(folder), resolve(file))) return false
  try {
    return isBelow(realpathSync(folder), realpathSync(file))
  } catch {
    return true // there is no such file
  }
}

/**
 * Reads a file in YAML 1.2 (with merge keys) or JSON.
 * @throws DocumentRefused when it can't be read as such
 */
export function readSource(name: string): Source {
  const file = resolve(name)
  let bytes: Buffer
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw refused(file, 'This is a folder: name the file of the document in it.')
    if (!stats.isFile()) throw refused(file, 'This is no regular file: save the document as one.')
    if (stats.size > mostMiB * 2 ** 20)
      throw refused(file, `The file has more than ${mostMiB} MiB: put parts of it into files of their own.`)
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof DocumentRefused) throw error
    throw refused(file, unreadable(name, error))
  }
  if (!isUtf8(bytes)) throw refused(file, 'This is no UTF-8 text: save the document as UTF-8.')
  return parseSource(new TextDecoder().decode(bytes), file) // without a byte order mark
}

/** Says why the system does not read a file, and what to do. */
function unreadable(name: string, error: unknown): string {
  if (/^https?:\/\//.test(name))
    return `This is a URL, and a file is needed: save it first, as by \`curl -o openapi.yaml ${name}\`.`
  const { code }: { code?: unknown } = Object(error)
  if (code === 'ENOENT') return 'There is no such file: name the one that has the document.'
  if (code === 'EACCES' || code === 'EPERM') return 'This user may not read the file: change its permissions.'
  return `The file can't be read (${code}).`
}

/** The same for a text at hand. */
export function parseSource(text: string, name: string): Source {
  const file = isAbsolute(name) ? name : resolve(name)
  if (text.includes('\0')) throw refused(file, 'This is no text: it holds NUL characters.')
  const lines = new LineCounter()
  const tree = parse(text, file, lines)
  const value = toPlain(tree, file)
  const place = (path: Path) => placeIn(tree, lines, path)
  const tooDeep = deeperThan(value, depthLimit)
  if (tooDeep) throw refused(file, tooDeeply, place(tooDeep))
  return { file, text, value, place, literal: path => literalIn(tree, path) }
}

function placeOf(file: string, place = { line: 1, column: 1 }): Omit<Fault, 'message'> {
  return { file: relative('.', file), ...place, pointer: '#', rule: 'readable' }
}

const refused = (file: string, message: string, place?: { line: number; column: number }) =>
  new DocumentRefused([{ ...placeOf(file, place), message }])

function parse(text: string, file: string, lineCounter: LineCounter): Document {
  const document = parseYaml(text, file, lineCounter)
  if (document.errors.length > 0) throw new DocumentRefused(yamlFaults(document, text, file, lineCounter))
  return document
}

function parseYaml(text: string, file: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(text, { ...yamlOptions, lineCounter })
  } catch (error) {
    if (error instanceof RangeError) throw refused(file, tooDeeply)
    throw error
  }
}

/** The first faults of a text, one a line. */
function yamlFaults(document: Document, text: string, file: string, counted: LineCounter): Fault[] {
  const faults: Fault[] = []
  let lines = counted
  for (let [read, written] = [document, text]; read.errors.length > 0; ) {
    // Behind the first fault the parser is lost. Only a repeated key leaves it where it is.
    const lost = read.errors.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
    const errors = lost === -1 ? read.errors : read.errors.slice(0, lost + 1)
    const errorsOfYaml = errors.map(error => ofYaml(file, written, error, lines))
    const cut = faults.length < mostFaults ? cutText(read, written) : undefined
    // The parser takes the rest of a text that is cut for keys, and finds fault with them.
    faults.push(
      ...(cut ? [{ ...placeOf(file, cut.place), rule: 'yaml', message: cut.message }] : errorsOfYaml),
    )
    if (!cut) break
    lines = new LineCounter()
    written = cut.indented
    read = parseYaml(written, file, lines)
  }
  const byLine = new Map(faults.toReversed().map(fault => [fault.line, fault]))
  return [...byLine.values()].sort((fault, other) => fault.line - other.line).slice(0, mostFaults)
}

/**
 * Finds a quoted text whose further lines stand no further in than its key, which YAML does not allow (YAML 1.2.2, 6.1).
 * @returns its fault, and the whole with these lines indented; undefined: the faults are others
 */
function cutText(document: Document, text: string) {
  const ends = new Set(
    document.errors.flatMap(({ code, pos: [position] }) => (code === 'MISSING_CHAR' ? [position] : [])),
  )
  let found: { start: number; end: number } | undefined
  visit(document, {
    Scalar(_, { type, range }) {
      if (!range || !ends.has(range[1]) || !type?.startsWith('QUOTE')) return undefined
      const quoted =
        type === 'QUOTE_DOUBLE'
          ? /^"(?:[^"\\]|\\.)*"(?=[ ,\]}]*(?:#[^\n]*)?$)/ms
          : /^'(?:[^']|'')*'(?=[ ,\]}]*(?:#[^\n]*)?$)/m
      const [whole] = quoted.exec(text.slice(range[0], range[0] + longestText)) ?? []
      if (whole !== undefined) found = { start: range[0], end: range[0] + whole.length }
      return found ? visit.BREAK : undefined
    },
  })
  if (!found) return undefined
  const { start, end } = found
  const before = text.slice(text.lastIndexOf('\n', start) + 1, start)
  const [lead = ''] = /^ *(?:- +)*/.exec(before) ?? []
  // The parent of an item is its dash; a text on a line of its own may be where it is.
  const column =
    lead.length < before.length ? lead.length : lead.includes('-') ? lead.lastIndexOf('-') : lead.length - 1
  const [first = '', ...rest] = text.slice(start, end).split('\n')
  const indented = rest.map(restLine =>
    restLine.trim() === '' ? restLine : restLine.replace(/^ */, spaces => spaces.padEnd(column + 1)),
  )
  const isSame = indented.every((sameLine, index) => sameLine === rest[index])
  if (isSame) return undefined
  const line = text.slice(0, start).split('\n').length
  const [lines, these] =
    rest.length === 1
      ? [`line ${line + 1}`, 'this line']
      : [`lines ${line + 1} to ${line + rest.length}`, 'these lines']
  return {
    place: { line, column: before.length + 1 },
    message: `The quoted text that begins here goes on in ${lines}, no further in than its key: begin ${these} with ${column + 1} spaces or more.`,
    indented: text.slice(0, start) + [first, ...indented].join('\n') + text.slice(end),
  }
}

function ofYaml(file: string, text: string, error: YAMLError, lines: LineCounter): Fault {
  const { line, col } = lines.linePos(error.pos[0])
  return { ...placeOf(file, { line, column: col }), rule: 'yaml', message: wordsOf(text, error, lines) }
}

/** Says what is wrong with YAML, and what to do. */
function wordsOf(text: string, { code, message, pos: [offset] }: YAMLError, lines: LineCounter): string {
  // The library tells of its own exhausted stack as of a fault in the text.
  if (message.startsWith('Maximum call stack')) return tooDeeply
  if (code === 'TAB_AS_INDENT') return 'This line is indented by a tab: use spaces.'
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && /Nested mappings/.test(message)) return withColon(text, offset)
  if (code === 'MULTILINE_IMPLICIT_KEY')
    return 'This line has no value of its own: write `name: value`, with a colon and a space, or indent it below its name.'
  if (code === 'DUPLICATE_KEY') {
    const [written = ''] = /^(?:"[^"\n]*"|'[^'\n]*'|[^:,\s{}]+)/.exec(text.slice(offset)) ?? []
    const first = firstKey(text, offset)
    const where = first === undefined ? '' : `, first in line ${lines.linePos(first).line}`
    return `The key ${written} is there twice in one object${where}: leave one of them out.`
  }
  return message.split('\n')[0] ?? ''
}

/** Says what is wrong with a text in which a value begins: it goes on in a line that is a key by its look, or has a colon itself. */
function withColon(text: string, offset: number): string {
  const [line = '', next = ''] = text.slice(offset).split('\n')
  if (!/:(\s|$)/.test(line) && /^\s+[^\s:]+:(\s|$)/.test(next))
    return 'The next line is indented further than this one, so it is part of this text: begin both lines with the same number of spaces.'
  return 'This text has “: ” in it, which begins a value: put the text in quotes.'
}

/** Returns the place of the first of two equal keys of one map. @param second the place of the other one */
function firstKey(text: string, second: number): number | undefined {
  let found: number | undefined
  visit(parseDocument(text, { ...yamlOptions, uniqueKeys: false }), {
    Map(_, { items }) {
      const keys = items.flatMap(({ key: itemKey }) => (isScalar(itemKey) && itemKey.range ? [itemKey] : []))
      const key = keys.find(({ range }) => range?.[0] === second)
      if (!key) return undefined
      found = keys.find(({ value }) => value === key.value)?.range?.[0]
      return visit.BREAK
    },
  })
  return found
}

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS(yamlOptions)
  } catch (error) {
    // The library refuses aliases that unfold without end, and merge keys of what is no map.
    throw refused(file, `The YAML can't be unfolded: ${error instanceof Error ? error.message : error}`)
  }
}

/** The way to a node that lies deeper than a limit. */
function deeperThan(root: unknown, limit: number): Path | undefined {
  // Level by level, so that no nesting exhausts the stack; shared nodes are looked at once, at their least depth.
  const seen = new Set<object>()
  let level: { node: unknown; path: Path }[] = [{ node: root, path: [] }]
  for (let depth = 0; depth < limit; depth++)
    level = level.flatMap(({ node, path }) => {
      if (typeof node !== 'object' || node === null || seen.has(node)) return []
      seen.add(node)
      return Object.entries(node).map(([name, child]) => ({ node: child, path: [...path, name] }))
    })
  return level.find(({ node }) => typeof node === 'object' && node !== null)?.path
}

/** Returns the text of the number at a path. */
function literalIn(document: Document, path: Path): string | undefined {
  let node: unknown = document.contents
  for (const name of path) {
    const pair = isMap(node)
      ? node.items.find(item => isScalar(item.key) && String(item.key.value) === name)
      : undefined
    const value: unknown = pair ? pair.value : lookUp(node, ['items', name])
    node = isAlias(value) ? value.resolve(document) : value
  }
  return isScalar(node) && typeof node.value === 'number' ? node.source : undefined
}

/** A key's own place where it has one, else its value's. */
function placeIn(document: Document, lines: LineCounter, path: Path): { line: number; column: number } {
  let node: unknown = document.contents
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const name of path) {
    if (!isNode(node)) break
    const pair = isMap(node)
      ? node.items.find(item => isScalar(item.key) && String(item.key.value) === name)
      : undefined
    const value: unknown = pair ? pair.value : lookUp(node, ['items', name])
    const child = isAlias(value) ? value.resolve(document) : value
    const marked: unknown = isPair(pair) ? pair.key : child
    if (!isNode(marked)) break
    offset = marked.range?.[0] ?? offset
    node = child
  }
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
