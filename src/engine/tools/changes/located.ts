import { schemaKeywords } from 'spec-served-document/model'
import { followAt, type Placed } from 'spec-served-document/reading/nodes'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { childrenOf } from 'spec-served-document/reading/walk'
import type { OpenApi, Reference, Schema } from 'spec-served-document/types'

/** A node that remembers where in which document it stands. */
export interface Located<T> extends Placed<T> {
  from: ReadDocument
}

/** The object that a reference may stand in for. */
type Target<T> = Extract<Exclude<T, Reference>, object>

/** The document itself, as the start of every way. */
export function rootOf(from: ReadDocument): Located<OpenApi> {
  return { from, node: from.document, place: [] }
}

/** Returns the part under a name, with references followed; undefined when there is none. */
export function child<T, K extends string & keyof T>(
  { from, node, place }: Located<T>,
  key: K,
): Located<Target<T[K]>> | undefined {
  const value = node[key]
  if (typeof value !== 'object' || value === null) return undefined
  const target = followAt<object>(from.document, value, [...place, key])
  return target && { from, node: target.node as Target<T[K]>, place: target.place } // a reference leads to its kind
}

/** Returns the place of a key, or of the object that lacks it. */
export function keyIn({ node, place }: Placed<object>, key: string): { place: readonly string[] } {
  return { place: key in node ? [...place, key] : place }
}

/** Maps in which a name that begins with `x-` is one of its author's choice. */
const ofAnyName = new Set([...schemaKeywords.map, 'headers'])

/** Each object of a map by its name, references followed; extensions are none of them. */
export function entries<T>(map: Located<Record<string, T>> | undefined): [string, Located<Target<T>>][] {
  if (!map) return []
  return Object.keys(map.node)
    .filter(name => !name.startsWith('x-') || ofAnyName.has(map.place.at(-1) ?? ''))
    .flatMap(name => {
      const value = child(map, name)
      return value ? [[name, value] as [string, Located<Target<T>>]] : []
    })
}

/** Each object of a list, references followed. */
export function elements<T>(list: Located<readonly T[]> | undefined): Located<Target<T>>[] {
  return list
    ? entries({ ...list, node: Object.fromEntries(list.node.entries()) }).map(([, item]) => item)
    : []
}

/** The schemas right within a schema, each with the keyword and the name or the number that it stands under. */
export function schemasWithin({
  from,
  node,
  place,
}: Located<Schema>): { keyword: string; name: string | undefined; schema: Located<Schema> }[] {
  return [...childrenOf('schema', node, place)].flatMap(({ kind, node: schemaNode, path }) => {
    const target = kind === 'schema' ? followAt(from.document, schemaNode as Schema, path) : undefined // of this kind
    const [keyword = '', name] = path.slice(place.length)
    return target ? [{ keyword, name, schema: { from, ...target } }] : []
  })
}

/** The same text for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** Returns the cached value of a key. A missing value is made once. */
export function remembered<K, V>(
  cache: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const made = make()
  cache.set(key, made)
  return made
}

const numbers = new WeakMap<object, number>()
let count = 0

/** The same text for the same nodes, and no others. */
export function identityOf(nodes: readonly Located<object>[]): string {
  return nodes.map(({ node }) => remembered(numbers, node, () => count++)).join()
}
