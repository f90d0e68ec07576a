import { isObject } from '../../src/document/pointer.ts'
import type { OpenApi } from '../../src/document/types.ts'
import type { RateLimits } from '../../src/engine/extensions.ts'
import type { Change } from './change.ts'

/** Whoever keeps other rules than this project may leave out any part. */
type Limits = Partial<Omit<RateLimits, 'ban'>> & { ban?: Partial<RateLimits['ban']> }
type Quotas = RateLimits['plans'][string]

/** Judges what changes in `x-lifetimes`: what was promised for a time lasts no shorter. */
export function* compareLifetimes(base: OpenApi, next: OpenApi): Generator<Change> {
  const [before, after] = [base, next].map(({ 'x-lifetimes': said }) =>
    Object.fromEntries(
      Object.entries(isObject(said) ? said : {}).flatMap(([name, length]) =>
        isObject(length) && typeof length.seconds === 'number' ? [[name, length.seconds]] : [],
      ),
    ),
  )
  for (const { name, was, is } of compareNumbers(before ?? {}, after ?? {})) {
    const isShorter = (is ?? Infinity) < (was ?? Infinity)
    yield {
      severity: isShorter ? 'breaking' : 'info',
      rule: `lifetime-${isShorter ? 'shorter' : 'longer'}`,
      place: 'limits',
      at: next['x-lifetimes'] ? ['x-lifetimes', ...(is === undefined ? [] : [name])] : [],
      side: 'new',
      what: `${name} lasted ${was ?? 'any number of'} seconds and lasts ${is ?? 'any number of'}`,
      why: isShorter ? 'clients count on what has ended' : 'clients can count on it for longer',
    }
  }
}

/** Judges what changes in `x-rate-limits`: whatever was allowed must stay so. */
export function* compareLimits(base: OpenApi, next: OpenApi): Generator<Change> {
  const [before, after] = [limitsOf(base), limitsOf(next)]
  const part = (harsher: boolean, rule: string, path: string[], what: string): Change => ({
    severity: harsher ? 'breaking' : 'info',
    rule: `${rule}-${harsher ? 'harsher' : 'milder'}`,
    place: 'limits',
    at: next['x-rate-limits'] ? ['x-rate-limits', ...path] : [],
    side: 'new',
    what,
    why: harsher ? 'clients within their limits are refused' : 'clients can do more',
  })

  const windows = compareNumbers(lengthsOf(before), lengthsOf(after))
  for (const { name, was, is } of windows) {
    const what = `the window ${name} was ${was ?? 'none'} and is ${is ?? 'none'} seconds`
    yield part((is ?? 0) > (was ?? 0), 'window', ['windows'], what)
  }

  const [had, has] = [before.plans ?? {}, after.plans ?? {}]
  for (const [plan, quotas] of Object.entries(had)) {
    const now = has[plan]
    if (now) yield* comparePlan(plan, quotas, now)
    else yield { ...part(true, 'plan', ['plans'], `the plan ${plan} is gone`), rule: 'plan-removed' }
  }
  for (const plan of Object.keys(has))
    if (!had[plan])
      yield { ...part(false, 'plan', ['plans', plan], `the plan ${plan} is new`), rule: 'plan-added' }

  function* comparePlan(plan: string, quotas: Quotas, now: Quotas): Generator<Change> {
    const at = ['plans', plan]
    if (quotas.custom && !now.custom)
      yield part(true, 'plan-custom', at, `the quotas of ${plan} are fixed now`)
    else if (!quotas.custom && now.custom)
      yield part(false, 'plan-custom', at, `the quotas of ${plan} are agreed individually now`)
    else
      for (const { name, was = Infinity, is = Infinity } of compareNumbers(
        numbersOf(quotas),
        numbersOf(now),
      )) {
        const what = `${plan} had ${was} and has ${is} requests a ${name}`
        yield part(
          is < was,
          'quota',
          is === Infinity ? at : [...at, name],
          what.replaceAll('Infinity', 'any number of'),
        )
      }
  }

  if (before.anonymous !== after.anonymous) {
    const [old, now] = [numbersOf(had[before.anonymous ?? '']), numbersOf(has[after.anonymous ?? ''])]
    const harsher = compareNumbers(old, now).some(({ was = Infinity, is = Infinity }) => is < was)
    const what = `callers without a key had the plan ${before.anonymous ?? 'of nobody'} and have ${after.anonymous ?? 'that of nobody'}`
    yield part(harsher, 'anonymous', ['anonymous'], what)
  }

  yield* compareBans()
  function* compareBans(): Generator<Change> {
    const [old, now] = [before.ban, after.ban]
    if (!old && now) yield part(true, 'ban', ['ban'], 'there is a ban now')
    if (old && !now) yield part(false, 'ban', [], 'there is no ban any more')
    if (!old || !now) return
    const [refused, refuses] = [old.refusals ?? Infinity, now.refusals ?? Infinity]
    if (refused !== refuses)
      yield part(
        refuses < refused,
        'ban-refusals',
        ['ban', 'refusals'],
        `a ban came after ${refused} refusals and comes after ${refuses}`,
      )
    const [lasted, lasts] = [old.seconds ?? 0, now.seconds ?? 0]
    if (lasted !== lasts)
      yield part(
        lasts > lasted,
        'ban-seconds',
        ['ban', 'seconds'],
        `a ban lasted ${lasted} and lasts ${lasts} seconds`,
      )
    if (old.window !== now.window) {
      const longer = (lengthsOf(after)[now.window ?? ''] ?? 0) > (lengthsOf(before)[old.window ?? ''] ?? 0)
      yield part(
        longer,
        'ban-window',
        ['ban', 'window'],
        `refusals counted in the window ${old.window} and count in ${now.window}`,
      )
    }
  }
}

/** What of the extension has the form of this project's; another may mean something else by its name. */
function limitsOf(document: OpenApi): Limits {
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  const { 'x-rate-limits': said } = document
  const { windows, plans, anonymous, ban } = (isMap(said) ? said : {}) as Limits // each part is looked at below
  return {
    ...(Array.isArray(windows) && windows.every(isMap) && { windows }),
    ...(plans && isMap(plans) && Object.values(plans).every(isMap) && { plans }),
    ...(typeof anonymous === 'string' && { anonymous }),
    ...(isMap(ban) && { ban }),
  }
}

function lengthsOf({ windows = [] }: Limits): Record<string, number> {
  return Object.fromEntries(windows.map(({ name, seconds }) => [name, seconds]))
}

function numbersOf(quotas: Partial<Quotas> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(quotas).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  )
}

/** The names whose numbers differ. */
function compareNumbers(
  before: Record<string, number>,
  after: Record<string, number>,
): { name: string; was: number | undefined; is: number | undefined }[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => before[name] !== after[name])
    .map(name => ({ name, was: before[name], is: after[name] }))
}
