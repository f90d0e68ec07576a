import { type Effect, narrows, widens } from '../change.ts'
import { type Differences, difference, kebab, type Step, type Walk } from './difference.ts'
import type { All } from './shape.ts'

/** Judges what changes in the schema of all items or of all other properties; without one they may be anything. */
export function* compareNested(
  walk: Walk,
  step: Step,
  keyword: 'items' | 'additionalProperties',
  [base, next]: readonly [All, All],
  path: string,
): Differences {
  const report = (effect: Effect, rule: string, what: string) => ({
    ...difference(step, effect, `${kebab(keyword)}-${rule}`, [keyword], what),
    path,
  })
  if (base.length > 0 && next.length > 0) yield* walk.compare(base, next, path)
  else if (next.length > 0) yield report(narrows, 'constrained', 'not everything is taken any more')
  else if (base.length > 0) yield report(widens, 'unconstrained', 'anything is taken now')
}
