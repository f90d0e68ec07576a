/** A value of a document that remembers where it stands. */
export interface Located<T> {
  document: object
  node: T
  /** the names on the way from the root */
  at: readonly string[]
}

/** The document itself, as the start of every way. */
export function rootOf<T extends object>(document: T): Located<T> {
  return { document, node: document, at: [] }
}

/** What stands under a name, its references followed; nothing when there is nothing. */
export function child<T, K extends string & keyof T>(
  { document, node, at }: Located<T>,
  key: K,
): Located<NonNullable<T[K]>> | undefined {
  const value = node[key]
  return value === undefined || value === null
    ? undefined
    : follow({ document, node: value, at: [...at, key] })
}

/** Where a key stands, or what lacks it. */
export function keyIn({ node, at }: Located<object>, key: string): { at: readonly string[] } {
  return { at: key in node ? [...at, key] : at }
}

/** Each value of a map by its name, references followed; extensions are none of them. */
export function entries<T>(map: Located<Record<string, T>> | undefined): [string, Located<NonNullable<T>>][] {
  if (!map) return []
  return Object.keys(map.node)
    .filter(name => !name.startsWith('x-') || map.at.at(-1) === 'properties' || map.at.at(-1) === 'headers')
    .flatMap(name => {
      const value = child(map, name)
      return value ? [[name, value] as [string, Located<NonNullable<T>>]] : []
    })
}

/** Each element of a list, references followed. */
export function elements<T>(list: Located<readonly T[]> | undefined): Located<T>[] {
  return (list?.node ?? []).map((node, index) =>
    follow({ ...place(list), node, at: [...place(list).at, String(index)] }),
  )
}

function place(list: Located<unknown> | undefined): { document: object; at: readonly string[] } {
  return { document: list?.document ?? {}, at: list?.at ?? [] }
}

/**
 * Follows local references (RFC 6901 in a URI fragment); the place becomes that of the target. What refers to nothing
 * or to itself in a circle stays where it is.
 */
export function follow<T>(located: Located<T>): Located<T> {
  const passed = new Set<unknown>()
  let current = located
  for (;;) {
    const reference = referenceOf(current.node)
    if (!reference || passed.has(reference)) return current
    passed.add(reference)
    const at = reference.slice(2).split('/').map(unescapePointer)
    const node = valueAt(current.document, at)
    if (node === undefined) return current
    current = { document: current.document, node: node as T, at } // a reference points to what may stand in its place
  }
}

/** Where a value refers to inside its document, if it does. */
export function referenceOf(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || !('$ref' in node)) return undefined
  return typeof node.$ref === 'string' && node.$ref.startsWith('#/') ? node.$ref : undefined
}

function valueAt(document: object, at: readonly string[]): unknown {
  return at.reduce<unknown>(
    (parent, name) =>
      typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
        ? (parent as Record<string, unknown>)[name] // it has the name
        : undefined,
    document,
  )
}

function unescapePointer(name: string): string {
  return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The same text for equal values, whatever the order of their keys; the keys in `without` do not count. */
export function canonical(value: unknown, without: readonly string[] = []): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([key]) => !without.includes(key))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  )
}
