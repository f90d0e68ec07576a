import { boundsOf, type RateLimits } from 'spec-served-document/contract/extensions'
import { isObject } from 'spec-served-document/pointer'
import type { OpenApi } from 'spec-served-document/types'
import { type Change, compareParts, found, inPart } from './change.ts'

/** Another project may leave out any part. */
type Limits = Partial<Omit<RateLimits, 'ban'>> & { ban?: Partial<RateLimits['ban']> }
type Quotas = RateLimits['plans'][string]
type Numbers = Record<string, number>

/** Judges what changes in `x-lifetimes`: what was promised for a time lasts no shorter. */
export function* compareLifetimes(base: OpenApi, next: OpenApi): Generator<Change> {
  const [before, after] = [lifetimesOf(base), lifetimesOf(next)]
  for (const { name, was, is } of differing(before, after, Infinity)) {
    const place = next['x-lifetimes'] ? ['x-lifetimes', ...(name in after ? [name] : [])] : []
    const what = `${name} lasted ${countOf(was)} seconds and lasts ${countOf(is)}`
    yield* inPart('limits', [found(is < was ? 'lifetime-shorter' : 'lifetime-longer', { place }, what)])
  }
}

/** Judges what changes in `x-request-bounds`: whatever was taken must stay so. */
export function* compareBounds(base: OpenApi, next: OpenApi): Generator<Change> {
  const [before, after] = [boundsOf(base), boundsOf(next)]
  const said = next['x-request-bounds']
  for (const { name, was, is } of differing({ ...before }, { ...after }, Infinity)) {
    const place = isObject(said) ? ['x-request-bounds', ...(name in said ? [name] : [])] : []
    const what = `${name} could be up to ${was} and can be up to ${is}`
    yield* inPart('limits', [found(is < was ? 'bound-lower' : 'bound-higher', { place }, what)])
  }
}

/** Judges what changes in `x-rate-limits`: whatever was allowed must stay so. */
export function* compareLimits(base: OpenApi, next: OpenApi): Generator<Change> {
  const [before, after] = [limitsOf(base), limitsOf(next)]
  const isThere = next['x-rate-limits'] !== undefined
  const report: Report = (rule, isHarsher, path, what) => ({
    severity: isHarsher ? 'breaking' : 'info',
    rule: /(removed|added)$/.test(rule) ? rule : `${rule}-${isHarsher ? 'harsher' : 'milder'}`,
    part: 'limits',
    place: isThere ? ['x-rate-limits', ...path] : [],
    side: 'new',
    what,
    why: isHarsher ? 'clients within their limits are refused' : 'clients can do more',
  })
  for (const { name, was, is } of differing(lengthsOf(before), lengthsOf(after), 0)) {
    const what = `the window ${name} was ${was || 'none'} and is ${is || 'none'} seconds`
    yield report('window', is > was, ['windows'], what)
  }
  const [had, has] = [plansOf(before), plansOf(after)]
  yield* compareParts(had, has, {
    both: (quotas, now, plan) => comparePlan(plan, quotas, now, report),
    gone: (_, plan) => [report('plan-removed', true, ['plans'], `the plan ${plan} is gone`)],
    fresh: (_, plan) => [report('plan-added', false, ['plans', plan], `the plan ${plan} is new`)],
  })
  if (before.anonymous !== after.anonymous) {
    const [old, now] = [numbersOf(had.get(before.anonymous ?? '')), numbersOf(has.get(after.anonymous ?? ''))]
    const isHarsher = differing(old, now, Infinity).some(({ was, is }) => is < was)
    const what = `callers without a key had the plan ${before.anonymous ?? 'of nobody'} and have ${after.anonymous ?? 'that of nobody'}`
    yield report('anonymous', isHarsher, ['anonymous'], what)
  }
  yield* compareBans(before, after, report)
}

type Report = (rule: string, isHarsher: boolean, path: string[], what: string) => Change

function* comparePlan(plan: string, quotas: Quotas, now: Quotas, report: Report): Generator<Change> {
  const place = ['plans', plan]
  const [agreed, fixed] = [
    `the quotas of ${plan} are agreed individually now`,
    `the quotas of ${plan} are fixed now`,
  ]
  if (Boolean(quotas.custom) !== Boolean(now.custom))
    return yield report('plan-custom', !now.custom, place, now.custom ? agreed : fixed)
  for (const { name, was, is } of differing(numbersOf(quotas), numbersOf(now), Infinity)) {
    const what = `${plan} had ${countOf(was)} and has ${countOf(is)} requests a ${name}`
    yield report('quota', is < was, is === Infinity ? place : [...place, name], what)
  }
}

function* compareBans(before: Limits, after: Limits, report: Report): Generator<Change> {
  const [old, now] = [before.ban, after.ban]
  if (!old && now) yield report('ban', true, ['ban'], 'there is a ban now')
  if (old && !now) yield report('ban', false, [], 'there is no ban any more')
  if (!old || !now) return
  const { refusals: refused = Infinity, seconds: lasted = 0, window: counted = 'none' } = old
  const { refusals = Infinity, seconds = 0, window = 'none' } = now
  const part = (name: string, isHarsher: boolean, what: string) =>
    report(`ban-${name}`, isHarsher, ['ban', name], what)
  if (refused !== refusals)
    yield part(
      'refusals',
      refusals < refused,
      `a ban came after ${refused} refusals and comes after ${refusals}`,
    )
  if (lasted !== seconds)
    yield part('seconds', seconds > lasted, `a ban lasted ${lasted} and lasts ${seconds} seconds`)
  if (counted === window) return
  const isLonger = (lengthsOf(after)[window] ?? 0) > (lengthsOf(before)[counted] ?? 0)
  yield part('window', isLonger, `refusals counted in the window ${counted} and count in ${window}`)
}

/** Returns the parts of the extension in this project's form. Other tools may use its name for something else. */
function limitsOf({ 'x-rate-limits': said }: OpenApi): Limits {
  const isMap = (value: unknown): boolean => isObject(value)
  const { windows, plans, anonymous, ban } = (isObject(said) ? said : {}) as Limits // each part is looked at below
  return {
    ...(Array.isArray(windows) && windows.every(isMap) && { windows }),
    ...(plans && isMap(plans) && Object.values(plans).every(isMap) && { plans }),
    ...(typeof anonymous === 'string' && { anonymous }),
    ...(ban && isMap(ban) && { ban }),
  }
}

function lifetimesOf({ 'x-lifetimes': said }: OpenApi): Numbers {
  const seconds = Object.entries(isObject(said) ? said : {}).map(([name, length]) => [
    name,
    isObject(length) ? length.seconds : undefined,
  ])
  return numbersOf(Object.fromEntries(seconds))
}

const plansOf = ({ plans = {} }: Limits) => new Map(Object.entries(plans))

function lengthsOf({ windows = [] }: Limits): Numbers {
  return Object.fromEntries(windows.map(({ name, seconds }) => [name, seconds]))
}

function numbersOf(values: object = {}): Numbers {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))
}

const countOf = (number: number) => (number === Infinity ? 'any number of' : number)

/** The names whose numbers differ, with both numbers. */
function differing(before: Numbers, after: Numbers, unsaid: number) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map(name => ({ name, was: before[name] ?? unsaid, is: after[name] ?? unsaid }))
    .filter(({ was, is }) => was !== is)
}
