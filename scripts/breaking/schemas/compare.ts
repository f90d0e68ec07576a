import type { Schema } from '../../../src/document/types.ts'
import { type Change, consequence, opposite, severityFor } from '../change.ts'
import { compareDeprecation } from '../lifecycle.ts'
import { keyOf, type Located } from '../located.ts'
import { compareAlternatives, compareChoice, compareHeirs, soleChoices } from './alternatives.ts'
import { colourOf } from './colour.ts'
import { type Context, type Differences, demand, has, type Step, type Walk } from './difference.ts'
import { compareKeywords, compareTypes, isDisjoint } from './keywords.ts'
import { compareNested, compareProperties } from './properties.ts'
import { settle, settleWhole } from './settle.ts'
import { type All, shapeOf } from './shape.ts'

/**
 * Judges what changes in the values that schemas take: fewer are breaking in a request, more in a response. It follows
 * references, recursive ones once; it reads `allOf` as one schema, so that it is no change to move parts into one. Where
 * keywords alone can't tell, values are drawn and tried. The place of each change is the way into the value.
 */
export function* compareSchemas(
  base: Located<Schema> | undefined,
  next: Located<Schema> | undefined,
  context: Context,
): Generator<Change> {
  const { reader } = context
  const [before, after] = [base ? [base] : [], next ? [next] : []]
  const differences = [...walk(context).compare(before, after, '')]
  for (const { effect, path, why, ...rest } of settleWhole(context, before, after, differences)) {
    const found = severityFor(effect, reader)
    const open = rest.rule === 'enum-value-added' && reader === 'error' && found === 'breaking'
    const severity = open ? 'warning' : found
    yield { ...rest, severity, place: path, why: why ?? consequence(severity, reader) }
  }
}

/**
 * @param passed the pairs that have been met: a recursive schema leads back to one of them
 * @param isInside whether this is a part of what is settled as a whole
 */
function walk(context: Context, passed: Iterable<string> = [], isInside = false): Walk {
  const seen = new Set(passed)
  const here: Walk = {
    context,
    isInside,
    *compare(base, next, path) {
      if (base.length + next.length === 0) return
      if (base.length > 0 && next.length > 0 && colourOf(base) === colourOf(next)) return
      const pair = `${keyOf(base)} ${keyOf(next)}`
      if (seen.has(pair)) return
      seen.add(pair)
      yield* compareWithin(here, base, next, path)
    },
    inside: () => walk(context, seen, true),
  }
  return here
}

/** A choice or a `not` is settled as a whole: what one alternative loses, another may take. */
function* compareWithin(walk: Walk, base: All, next: All, path: string): Differences {
  const { context, isInside } = walk
  const step = { before: shapeOf(base, context.reader), after: shapeOf(next, context.reader), path }
  const isOpen =
    context.isWritten === true ||
    [step.before, step.after].some(({ choices, not }) => choices.length + not.length > 0)
  yield* compareEnds(walk, step)
  const found = compareShapes(isOpen && !isInside ? walk.inside() : walk, base, next, step)
  if (isInside) yield* found
  else yield* settle(context, base, next, step, [...found], isOpen)
}

function* compareShapes(walk: Walk, base: All, next: All, step: Step): Differences {
  const { before, after, path } = step
  const sole = soleChoices(base, next, step)
  if (sole) return yield* compareChoice(walk, ...sole, step)
  if (isDisjoint(step)) yield* compareTypes(step)
  else {
    yield* compareKeywords(step)
    if (has(step, 'array'))
      yield* compareNested(walk, step, 'items', [before.items, after.items], `${path}[]`)
    if (has(step, 'object')) yield* compareProperties(walk, step)
  }
  yield* compareAlternatives(walk, step)
  yield* compareHeirs(walk, step)
  yield* compareNot(walk, step)
}

/** A schema may be deprecated as a parameter may. */
function* compareEnds({ context }: Walk, { before, after, path }: Step): Differences {
  const ended = ({ parts }: Step['before']) => parts.find(({ node }) => node.deprecated) ?? parts[0]
  const [base, next] = [ended(before), ended(after)]
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
  else
    yield* demand(
      step,
      'not',
      [base.length > 0, next.length > 0],
      ['not-added', 'some values are ruled out'],
      ['not-removed', 'some values are no longer ruled out'],
    )
}
