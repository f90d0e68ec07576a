import { type Path, pathOf } from '../pointer.ts'
import type { OpenApi, Reference, Schema } from '../types.ts'
import { followAt, referenceTo } from './nodes.ts'
import { childrenOf, type Visited } from './walk.ts'

/** The limit of objects in one another, over references. Code that walks them needs a stack of that depth. */
export const nestingLimit = 400

/**
 * Finds where objects of a document stand in one another too deeply, over references. It takes the longest way that
 * ends at no object a second time.
 * @returns the place of an object that has more than `nestingLimit` below it; undefined when none has
 */
export function tooDeepIn(document: OpenApi): Path | undefined {
  const heights = new Map<object, number>()
  /** the way down to an object, with where its objects stand */
  const open = new Map<object, Path>()
  let found: Path | undefined
  /** @returns how many objects stand in one another, the node included, as far as is known */
  function heightOf(kind: Visited['kind'], node: object, path: Path): number {
    const target = followAt(document, node, path)
    if (!target || found || open.has(target.node)) return 0
    const cached = heights.get(target.node)
    if (cached !== undefined) return cached
    open.set(target.node, target.place)
    // No way down is followed for longer than it takes to know.
    if (open.size > 2 * nestingLimit) found = [...open.values()][nestingLimit]
    let height = 1
    for (const child of childrenOf(kind, target.node, target.place))
      height = Math.max(height, 1 + heightOf(child.kind, child.node, child.path))
    open.delete(target.node)
    heights.set(target.node, height)
    if (height > nestingLimit) found ??= target.place
    return height
  }
  heightOf('document', document, [])
  return found
}

/** Whether a component is only made of itself, through allOf and the like. */
export function containsItself({ components }: OpenApi, name: string): boolean {
  const seen = new Set<string>()
  const visit = (node: Schema | Reference | undefined): boolean => {
    if (!node) return false
    if ('$ref' in node && typeof node.$ref === 'string') {
      const target = pathOf(node.$ref.slice(1))?.[2] ?? ''
      if (target === name && seen.size > 0) return true
      if (seen.has(target)) return false
      seen.add(target)
      return visit(components?.schemas?.[target])
    }
    const {
      allOf = [],
      anyOf = [],
      oneOf = [],
      not,
      if: condition,
      then,
      else: otherwise,
      dependentSchemas,
    } = node as Schema // no reference
    const single = [not, condition, then, otherwise, ...Object.values(dependentSchemas ?? {})]
    return [...allOf, ...anyOf, ...oneOf, ...single].some(visit)
  }
  return visit({ $ref: referenceTo(['components', 'schemas', name]) })
}
