import { followAt } from './model.ts'
import type { Path } from './pointer.ts'
import type { OpenApi } from './types.ts'
import { childrenOf, type Visited } from './walk.ts'

/** Most objects that may stand in one another, references followed: what goes through them all has a stack of that depth. */
export const nestingLimit = 400

/** An object on the way down, with what of it has not been looked into. */
interface Step {
  node: object
  path: Path
  children: Iterator<Pick<Visited, 'kind' | 'node' | 'path'>>
  /** how many objects stand in one another below it, itself included, as far as is known */
  height: number
}

/**
 * Finds where objects of a document stand in one another too deeply, over references: the longest way that ends at none
 * that it has been at.
 * @returns the place of the first object that has more than `limit` below it, itself included; undefined when none has
 */
export function tooDeepIn(document: OpenApi, limit = nestingLimit): Path | undefined {
  const heights = new Map<object, number>()
  const open = new Set<object>()
  const stack: Step[] = []
  const enter = (kind: Visited['kind'], node: object, path: Path) => {
    const target = followAt(document, node, path)
    if (!target || open.has(target.node)) return
    const known = heights.get(target.node)
    const top = stack.at(-1)
    if (known !== undefined) {
      if (top) top.height = Math.max(top.height, known + 1)
      return
    }
    open.add(target.node)
    stack.push({
      node: target.node,
      path: target.at,
      children: childrenOf(kind, target.node, target.at),
      height: 1,
    })
  }
  enter('document', document, [])
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { done, value } = top.children.next()
    if (!done) {
      enter(value.kind, value.node, value.path)
      continue
    }
    stack.pop()
    open.delete(top.node)
    heights.set(top.node, top.height)
    if (top.height > limit) return top.path
    const above = stack.at(-1)
    if (above) above.height = Math.max(above.height, top.height + 1)
  }
  return undefined
}
