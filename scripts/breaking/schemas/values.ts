import { differs, type Effect, narrows, widens } from '../change.ts'
import { type Differences, difference, type Step } from './difference.ts'
import { wordsBeyond } from './patterns.ts'

/** Judges what changes in the values that are listed (`enum`). */
export function* compareValues(step: Step): Differences {
  const [before, after] = [step.before.values, step.after.values]
  if (before && !after) yield difference(step, widens, 'enum-removed', ['enum'], 'any value is taken now')
  if (!before && after)
    yield difference(step, narrows, 'enum-added', ['enum'], 'only some values are taken now')
  if (!before || !after) return
  for (const value of before)
    if (!after.has(value))
      yield difference(step, narrows, 'enum-value-removed', ['enum'], `${value} is no longer a value`)
  for (const value of after)
    if (!before.has(value))
      yield difference(step, widens, 'enum-value-added', ['enum'], `${value} is a new value`)
}

/** Formats whose values are all values of another. */
const subformats: Record<string, string> = { int32: 'int64', float: 'double' }
/** It only tells forms to hide what is typed. */
const hint = 'password'

/** Judges what changes in the format of a value; two formats have nothing in common but what `subformats` says. */
export function* compareFormats(step: Step): Differences {
  const named = ({ formats }: Step['before']) =>
    [...formats]
      .filter(format => format !== hint)
      .sort()
      .join()
  const [before, after] = [named(step.before), named(step.after)]
  if (before === after) return
  const report = (effect: Effect, rule: string) =>
    difference(step, effect, rule, ['format'], `the format was ${before || 'any'} and is ${after || 'any'}`)
  if (!before) yield report(narrows, 'format-added')
  else if (!after) yield report(widens, 'format-removed')
  else if (subformats[before] === after) yield report(widens, 'format-widened')
  else if (subformats[after] === before) yield report(narrows, 'format-narrowed')
  else yield report(differs, 'format-changed')
}

/** Judges what changes in the patterns that a text has to match; of those that are not regular none holds another. */
export function* comparePatterns(step: Step): Differences {
  const { before, after } = step
  const lost = [...before.patterns].filter(pattern => !after.patterns.has(pattern))
  const fresh = [...after.patterns].filter(pattern => !before.patterns.has(pattern))
  if (lost.length + fresh.length === 0) return
  const refused = wordsBeyond(before.patterns, after.patterns)
  const taken = wordsBeyond(after.patterns, before.patterns)
  const [isNarrower, isWider] = [refused?.length !== 0, taken?.length !== 0]
  if (!isNarrower && !isWider) return
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, ['pattern'], what)
  const what = `the pattern was ${lost} and is ${fresh}`
  if (lost.length === 0) yield report(narrows, 'pattern-added', `it has to match ${fresh}`)
  else if (fresh.length === 0) yield report(widens, 'pattern-removed', `it need not match ${lost}`)
  else if (isNarrower && isWider) yield report(differs, 'pattern-changed', what)
  else if (isNarrower) yield report(narrows, 'pattern-narrowed', what)
  else yield report(widens, 'pattern-widened', what)
}

/** Judges whether an item of a list may come twice. */
export function* compareUniqueness(step: Step): Differences {
  const [before, after] = [step.before.uniqueItems, step.after.uniqueItems]
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, ['uniqueItems'], what)
  if (!before && after) yield report(narrows, 'unique-items-added', 'an item may not come twice any more')
  if (before && !after) yield report(widens, 'unique-items-removed', 'an item may come twice now')
}

/** Judges what changes in what silence means; in what clients read, nothing is left to a default. */
export function* compareDefaults(step: Step): Differences {
  const [before, after] = [step.before.default, step.after.default]
  if (before === after) return
  const what = `the default was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield difference(step, { request: 'warning', response: 'info' }, 'default-changed', ['default'], what)
}
