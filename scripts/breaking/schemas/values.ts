import { differs, type Effect, narrows, widens } from '../change.ts'
import { type Differences, difference, type Step } from './difference.ts'

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

/** Judges what changes in the format of a value; two formats have nothing in common but what `subformats` says. */
export function* compareFormats(step: Step): Differences {
  const [before, after] = [[...step.before.formats].sort().join(), [...step.after.formats].sort().join()]
  if (before === after) return
  const report = (effect: Effect, rule: string) =>
    difference(step, effect, rule, ['format'], `the format was ${before || 'any'} and is ${after || 'any'}`)
  if (!before) yield report(narrows, 'format-added')
  else if (!after) yield report(widens, 'format-removed')
  else if (subformats[before] === after) yield report(widens, 'format-widened')
  else if (subformats[after] === before) yield report(narrows, 'format-narrowed')
  else yield report(differs, 'format-changed')
}

/** Judges what changes in the patterns that a text has to match; of two patterns none is taken to hold the other. */
export function* comparePatterns(step: Step): Differences {
  const lost = [...step.before.patterns].filter(pattern => !step.after.patterns.has(pattern))
  const fresh = [...step.after.patterns].filter(pattern => !step.before.patterns.has(pattern))
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, ['pattern'], what)
  if (lost.length > 0 && fresh.length > 0)
    yield report(differs, 'pattern-changed', `the pattern was ${lost} and is ${fresh}`)
  else if (fresh.length > 0) yield report(narrows, 'pattern-added', `it has to match ${fresh}`)
  else if (lost.length > 0) yield report(widens, 'pattern-removed', `it need not match ${lost}`)
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
