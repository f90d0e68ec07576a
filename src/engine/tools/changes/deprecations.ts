import { isDate } from 'spec-served-document/dates'
import { type Placed, textOf } from 'spec-served-document/reading/nodes'
import { daysBetween, noticeOf, stabilityOf } from 'spec-served-document/reading/notice'
import { type Change, found } from './change.ts'
import { keyIn } from './located.ts'

/** An operation, a parameter, a header or a schema: its extensions may say when it ends, YYYY-MM-DD in UTC. */
interface Mortal {
  deprecated?: boolean
}

/** When something ends; what is no day promises nothing. */
function sunsetOf(node: Mortal): string | undefined {
  const text = textOf(node, 'x-deprecated-sunset')
  return isDate(text) ? text : undefined
}

/** Yields the changes of a part with a stability. An experimental part may always change: all is info. */
export function* asPromised(stability: string, changes: Iterable<Change>): Generator<Change> {
  for (const change of changes)
    yield stability !== 'experimental' || change.severity === 'info'
      ? change
      : { ...change, severity: 'info', why: 'experimental operations may change at any time' }
}

/** Whether something was announced to be gone by a day (YYYY-MM-DD). */
export function isOver(node: Mortal, day: string): boolean {
  const sunset = sunsetOf(node)
  return node.deprecated === true && sunset !== undefined && sunset <= day
}

/** Judges what changes in how long something is promised to work. */
export function* compareStability(base: Placed<object>, next: Placed<object>): Generator<Change> {
  const [before, after] = [stabilityOf(base.node), stabilityOf(next.node)]
  const rule = noticeOf(after) < noticeOf(before) ? 'stability-lowered' : 'stability-raised'
  if (before !== after) yield found(rule, keyIn(next, 'x-stability'), `${before} became ${after}`)
}

/**
 * Judges what changes in the deprecation of something.
 * @param day today, YYYY-MM-DD in UTC
 * @param stability of the deprecated part: it decides how long the notice must be
 * @param mayBeEndless whether it may be deprecated without a sunset
 */
export function* compareDeprecation(
  base: Placed<Mortal>,
  next: Placed<Mortal>,
  { day, stability, mayBeEndless }: { day: string; stability: string; mayBeEndless: boolean },
): Generator<Change> {
  const deprecation = keyIn(next, 'deprecated')
  const end = keyIn(next, 'x-deprecated-sunset')
  const [was, is] = [base.node.deprecated === true, next.node.deprecated === true]
  const [before, sunset] = [was ? sunsetOf(base.node) : undefined, sunsetOf(next.node)]
  const [sinceBefore, since] = [base.node, next.node].map(node => textOf(node, 'x-deprecated-at'))
  if (was && !is) yield found('deprecation-withdrawn', deprecation, 'is no longer deprecated')
  if (!is) return
  if (sunset === undefined) {
    if (before !== undefined) yield found('sunset-removed', deprecation, `the sunset ${before} is gone`)
    else if (!was && !mayBeEndless)
      yield found('sunset-missing', deprecation, 'is deprecated without a sunset')
    else if (!was) yield found('deprecated/endless', deprecation, 'is deprecated')
    return
  }
  const due = noticeOf(stability)
  const start = isDate(since) ? since : day
  // The notice of a new announcement counts from today at the earliest.
  const from = before === undefined && start < day ? day : start
  const isAnnounced = before === undefined || since !== sinceBefore
  const moved = `the sunset moved from ${before} to ${sunset}`
  if (before !== undefined && sunset < before) yield found('sunset-earlier', end, moved)
  else if (isAnnounced && daysBetween(from, sunset) < due)
    yield found('sunset-too-soon', end, `the sunset ${sunset} is less than ${due} days after ${from}`)
  else if (before !== undefined && sunset > before) yield found('sunset-later', end, moved)
  else if (was && before === undefined) yield found('sunset-added', end, `it ends on ${sunset}`)
  else if (!was) yield found('deprecated', deprecation, `is deprecated and ends on ${sunset}`)
}
