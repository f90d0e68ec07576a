import type { RateLimits } from 'spec-served-document/contract/extensions'
import type { OpenApi } from 'spec-served-document/types'
import { rateLimits } from './engine-components.ts'
import { type Violation, write } from './violation.ts'

/** Whether something is a whole number from 1. */
export const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0

/** Names of windows stand in RateLimit fields (RFC 9651, section 3.3.3), and beside `custom` in plans. */
const windowName = /^(?!custom$)[\w.-]+$/

type Window = RateLimits['windows'][number]
type Quotas = Readonly<Record<string, unknown>>

/** The quotas of windows that most documents have. */
const usualQuotas: Readonly<Record<string, number>> = rateLimits.plans.Free

/** Windows from the shortest to the longest. */
const byLength = (windows: readonly Window[]) => windows.toSorted((a, b) => a.seconds - b.seconds)

/** Returns a number for each window: the plan's own where it is one, else one between those of its neighbours. */
function quotasFor(windows: readonly Window[], quotas: Quotas): [string, number][] {
  const ordered = byLength(windows)
  const found = new Map<string, number>()
  for (const [index, { name }] of ordered.entries()) {
    const quota = quotas[name]
    const longer = ordered.slice(index + 1).map(other => quotas[other.name])
    const usual = usualQuotas[name] ?? 1000
    const most = Math.min(usual, ...longer.filter(isCount).map(Number))
    found.set(name, isCount(quota) ? Number(quota) : Math.max(most, ...found.values()))
  }
  return windows.map(({ name }) => [name, found.get(name) ?? 1000])
}

/** Yields the quotas that a longer window makes useless: its own is spent before. */
function* idleQuotas(windows: readonly Window[], plan: string, quotas: Quotas): Generator<Violation> {
  const ordered = byLength(windows)
  for (const [index, { name }] of ordered.entries()) {
    const shorter = ordered.slice(0, index).find(other => Number(quotas[other.name]) > Number(quotas[name]))
    if (shorter === undefined) continue
    const most = Number(quotas[shorter.name])
    yield {
      place: ['x-rate-limits', 'plans', plan, name],
      message: `The plan ${plan} allows ${quotas[name]} requests a ${name}, and ${most} a ${shorter.name}, which nobody can use up.`,
      decide: `which of the two is meant, as ${name}: ${most} or more.`,
    }
  }
}

/** Whether plans have the numbers that other rules compare with. */
export const areSound = (document: OpenApi): boolean => rateLimitFaults(document).next().done === true

/** Yields the faults in the plans of a document (`x-rate-limits`). */
export function* rateLimitFaults(document: OpenApi): Generator<Violation> {
  const place = ['x-rate-limits']
  const { windows, plans, anonymous, ban } = (document['x-rate-limits'] ?? {}) as Partial<RateLimits> // each part is checked here
  if (!Array.isArray(windows) || windows.length === 0 || !plans || !ban) {
    const declared = {
      ...(windows?.length && { windows }),
      ...(plans && { plans }),
      ...(anonymous && { anonymous }),
      ...(ban && { ban }),
    }
    const missing = Object.entries(rateLimits).filter(([name]) => !(name in declared))
    yield {
      place,
      message: 'x-rate-limits needs windows, plans, anonymous and ban.',
      ...write(place, Object.fromEntries(missing)),
    }
    return
  }
  const names = windows.map(each => String(each.name))
  for (const [i, { name, seconds }] of windows.entries()) {
    if (typeof name !== 'string' || !isCount(seconds))
      yield {
        place: [...place, 'windows', String(i)],
        message: 'A window has a name and a length in whole seconds.',
        decide: 'both, as { name: minute, seconds: 60 }.',
      }
    else if (!windowName.test(name) || names.indexOf(name) !== i)
      yield {
        place: [...place, 'windows', String(i), 'name'],
        message: `The window ${name} has a name of its own, which header fields show: letters, digits, “_”, “.” and “-”; not custom.`,
        decide: 'another name.',
      }
  }
  for (const [plan, quotas] of Object.entries(plans)) {
    const numbers = Object.keys(quotas)
    const complete = numbers.length === names.length && names.every(name => isCount(quotas[name]))
    if (!complete && !(quotas.custom === true && numbers.length === 1)) {
      const usual = quotasFor(windows, quotas)
      yield {
        place: [...place, 'plans', plan],
        message: `The plan ${plan} needs a whole number for each of ${names.join(', ')}, or custom: true alone.`,
        decide: `how many requests it allows, as ${plan}: { ${usual.map(([name, number]) => `${name}: ${number}`).join(', ')} }.`,
      }
    } else if (complete) yield* idleQuotas(windows, plan, quotas)
  }
  const schema = document.components?.schemas?.Plan
  const planNames = schema && 'enum' in schema ? schema.enum : undefined
  if (schema && (!Array.isArray(planNames) || planNames.join() !== Object.keys(plans).join()))
    yield {
      place,
      message: 'The plans are those of the schema Plan, in the same order.',
      ...write(['components', 'schemas', 'Plan'], { enum: Object.keys(plans) }),
    }
  const numbered = Object.keys(plans).find(name => plans[name]?.custom !== true)
  if (!anonymous || !plans[anonymous] || plans[anonymous].custom)
    yield {
      place: [...place, 'anonymous'],
      message: `anonymous is ${String(anonymous)}, and must be a plan that has numbers: callers without a key have it.`,
      ...(numbered === undefined
        ? { decide: 'the numbers of a plan for them.' }
        : write(place, { anonymous: numbered })),
    }
  const { refusals, seconds, window } = ban
  const wrong = {
    ...(!isCount(refusals) && { refusals: rateLimits.ban.refusals }),
    ...(!names.includes(String(window)) && { window: names[0] }),
    ...(!isCount(seconds) && { seconds: rateLimits.ban.seconds }),
  }
  for (const [name, right] of Object.entries(wrong)) {
    const what = name === 'window' ? `one of ${names.join(', ')}` : 'a whole number from 1'
    yield {
      place: [...place, 'ban', name],
      message: `${name} of the ban must be ${what}.`,
      ...write([...place, 'ban'], { [name]: right }),
    }
  }
}
