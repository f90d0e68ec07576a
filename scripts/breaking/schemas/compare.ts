import type { Schema } from '../../../src/document/types.ts'
import { type Change, consequence, narrows, opposite, severityFor, widens } from '../change.ts'
import { compareDeprecation } from '../lifecycle.ts'
import type { Located } from '../located.ts'
import { choiceOf, compareAlternatives, compareChoice, soleAlternative } from './alternatives.ts'
import { compareBounds, compareMultiples } from './bounds.ts'
import { type Context, type Differences, difference, has, type Step, type Walk } from './difference.ts'
import { compareNested } from './nested.ts'
import { compareProperties } from './properties.ts'
import { type All, shapeOf } from './shape.ts'
import { compareTypes, isDisjoint } from './types.ts'
import {
  compareDefaults,
  compareFormats,
  comparePatterns,
  compareUniqueness,
  compareValues,
} from './values.ts'

/**
 * Judges what changes in the values that schemas take: fewer are breaking in a request, more in a response. It follows
 * references, recursive ones once; it reads `allOf` as one schema, so that it is no change to move parts into one. The
 * place of each change is the way into the value.
 */
export function* compareSchemas(
  base: Located<Schema> | undefined,
  next: Located<Schema> | undefined,
  context: Context,
): Generator<Change> {
  if (!base && !next) return
  const { reader } = context
  const differences = walk(context).compare(base ? [base] : [], next ? [next] : [], '')
  for (const { effect, path, why, ...rest } of differences) {
    const found = severityFor(effect, reader)
    const open = rest.rule === 'enum-value-added' && reader === 'error' && found === 'breaking'
    const severity = open ? 'warning' : found
    yield { ...rest, severity, place: path, why: why ?? consequence(severity, reader) }
  }
}

/** The keywords that stand alone. */
const constraints = [
  compareTypes,
  compareValues,
  compareFormats,
  compareBounds,
  comparePatterns,
  compareMultiples,
  compareUniqueness,
  compareDefaults,
]

/** @param passed the pairs that have been met: a recursive schema leads back to one of them */
function walk(context: Context, passed: Iterable<string> = []): Walk {
  const seen = new Set(passed)
  const here: Walk = {
    context,
    *compare(base, next, path) {
      const pair = [base, next].map(all => all.map(({ at }) => at.join('\0')).join('\x01')).join('\x02')
      if (seen.has(pair)) return
      seen.add(pair)
      yield* compareShapes(here, base, next, path)
    },
    isSame: (base, next) => walk(context, seen).compare(base, next, '').next().done === true,
  }
  return here
}

function* compareShapes(walk: Walk, base: All, next: All, path: string): Differences {
  const { reader } = walk.context
  const [before, after] = [shapeOf(base, reader), shapeOf(next, reader)]
  const step = { before, after, path }
  yield* compareEnds(walk, step)
  const [was, is] = [choiceOf(before), choiceOf(after)]
  if (was && !is && next.length > 0)
    return yield* compareChoice(walk, was, soleAlternative(was.kind, next), step)
  if (is && !was && base.length > 0)
    return yield* compareChoice(walk, soleAlternative(is.kind, base), is, step)
  if (isDisjoint(step)) yield* compareTypes(step)
  else {
    for (const constraint of constraints) yield* constraint(step)
    if (has(step, 'array'))
      yield* compareNested(walk, step, 'items', [before.items, after.items], `${path}[]`)
    if (has(step, 'object')) yield* compareProperties(walk, step)
  }
  yield* compareAlternatives(walk, step)
  yield* compareNot(walk, step)
}

/** A schema may be deprecated as a parameter may. */
function* compareEnds({ context }: Walk, { before, after, path }: Step): Differences {
  const [base, next] = [before.parts[0], after.parts[0]]
  if (!base || !next || !(base.node.deprecated || next.node.deprecated)) return
  for (const { severity, place, ...rest } of compareDeprecation(base, next, {
    ...context,
    mayBeEndless: true,
  }))
    yield { ...rest, effect: { request: severity, response: severity }, path }
}

/** What a schema must not be: there, fewer means more. */
function* compareNot(walk: Walk, step: Step): Differences {
  const [base, next] = [step.before.not, step.after.not]
  if (base.length > 0 && next.length > 0)
    for (const found of walk.compare(base, next, `${step.path} not`.trim()))
      yield { ...found, effect: opposite(found.effect) }
  else if (next.length > 0) yield difference(step, narrows, 'not-added', ['not'], 'some values are ruled out')
  else if (base.length > 0)
    yield difference(step, widens, 'not-removed', ['not'], 'some values are no longer ruled out')
}
