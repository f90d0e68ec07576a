/** The names on the path from the root of a file to a node. */
export type Path = readonly string[]

/** Returns the path that a JSON Pointer in a URI fragment names; undefined for a malformed pointer. */
export function pathOf(fragment: string): Path | undefined {
  if (fragment === '' || fragment === '/') return []
  if (!fragment.startsWith('/')) return undefined
  try {
    return fragment
      .slice(1)
      .split('/')
      .map(name => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}

/** Returns the node at a path; undefined when there is none. */
export function lookUp(root: unknown, path: Path): unknown {
  let node = root
  for (const name of path)
    node = typeof node === 'object' && node && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined
  return node
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
