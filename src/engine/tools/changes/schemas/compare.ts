import type { Schema } from 'spec-served-document/types'
import { type Change, consequence, opposite, severityFor } from '../change.ts'
import { compareDeprecation } from '../deprecations.ts'
import { canonical, identityOf, type Located } from '../located.ts'
import { compareAlternatives, compareChoice, compareHeirs, signOf, soleChoices } from './alternatives.ts'
import { type Context, type Differences, demand, has, type Step } from './difference.ts'
import { classOf } from './equivalence.ts'
import { compareItems } from './items.ts'
import { compareKeywords, compareTypes, isDisjoint } from './keywords.ts'
import { compareProperties } from './properties.ts'
import { settle, settleWhole } from './settle.ts'
import { jointShapeOf } from './shape.ts'

/**
 * Judges what changes in the values that schemas take: fewer are breaking in a request, more in a response. It follows
 * references, recursive ones once. It reads `allOf` as one schema, so that parts may move into one. Where keywords
 * alone can't decide, values are drawn and tried. The place of each change is the way into the value.
 */
export function* compareSchemas(before: Place, after: Place, context: Context): Generator<Change> {
  const { reader } = context
  const [base, next] = [before ? [before] : [], after ? [after] : []]
  const found = [...comparison(context)(base, next, '')]
  for (const { effect, path, why, ...rest } of settleWhole({ context, base, next, path: '' }, found)) {
    const usual = severityFor(effect, reader)
    // Clients are asked to expect values that they don't know: in errors always, elsewhere by `x-open-enum`.
    const isTold =
      rest.rule === 'open-enum-value-added' || (rest.rule === 'enum-value-added' && reader === 'error')
    const severity = isTold && usual === 'breaking' ? 'warning' : usual
    yield { ...rest, severity, part: path, why: why ?? consequence(severity, reader) }
  }
}

type Place = Located<Schema> | undefined

/**
 * Compares two schemas, and what is within them.
 * @param passed the pairs that have been met: a recursive schema leads back to one of them
 * @param isInside whether this is a part of what is settled as a whole
 */
function comparison(context: Context, passed: Iterable<string> = [], isInside = false): Step['compare'] {
  const seen = new Set(passed)
  return function* compare(base, next, path): Differences {
    if (base.length + next.length === 0) return
    if (base.length > 0 && next.length > 0 && classOf(base) === classOf(next)) return
    const pair = `${identityOf(base)} ${identityOf(next)}`
    if (seen.has(pair)) return
    seen.add(pair)
    const [before, after] = [jointShapeOf(base, context.reader), jointShapeOf(next, context.reader)]
    // A choice or a `not` that differs is settled as a whole: what one alternative loses, another may take. So may a pattern.
    const [olds, news] = [before, after].map(({ choices, not, patterned }) =>
      canonical([choices.map(signOf).sort(), classOf(not), [...patterned.keys()].sort()]),
    )
    const isOpen = context.isWritten || olds !== news
    const inner = isOpen && !isInside ? comparison(context, seen, true) : compare
    const step = { base, next, before, after, path, context, compare: inner }
    yield* compareEnds(step)
    yield* isInside ? compareShapes(step) : settle(step, [...compareShapes(step)], isOpen === true)
  }
}

function* compareShapes(step: Step): Differences {
  const sole = soleChoices(step)
  if (sole) return yield* compareChoice(...sole, step)
  if (isDisjoint(step)) yield* compareTypes(step)
  else {
    yield* compareKeywords(step)
    if (has(step, 'array')) yield* compareItems(step)
    if (has(step, 'object')) yield* compareProperties(step)
  }
  yield* compareAlternatives(step)
  yield* compareHeirs(step)
  yield* compareNot(step)
}

/** A schema may be deprecated as a parameter may. */
function* compareEnds({ before, after, path, context }: Step): Differences {
  const [base, next] = [before, after].map(
    ({ parts }) => parts.find(({ node }) => node.deprecated) ?? parts[0],
  )
  if (!base || !next || !(base.node.deprecated || next.node.deprecated)) return
  const found = compareDeprecation(base, next, { ...context, mayBeEndless: true })
  for (const { severity, part, ...rest } of found)
    yield { ...rest, effect: { request: severity, response: severity }, path }
}

/** Compares the schemas under `not`: if they take fewer values, the whole takes more. */
function* compareNot(step: Step): Differences {
  const [base, next] = [step.before.not, step.after.not]
  const isSaid = [base.length > 0, next.length > 0] as const
  yield* demand(step, 'not', isSaid, ['not-added', 'not-removed'])
  if (base.length > 0 && next.length > 0)
    for (const found of step.compare(base, next, `${step.path} not`.trim()))
      yield { ...found, effect: opposite(found.effect) }
}
