import { differs, type Effect, narrows, widens } from '../change.ts'
import { type Differences, difference, type Step } from './difference.ts'
import { everyType } from './shape.ts'

/** Judges what changes in the types of a value; null counts by itself. */
export function* compareTypes(step: Step): Differences {
  const [before, after] = [step.before.types, step.after.types]
  const lost = [...before].filter(type => !after.has(type))
  const fresh = [...after].filter(type => !before.has(type))
  const report = (effect: Effect, rule: string, key: string, what: string) =>
    difference(step, effect, rule, [key], what)
  // Among all types, null is nothing to speak of.
  const unbound = lost.length + fresh.length > 1 && (isEvery(before) || isEvery(after))
  if (lost.includes('null') && !unbound)
    yield report(narrows, 'null-refused', 'nullable', 'it is never null any more')
  if (fresh.includes('null') && !unbound)
    yield report(widens, 'null-allowed', 'nullable', 'it may be null now')
  const [fewer, more] = [lost, fresh].map(types => types.some(type => type !== 'null'))
  const what = `${namesOf(before)} became ${namesOf(after)}`
  if (fewer && more) yield report(differs, 'type-changed', 'type', what)
  else if (fewer) yield report(narrows, 'type-narrowed', 'type', what)
  else if (more) yield report(widens, 'type-widened', 'type', what)
}

/** Whether no value but null is one of both schemas; the rest of them need not be compared then. */
export function isDisjoint({ before, after }: Step): boolean {
  return ![...before.types].some(type => after.types.has(type) && type !== 'null')
}

function isEvery(types: ReadonlySet<string>): boolean {
  return types.size === everyType.length
}

function namesOf(types: ReadonlySet<string>): string {
  if (isEvery(types)) return 'any type'
  const names = [...types].filter(type => type !== 'null' && !(type === 'integer' && types.has('number')))
  return names.join(' or ') || 'nothing'
}
