import { differs, type Impact, narrows, widens } from '../change.ts'
import { type Difference, type Differences, placeIn, type Step } from './difference.ts'
import { classOf } from './equivalence.ts'
import { wordsBeyond } from './patterns.ts'
import { isTriable } from './scalars.ts'
import type { Trial } from './trial.ts'

/** The effect of a difference of whole sets that no value shows. */
const none: Impact = { request: 'info', response: 'info' }
const unseen = 'no value was found that only one of them takes'
const untried =
  'it lies too deep, or among too many alternatives, to be tried with values: by its keywords it breaks clients'

/**
 * Compares what the keywords of two schemas say with values that are drawn of both. A value that only one takes is
 * the example of a difference. It also proves a difference that no keyword shows. Where values show more than keywords,
 * a difference that none shows is nothing to worry about.
 * @param isOpen whether keywords can't decide by themselves
 */
export function* settle(step: Step, found: readonly Difference[], isOpen: boolean): Differences {
  const isMeant = (difference: Difference) =>
    difference.effect.isOfValues && (isOpen || difference.path === step.path)
  const isConclusive = isOpen || areScalars(step)
  const trial = isOpen || found.some(isMeant) ? tried(step, !isConclusive) : undefined
  if (!trial) return yield* found
  for (const difference of found)
    yield isMeant(difference)
      ? seen(difference, trial, isConclusive && isTried(difference, step))
      : difference
  if (isOpen) yield* untold(trial, found, { ...step, base: step.before.parts, next: step.after.parts })
}

/** The same for schemas as a whole. Whatever the parts show, it names a value that clients may not send any more. */
export function settleWhole(place: Place, found: readonly Difference[]): readonly Difference[] {
  const side = place.context.reader === 'request' ? 'request' : 'response'
  const isTold = found.some(({ effect, rule }) => effect[side] !== 'info' || rule === 'property-removed')
  const trial = isTold || classOf(place.base) === classOf(place.next) ? undefined : tried(place)
  const more = trial ? [...untold(trial, found, place)] : []
  return [...found, ...more.filter(({ effect }) => effect[side] === 'breaking')]
}

/** The schemas that are tried, and where. */
type Place = Pick<Step, 'context' | 'base' | 'next' | 'path'>

function tried({ context, base, next }: Place, forExample = false): Trial | undefined {
  const { trials, reader, isWritten = false } = context
  if (base.length === 0 || next.length === 0) return undefined
  return trials.try(base, next, { reader, isWritten }, forExample)
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

function seen(
  difference: Difference,
  { lost, fresh, isTelling, isCut }: Trial,
  isConclusive: boolean,
): Difference {
  const { request, response } = difference.effect
  const fewer = request === 'breaking' && (lost !== undefined || !isConclusive || !isTelling.lost)
  const more = response === 'breaking' && (fresh !== undefined || !isConclusive || !isTelling.fresh)
  if (!fewer && !more) return { ...difference, effect: none, why: unseen }
  const isLess = request === response && fewer !== more // than the keywords show
  const rule = isLess
    ? difference.rule.replace(/-changed$/, fewer ? '-narrowed' : '-widened')
    : difference.rule
  const example = textOf((fewer && lost) || (more && fresh) || undefined)
  const effect = fewer && more ? differs : fewer ? narrows : widens
  const isUntried = isConclusive && isCut && !(fewer && lost) && !(more && fresh)
  return {
    ...difference,
    effect,
    rule,
    ...(isUntried && { why: untried }),
    ...(example && !difference.example ? { example } : {}),
  }
}

/** Yields the differences that values show and no keyword shows. */
function* untold({ lost, unknown }: Trial, found: readonly Difference[], place: Place): Differences {
  const isTold = (side: keyof Impact) =>
    found.some(({ effect, rule: named }) => effect[side] !== 'info' || named === 'property-removed')
  const where = { path: place.path, ...placeIn(place.base, place.next) }
  const [narrowing, lack] = place.next.some(({ node }) => node.oneOf)
    ? ['alternatives-overlap', 'a value fits not exactly one of oneOf any more']
    : ['values-narrowed', 'a value is not taken any more']
  if (lost && !isTold('request'))
    yield { effect: narrows, rule: narrowing, ...where, what: lack, example: textOf(lost) }
  if (unknown && !isTold('response')) {
    const [widening, gain] = ['values-widened', 'a value is taken now']
    yield { effect: widens, rule: widening, ...where, what: gain, example: textOf(unknown) }
  }
}

const exampleLength = 200

function textOf(found: { value: unknown } | undefined): string | undefined {
  const text = found && JSON.stringify(found.value)
  return text && text.length > exampleLength ? `${text.slice(0, exampleLength)}…` : text
}
