import type { Placed } from '../../src/document/model.ts'
import { textOf } from '../../src/engine/extensions.ts'
import { daysBetween, isDate, noticeOf, stabilityOf } from '../document/lifecycle.ts'
import { type Change, change, type Severity } from './change.ts'
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

/** From what holds longest to what may go at once. */
const stabilities = ['stable', 'beta', 'experimental']

/** The changes of what is bound to a stability: what is experimental may change at any time, so that all are info. */
export function* asPromised(stability: string, changes: Iterable<Change>): Generator<Change> {
  for (const found of changes)
    yield stability !== 'experimental' || found.severity === 'info'
      ? found
      : { ...found, severity: 'info', why: 'experimental operations may change at any time' }
}

/** Whether something was announced to be gone by a day (YYYY-MM-DD). */
export function isOver(node: Mortal, day: string): boolean {
  const sunset = sunsetOf(node)
  return node.deprecated === true && sunset !== undefined && sunset <= day
}

/** Judges what changes in how long something is promised to work. */
export function* compareStability(base: Placed<object>, next: Placed<object>): Generator<Change> {
  const [before, after] = [stabilityOf(base.node), stabilityOf(next.node)]
  if (before === after) return
  const lowered = stabilities.indexOf(after) > stabilities.indexOf(before)
  yield change(
    lowered ? 'breaking' : 'info',
    lowered ? 'stability-lowered' : 'stability-raised',
    keyIn(next, 'x-stability'),
    `${before} became ${after}`,
    lowered ? 'clients relied on the promise that was made' : 'more is promised than before',
  )
}

/**
 * Judges what changes in the deprecation of something.
 * @param day today, YYYY-MM-DD in UTC
 * @param stability of what is deprecated: it decides how long the notice must be
 * @param mayBeEndless whether it may be deprecated without a sunset
 */
export function* compareDeprecation(
  base: Placed<Mortal>,
  next: Placed<Mortal>,
  { day, stability, mayBeEndless }: { day: string; stability: string; mayBeEndless: boolean },
): Generator<Change> {
  const report = (severity: Severity, rule: string, key: string, what: string, why: string) =>
    change(severity, rule, keyIn(next, key), what, why)
  const [was, is] = [base.node.deprecated === true, next.node.deprecated === true]
  const [before, sunset] = [sunsetOf(base.node), sunsetOf(next.node)]
  const [sinceBefore, since] = [base.node, next.node].map(node => textOf(node, 'x-deprecated-at'))
  if (was && !is)
    yield report('info', 'deprecation-withdrawn', 'deprecated', 'is no longer deprecated', 'it stays')
  if (!is) return
  if (sunset === undefined) {
    if (was && before !== undefined)
      yield report(
        'breaking',
        'sunset-removed',
        'deprecated',
        `the sunset ${before} is gone`,
        'nobody knows how long it works',
      )
    else if (!was && !mayBeEndless)
      yield report(
        'breaking',
        'sunset-missing',
        'deprecated',
        'is deprecated without a sunset',
        'nobody knows how long it works',
      )
    else if (!was) yield report('info', 'deprecated', 'deprecated', 'is deprecated', 'it still works')
    return
  }
  const days = noticeOf(stability)
  const announced = !was || before === undefined || since !== sinceBefore
  const start = isDate(since) ? since : day
  const from = !was || before === undefined ? later(start, day) : start
  if (before !== undefined && was && sunset < before)
    yield report(
      'breaking',
      'sunset-earlier',
      'x-deprecated-sunset',
      `the sunset moved from ${before} to ${sunset}`,
      'clients planned for the time that was promised',
    )
  else if (announced && daysBetween(from, sunset) < days)
    yield report(
      'breaking',
      'sunset-too-soon',
      'x-deprecated-sunset',
      `the sunset ${sunset} is less than ${days} days after ${from}`,
      'clients need time to move',
    )
  else if (before !== undefined && was && sunset > before)
    yield report(
      'info',
      'sunset-later',
      'x-deprecated-sunset',
      `the sunset moved from ${before} to ${sunset}`,
      'it works longer',
    )
  else if (was && before === undefined)
    yield report('info', 'sunset-added', 'x-deprecated-sunset', `it ends on ${sunset}`, 'it works until then')
  else if (!was)
    yield report(
      'info',
      'deprecated',
      'deprecated',
      `is deprecated and ends on ${sunset}`,
      'it works until then',
    )
}

function later(one: string, other: string): string {
  return one > other ? one : other
}
