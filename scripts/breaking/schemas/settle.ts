import { differs, type Effect, narrows, widens } from '../change.ts'
import { isTriable } from '../trial/scalars.ts'
import type { Trial } from '../trial/trial.ts'
import { colourOf } from './colour.ts'
import { type Context, type Difference, type Differences, placeIn, type Step } from './difference.ts'
import { wordsBeyond } from './patterns.ts'
import type { All, Shape } from './shape.ts'

/** What differences of whole sets become when no value shows them. */
const none: Effect = { request: 'info', response: 'info' }
const unseen = 'no value was found that only one of them takes'

/**
 * Holds what the keywords of two schemas tell against values that are drawn of both: a value that only one takes is the
 * example of a difference, and proves one that no keyword told. Where values tell more than keywords, a difference that
 * none shows is nothing to worry about.
 * @param isOpen whether keywords can't tell by themselves
 */
export function* settle(
  context: Context,
  base: All,
  next: All,
  step: Step,
  found: readonly Difference[],
  isOpen: boolean,
): Differences {
  const isHere = (difference: Difference) => isOpen || difference.path === step.path
  const isConclusive = isOpen || areScalars(step)
  const asked = isOpen || found.some(one => isHere(one) && isOfSets(one))
  const trial =
    asked && base.length > 0 && next.length > 0 ? tried(context, base, next, !isConclusive) : undefined
  if (!trial) return yield* found
  for (const one of found)
    yield isHere(one) && isOfSets(one) ? seen(one, trial, isConclusive && isTried(one, step)) : one
  if (isOpen) yield* untold(trial, found, step)
}

/** The same for schemas as a whole: whatever the parts tell, a value that clients may not send any more must be told. */
export function settleWhole(
  context: Context,
  base: All,
  next: All,
  found: readonly Difference[],
): Difference[] {
  if (base.length === 0 || next.length === 0 || colourOf(base) === colourOf(next)) return [...found]
  const side = context.reader === 'request' ? 'request' : 'response'
  if (found.some(({ effect }) => effect[side] !== 'info')) return [...found]
  const trial = tried(context, base, next)
  const known = new Set(found.map(({ rule }) => rule))
  if (!trial || known.has('property-removed')) return [...found]
  const step = { before: { parts: base }, after: { parts: next }, path: '' }
  return [...found, ...[...untold(trial, found, step)].filter(({ effect }) => effect[side] === 'breaking')]
}

function tried(
  { trials, reader, isWritten = false }: Context,
  base: All,
  next: All,
  forExample = false,
): Trial | undefined {
  return trials.try(base, next, { reader, isWritten }, forExample)
}

/** Whether a difference is one of the sets of values that schemas take, and not of what is promised besides. */
function isOfSets({ effect }: Difference): boolean {
  return effect === narrows || effect === widens || effect === differs
}

/** Whether values that are drawn would show a difference. */
function isTried({ rule }: Difference, { before, after }: Step): boolean {
  return !rule.startsWith('format-') || [...before.formats, ...after.formats].every(isTriable)
}

/** Whether all that schemas say of a value itself is tried: of objects and lists too much can be said. */
function areScalars({ before, after }: Step): boolean {
  const types = [...before.types, ...after.types]
  if (types.includes('object') || types.includes('array')) return false
  const [patterns, others] = [before.patterns, after.patterns]
  return patterns.size + others.size === 0 || wordsBeyond(patterns, others) !== undefined
}

function seen(one: Difference, { lost, fresh, isTelling }: Trial, isConclusive: boolean): Difference {
  const mayNarrow = one.effect !== widens
  const mayWiden = one.effect !== narrows
  const narrowed = mayNarrow && (lost !== undefined || !isConclusive || !isTelling.lost)
  const widened = mayWiden && (fresh !== undefined || !isConclusive || !isTelling.fresh)
  const example = textOf((narrowed && lost) || (widened && fresh) || undefined)
  if (!narrowed && !widened) return { ...one, effect: none, why: unseen }
  const effect = narrowed && widened ? differs : narrowed ? narrows : widens
  const rule =
    effect === one.effect ? one.rule : one.rule.replace(/-changed$/, narrowed ? '-narrowed' : '-widened')
  return { ...one, effect, rule, ...(example && !one.example ? { example } : {}) }
}

/** What values show and no keyword told. */
function* untold(
  { lost, unknown }: Trial,
  found: readonly Difference[],
  { before, after, path }: { before: Pick<Shape, 'parts'>; after: Pick<Shape, 'parts'>; path: string },
): Differences {
  const told = (side: keyof Effect) =>
    found.some(({ effect, rule }) => effect[side] !== 'info' || rule === 'property-removed')
  const place = placeIn(before.parts, after.parts)
  const isExclusive = after.parts.some(({ node }) => node.oneOf)
  if (lost && !told('request'))
    yield {
      effect: narrows,
      rule: isExclusive ? 'alternatives-overlap' : 'values-narrowed',
      path,
      ...place,
      what: isExclusive ? 'a value fits not exactly one of oneOf any more' : 'a value is not taken any more',
      example: textOf(lost),
    }
  if (unknown && !told('response'))
    yield {
      effect: widens,
      rule: 'values-widened',
      path,
      ...place,
      what: 'a value is taken now',
      example: textOf(unknown),
    }
}

const exampleLength = 200

function textOf(found: { value: unknown } | undefined): string | undefined {
  const text = found && JSON.stringify(found.value)
  return text && text.length > exampleLength ? `${text.slice(0, exampleLength)}…` : text
}
