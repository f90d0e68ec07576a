/** Any object of a document, by its keys. */
export type Node = Record<string, unknown>

/** One small change of meaning. */
export interface Change {
  kind: string
  /** the new values of keys of one object, undefined for none; the first of them names the place */
  keys: Node
  /** tells apart changes of one kind at one place */
  detail: string
  /** the changes that must follow elsewhere in the document’s JSON */
  rewrite: (text: string) => string
}

export const change = (kind: string, keys: Node, detail = '', rewrite = (text: string) => text): Change => ({
  kind,
  keys,
  detail,
  rewrite,
})

/** The value after one, the first one after the last; undefined where there is no other. */
export function nextOf<T>(values: readonly T[], value: T): T | undefined {
  const others = [...new Set(values)]
  const next = others[(others.indexOf(value) + 1) % others.length]
  return next === value ? undefined : next
}

/** The keys of an object, none where there is no object. */
export const keysOf = (value: unknown) => Object.keys(Object(value))

/** The same object without a key. */
export const without = (node: unknown, key: string): Node => ({ ...Object(node), [key]: undefined })

/** The same object with another name for a key, at the same place. */
export const renamed = (node: unknown, from: string, to: string): Node =>
  Object.fromEntries(Object.entries(Object(node)).map(([key, value]) => [key === from ? to : key, value]))

/** Each of these keys, taken away. */
export const gone = (keys: readonly string[]): Node => Object.fromEntries(keys.map(key => [key, undefined]))
