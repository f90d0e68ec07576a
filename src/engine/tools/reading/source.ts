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
  type YAMLError,
} from 'yaml'
import { lookUp, type Path } from '../../document/pointer.ts'
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
  /** Returns the place in the files where a node was written; only there if overlays were applied. */
  origin?(path: Path): { source: Source; path: Path }
}

/** Deepest nesting; what is deeper is no description of an interface, and would exhaust whoever walks through it. */
const depthLimit = 100
const tooDeeply = `Nodes are nested more than ${depthLimit} deep here: name parts of them as components.`

const yamlOptions = { merge: true, maxAliasCount: 10_000, prettyErrors: false } as const

/** The largest file that is read, in MiB. */
export const mostMiB = 64

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
    if (!stats.isFile()) throw refused(file, 'This is no regular file: save the document as one.')
    if (stats.size > mostMiB * 2 ** 20)
      throw refused(file, `The file has more than ${mostMiB} MiB: put parts of it into files of their own.`)
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof DocumentRefused) throw error
    throw refused(file, `The file can't be read (${(error as NodeJS.ErrnoException).code}).`) // what the system refuses
  }
  if (!isUtf8(bytes)) throw refused(file, 'This is no UTF-8 text: save the document as UTF-8.')
  return parseSource(new TextDecoder().decode(bytes), file) // without a byte order mark
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
  return { file, text, value, place }
}

function at(file: string, place = { line: 1, column: 1 }): Omit<Fault, 'message'> {
  return { file: relative('.', file), ...place, pointer: '#', rule: 'readable' }
}

const refused = (file: string, message: string, place?: { line: number; column: number }) =>
  new DocumentRefused([{ ...at(file, place), message }])

function parse(text: string, file: string, lineCounter: LineCounter): Document {
  let document: Document
  try {
    document = parseDocument(text, { ...yamlOptions, lineCounter })
  } catch (error) {
    if (error instanceof RangeError) throw refused(file, tooDeeply)
    throw error
  }
  if (document.errors.length > 0)
    throw new DocumentRefused(document.errors.slice(0, 10).map(error => ofYaml(file, error, lineCounter)))
  return document
}

function ofYaml(file: string, error: YAMLError, lines: LineCounter): Fault {
  const { line, col } = lines.linePos(error.pos[0])
  // The library tells of its own exhausted stack as of a fault in the text.
  const message = error.message.startsWith('Maximum call stack') ? tooDeeply : error.message.split('\n')[0]
  return { ...at(file, { line, column: col }), rule: 'yaml', message: message ?? '' }
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
