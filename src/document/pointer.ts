/** The names on the way from the root of a file to a node. */
export type Path = readonly string[]

/**
 * The way that a JSON Pointer in a URI fragment shows.
 * @returns undefined for a text that is none
 */
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

/** What stands at the end of a way; undefined when it leads nowhere. */
export function lookUp(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, name) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, name)
        ? (node as Record<string, unknown>)[name] // an object of any shape: it has just been found to have the name
        : undefined,
    root,
  )
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
