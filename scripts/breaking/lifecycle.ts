import type { Change, Severity } from './change.ts'
import type { Located } from './located.ts'

/** What an operation, a parameter or a schema says about its end. Dates are YYYY-MM-DD, in UTC. */
export interface Lifecycle {
  deprecated?: boolean
  'x-stability'?: string
  'x-deprecated-at'?: string
  'x-deprecated-sunset'?: string
}

type Part = Pick<Change, 'severity' | 'rule' | 'at' | 'side' | 'what' | 'why'>

/** Shortest time from deprecation to sunset, in days. An experimental operation may go at any time. */
const notice: Record<string, number> = { stable: 180, beta: 31, experimental: 0 }

/** From what holds longest to what may go at once. */
const stabilities = ['stable', 'beta', 'experimental']

/** What a part of the interface is bound to; what says nothing is stable. */
export function stabilityOf({ 'x-stability': stability = 'stable' }: Lifecycle): string {
  return stability
}

/** Whether something was announced to be gone by a day (YYYY-MM-DD). */
export function isOver({ deprecated, 'x-deprecated-sunset': sunset }: Lifecycle, day: string): boolean {
  return deprecated === true && sunset !== undefined && isDate(sunset) && sunset <= day
}

/** Judges what changes in how long something is promised to work. */
export function* compareStability(base: Located<Lifecycle>, next: Located<Lifecycle>): Generator<Part> {
  const [before, after] = [stabilityOf(base.node), stabilityOf(next.node)]
  if (before === after) return
  const lowered = stabilities.indexOf(after) > stabilities.indexOf(before)
  yield {
    severity: lowered ? 'breaking' : 'info',
    rule: lowered ? 'stability-lowered' : 'stability-raised',
    ...where(next, 'x-stability'),
    what: `${before} became ${after}`,
    why: lowered ? 'clients relied on the promise that was made' : 'more is promised than before',
  }
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
): Generator<Part> {
  const change = (severity: Severity, rule: string, key: string, what: string, why: string): Part => ({
    severity,
    rule,
    ...where(next, key),
    what,
    why,
  })
  const [was, is] = [base.node.deprecated === true, next.node.deprecated === true]
  const { 'x-deprecated-sunset': before } = base.node
  const { 'x-deprecated-sunset': sunset, 'x-deprecated-at': since } = next.node
  if (was && !is)
    yield change('info', 'deprecation-withdrawn', 'deprecated', 'is no longer deprecated', 'it stays')
  if (!is) return
  if (sunset === undefined || !isDate(sunset)) {
    if (was && before !== undefined)
      yield change(
        'breaking',
        'sunset-removed',
        'deprecated',
        `the sunset ${before} is gone`,
        'nobody knows how long it works',
      )
    else if (!was && !mayBeEndless)
      yield change(
        'breaking',
        'sunset-missing',
        'deprecated',
        'is deprecated without a sunset',
        'nobody knows how long it works',
      )
    else if (!was) yield change('info', 'deprecated', 'deprecated', 'is deprecated', 'it still works')
    return
  }
  const days = notice[stability] ?? notice.stable ?? 0
  const announced = !was || before === undefined || since !== base.node['x-deprecated-at']
  const start = since !== undefined && isDate(since) ? since : day
  const from = !was || before === undefined ? later(start, day) : start
  if (before !== undefined && was && sunset < before)
    yield change(
      'breaking',
      'sunset-earlier',
      'x-deprecated-sunset',
      `the sunset moved from ${before} to ${sunset}`,
      'clients planned for the time that was promised',
    )
  else if (announced && daysBetween(from, sunset) < days)
    yield change(
      'breaking',
      'sunset-too-soon',
      'x-deprecated-sunset',
      `the sunset ${sunset} is less than ${days} days after ${from}`,
      'clients need time to move',
    )
  else if (before !== undefined && was && sunset > before)
    yield change(
      'info',
      'sunset-later',
      'x-deprecated-sunset',
      `the sunset moved from ${before} to ${sunset}`,
      'it works longer',
    )
  else if (was && before === undefined)
    yield change('info', 'sunset-added', 'x-deprecated-sunset', `it ends on ${sunset}`, 'it works until then')
  else if (!was)
    yield change(
      'info',
      'deprecated',
      'deprecated',
      `is deprecated and ends on ${sunset}`,
      'it works until then',
    )
}

function where(next: Located<object>, key: string): Pick<Part, 'at' | 'side'> {
  return { at: key in next.node ? [...next.at, key] : next.at, side: 'new' }
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
