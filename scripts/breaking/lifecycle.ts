import { type Change, change, type Severity } from './change.ts'
import { keyIn, type Located } from './located.ts'

/** What an operation, a parameter or a schema says about its end. Dates are YYYY-MM-DD, in UTC. */
export interface Lifecycle {
  deprecated?: boolean
  'x-stability'?: string
  'x-deprecated-at'?: string
  'x-deprecated-sunset'?: string
}

/** Shortest time from deprecation to sunset, in days. An experimental operation may go at any time. */
const notice: Record<string, number> = { stable: 180, beta: 31, experimental: 0 }

/** From what holds longest to what may go at once. */
const stabilities = ['stable', 'beta', 'experimental']

/** What a part of the interface is bound to; what says nothing is stable. */
export function stabilityOf({ 'x-stability': stability = 'stable' }: Lifecycle): string {
  return stability
}

/** The changes of what is bound to a stability: what is experimental may change at any time, so that all are info. */
export function* asPromised(stability: string, changes: Iterable<Change>): Generator<Change> {
  for (const found of changes)
    yield stability !== 'experimental' || found.severity === 'info'
      ? found
      : { ...found, severity: 'info', why: 'experimental operations may change at any time' }
}

/** Whether something was announced to be gone by a day (YYYY-MM-DD). */
export function isOver({ deprecated, 'x-deprecated-sunset': sunset }: Lifecycle, day: string): boolean {
  return deprecated === true && sunset !== undefined && isDate(sunset) && sunset <= day
}

/** Judges what changes in how long something is promised to work. */
export function* compareStability(base: Located<Lifecycle>, next: Located<Lifecycle>): Generator<Change> {
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
  base: Located<Lifecycle>,
  next: Located<Lifecycle>,
  { day, stability, mayBeEndless }: { day: string; stability: string; mayBeEndless: boolean },
): Generator<Change> {
  const report = (severity: Severity, rule: string, key: string, what: string, why: string) =>
    change(severity, rule, keyIn(next, key), what, why)
  const [was, is] = [base.node.deprecated === true, next.node.deprecated === true]
  const { 'x-deprecated-sunset': before } = base.node
  const { 'x-deprecated-sunset': sunset, 'x-deprecated-at': since } = next.node
  if (was && !is)
    yield report('info', 'deprecation-withdrawn', 'deprecated', 'is no longer deprecated', 'it stays')
  if (!is) return
  if (sunset === undefined || !isDate(sunset)) {
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
  const days = notice[stability] ?? notice.stable ?? 0
  const announced = !was || before === undefined || since !== base.node['x-deprecated-at']
  const start = since !== undefined && isDate(since) ? since : day
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

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
