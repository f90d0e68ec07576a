import { followAt, modelOf } from '../../src/document/model.ts'
import { lookUp, type Path, pointerTo } from '../../src/document/pointer.ts'
import type { OpenApi } from '../../src/document/types.ts'
import type { Kind } from '../document/reading/grammar.ts'
import { childrenOf } from '../document/walk.ts'

/** Any object of a document, by its keys. */
export type Node = Record<string, unknown>

/** One small change of meaning in a document. */
export interface Change {
  kind: string
  at: Path
  /** tells apart changes of one kind at one place */
  detail: string
  /** changes the document it is given, or makes another of it */
  make(document: OpenApi): OpenApi
}

/** A key of a document and what it becomes; undefined takes it away. */
type Assignment = readonly [at: Path, value: unknown]

/** Gives the key at `at` another value, or takes it away (undefined), with all that has to follow. */
export function change(kind: string, at: Path, value: unknown, detail = '', ...more: Assignment[]): Change {
  const make = (document: OpenApi) => {
    for (const [path, to] of [[at, value] as const, ...more]) {
      const parent = lookUp(document, path.slice(0, -1)) as Node // the caller has found it
      const key = path.at(-1) ?? ''
      if (to === undefined) delete parent[key]
      else parent[key] = structuredClone(to)
    }
    return document
  }
  return { kind, at, detail, make }
}

/** The value after one, the first one after the last; undefined where there is no other. */
export function nextOf<T>(values: readonly T[], value: T): T | undefined {
  const others = [...new Set(values)]
  const next = others[(others.indexOf(value) + 1) % others.length]
  return next === value ? undefined : next
}

/** The keys of an object, none where there is no object. */
export const keysOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value) : []

/** An object of a document where it stands: one of `components` once, however often it is used. */
export interface Place {
  kind: Kind
  at: Path
  node: Node
  /** the kinds of what it is part of, wherever it is used */
  owners: Set<Kind>
}

const kinds: readonly Kind[] = [
  'operation',
  'parameter',
  'requestBody',
  'response',
  'header',
  'mediaType',
  'schema',
]

/** Every object that decides what is sent and answered, as operations reach it. */
export function placesOf(document: OpenApi): Place[] {
  const found = new Map<string, Place>()
  const visit = (kind: Kind, from: Path, owner: Kind) => {
    const { at, node } = resolvedAt(document, from)
    const known = found.get(pointerTo(at))
    known?.owners.add(owner)
    if (known || !kinds.includes(kind)) return
    found.set(pointerTo(at), { kind, at, node, owners: new Set([owner]) })
    for (const child of childrenOf(kind, node, at)) visit(child.kind, child.path, kind)
  }
  for (const { at } of modelOf(document).operations) visit('operation', at, 'pathItem')
  return [...found.values()]
}

/** The object at `at`, or what its reference points to, with its own place; an empty one where there is none. */
export function resolvedAt(document: OpenApi, at: Path): { at: Path; node: Node } {
  const node = lookUp(document, at)
  const target = typeof node === 'object' && node !== null ? followAt<object>(document, node, at) : undefined
  return target ? { at: target.at, node: target.node as Node } : { at, node: {} } // of any keys
}
