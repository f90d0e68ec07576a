import { lookUp, type Path } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { type Edit, edit, isNode, keysOf, type Mutator, nextOf, nodeAt, remove, set } from './edit.ts'

/** How much callers may ask: the numbers, names and flags below `x-rate-limits`, whatever its form. */
export const rateLimitMutators: Mutator[] = [rateLimits]

const root = 'x-rate-limits'

function* rateLimits(document: OpenApi): Generator<Edit> {
  const windows = windowsOf(document)
  const plans = keysOf(lookUp(document, [root, 'plans']))
  for (const { at, value } of leavesOf(document[root], [root])) {
    if (typeof value === 'number')
      for (const step of [1, -1])
        if (value + step > 0)
          yield set('rate limit number moved', document, at, value + step, step > 0 ? '+1' : '-1')
    if (typeof value === 'boolean') yield set('rate limit flag flipped', document, at, !value)
    if (typeof value !== 'string' || at[1] === 'windows') continue // where a window is named, not referred to
    for (const names of [windows, plans]) {
      const other = names.includes(value) ? nextOf(names, value) : undefined
      if (other) yield set('rate limit reference changed', document, at, other)
    }
  }
  for (const [index, window] of windows.entries()) {
    const other = nextOf(windows, window)
    if (other)
      yield edit('window removed', [root, 'windows', String(index)], `${window} → (none)`, changed => {
        remove(changed, [root, 'windows', String(index)])
        for (const { at, value } of leavesOf(changed[root], [root]))
          if (at.at(-1) === window) remove(changed, at)
          else if (value === window) nodeAt(changed, at.slice(0, -1))[at.at(-1) ?? ''] = other
      })
  }
}

function windowsOf(document: OpenApi): string[] {
  const windows = lookUp(document, [root, 'windows'])
  return Array.isArray(windows) ? windows.map(window => String(lookUp(window, ['name']))) : []
}

/** Everything below a value that holds nothing itself. */
function* leavesOf(value: unknown, at: Path): Generator<{ at: Path; value: unknown }> {
  if (!isNode(value)) yield { at, value }
  else for (const key of keysOf(value)) yield* leavesOf(value[key], [...at, key])
}
