import { lookUp, type Path, pointerTo } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'

/** Any object or array of a document, by its keys. */
export type Node = Record<string, unknown>

/** One change of a document: what is changed where, and how. */
export interface Edit {
  kind: string
  at: Path
  /** tells apart edits of one kind at one place */
  detail?: string
  /** 'from → to', for people */
  change: string
  /** changes the document it is given */
  make(document: OpenApi): void
}

/** Lists the edits of some kinds that a document has room for. */
export type Mutator = (document: OpenApi) => Iterable<Edit>

/** Gives the key at `at` a value, whether it had one or not. */
export function set(kind: string, document: OpenApi, at: Path, value: unknown, detail?: string): Edit {
  const before = lookUp(document, at)
  return edit(
    kind,
    at,
    `${before === undefined ? '(none)' : show(before)} → ${show(value)}`,
    root => {
      nodeAt(root, at.slice(0, -1))[at.at(-1) ?? ''] = value
    },
    detail,
  )
}

/** Takes the key or the array item at `at` away; `name` says to people what it was. */
export function drop(kind: string, document: OpenApi, at: Path, name?: string): Edit {
  return edit(kind, at, `${name ?? show(lookUp(document, at))} → (none)`, root => remove(root, at))
}

/** Any other edit. */
export function edit(kind: string, at: Path, change: string, make: Edit['make'], detail?: string): Edit {
  return { kind, at, change, make, ...(detail === undefined ? {} : { detail }) }
}

/** Takes the key or the array item at `at` out of a document. */
export function remove(root: OpenApi, at: Path): void {
  const key = at.at(-1) ?? ''
  const parent = nodeAt(root, at.slice(0, -1))
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

/** Renames a key of an object; the keys keep their order. */
export function renameKey(node: Node, from: string, to: string): void {
  const entries = Object.entries(node)
  for (const [key] of entries) delete node[key]
  for (const [key, value] of entries) node[key === from ? to : key] = value
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** The object or array at a path that is known to lead to one. Throws where it does not. */
export function nodeAt(root: unknown, at: Path): Node {
  const node = lookUp(root, at)
  if (!isNode(node)) throw new Error(`There is no object at ${pointerTo(at)}.`)
  return node
}

/** The keys of an object, none where there is no object. */
export const keysOf = (value: unknown) => (isNode(value) ? Object.keys(value) : [])

/** A copy that shares nothing, not even what a YAML alias has made one. */
export function copy<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** A value in few words. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? '(none)'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** The value after `value`, the first one after the last; undefined where there is no other. */
export function nextOf<T>(values: readonly T[], value: T): T | undefined {
  const others = [...new Set(values)]
  const next = others[(others.indexOf(value) + 1) % others.length]
  return next === value ? undefined : next
}

/** A name like `wanted` that is not taken. */
export function free(wanted: string, taken: readonly string[]): string {
  return taken.includes(wanted) ? free(`${wanted}X`, taken) : wanted
}
