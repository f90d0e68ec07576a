import { differs, type Effect, narrows, widens } from '../change.ts'
import { isMultipleOf } from './decimals.ts'
import { type Differences, demand, difference, has, kebab, type Step } from './difference.ts'
import { wordsBeyond } from './patterns.ts'
import { everyType, type Shape } from './shape.ts'

/** Judges what changes in the keywords that stand alone. */
export function* compareKeywords(step: Step): Differences {
  yield* compareTypes(step)
  yield* compareValues(step)
  yield* compareFormats(step)
  yield* compareBounds(step)
  yield* comparePatterns(step)
  yield* compareMultiples(step)
  yield* demand(
    step,
    'uniqueItems',
    [step.before.uniqueItems, step.after.uniqueItems],
    ['unique-items-added', 'an item may not come twice any more'],
    ['unique-items-removed', 'an item may come twice now'],
  )
  yield* compareDefaults(step)
}

/** What a change of a keyword is called that neither comes nor goes. */
function manner(effect: Effect): string {
  if (effect === narrows) return 'narrowed'
  return effect === widens ? 'widened' : 'changed'
}

/** Judges what changes in the types of a value; null counts by itself. */
export function* compareTypes(step: Step): Differences {
  const [before, after] = [step.before.types, step.after.types]
  const lost = [...before].filter(type => !after.has(type))
  const fresh = [...after].filter(type => !before.has(type))
  // Among all types, null is nothing to speak of.
  const isUnbound = lost.length + fresh.length > 1 && (isEvery(before) || isEvery(after))
  if (!isUnbound)
    yield* demand(
      step,
      'nullable',
      [!before.has('null'), !after.has('null')],
      ['null-refused', 'it is never null any more'],
      ['null-allowed', 'it may be null now'],
    )
  const [fewer, more] = [lost, fresh].map(types => types.some(type => type !== 'null'))
  if (!fewer && !more) return
  const effect = fewer && more ? differs : fewer ? narrows : widens
  yield difference(
    step,
    effect,
    `type-${manner(effect)}`,
    'type',
    `${namesOf(before)} became ${namesOf(after)}`,
  )
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

/** Judges what changes in the values that are listed (`enum`). */
function* compareValues(step: Step): Differences {
  const [before, after] = [step.before.values, step.after.values]
  yield* demand(
    step,
    'enum',
    [before !== undefined, after !== undefined],
    ['enum-added', 'only some values are taken now'],
    ['enum-removed', 'any value is taken now'],
  )
  if (!before || !after) return
  for (const value of before)
    if (!after.has(value))
      yield difference(step, narrows, 'enum-value-removed', 'enum', `${value} is no longer a value`)
  for (const value of after)
    if (!before.has(value))
      yield difference(step, widens, 'enum-value-added', 'enum', `${value} is a new value`)
}

/** Formats whose values are all values of another. */
const subformats: Record<string, string> = { int32: 'int64', float: 'double' }
/** It only tells forms to hide what is typed. */
const hint = 'password'

/** Judges what changes in the format of a value; two formats have nothing in common but what `subformats` says. */
function* compareFormats(step: Step): Differences {
  const named = ({ formats }: Shape) =>
    [...formats]
      .filter(format => format !== hint)
      .toSorted()
      .join()
  const [before, after] = [named(step.before), named(step.after)]
  const what = `the format was ${before || 'any'} and is ${after || 'any'}`
  if (before && after && before !== after) {
    const effect = subformats[before] === after ? widens : subformats[after] === before ? narrows : differs
    yield difference(step, effect, `format-${manner(effect)}`, 'format', what)
  } else
    yield* demand(
      step,
      'format',
      [before !== '', after !== ''],
      ['format-added', what],
      ['format-removed', what],
    )
}

/** Judges what changes in the patterns that a text has to match; of those that are not regular none holds another. */
function* comparePatterns(step: Step): Differences {
  const [before, after] = [step.before.patterns, step.after.patterns]
  const lost = [...before].filter(pattern => !after.has(pattern))
  const fresh = [...after].filter(pattern => !before.has(pattern))
  if (lost.length + fresh.length === 0) return
  const isNarrower = wordsBeyond(before, after)?.length !== 0
  const isWider = wordsBeyond(after, before)?.length !== 0
  if (!isNarrower && !isWider) return
  const effect = isNarrower && isWider ? differs : isNarrower ? narrows : widens
  if (lost.length === 0)
    yield difference(step, narrows, 'pattern-added', 'pattern', `it has to match ${fresh}`)
  else if (fresh.length === 0)
    yield difference(step, widens, 'pattern-removed', 'pattern', `it need not match ${lost}`)
  else
    yield difference(
      step,
      effect,
      `pattern-${manner(effect)}`,
      'pattern',
      `the pattern was ${lost} and is ${fresh}`,
    )
}

/** Judges what changes in what a number has to be a multiple of. */
function* compareMultiples(step: Step): Differences {
  const [before, after] = [step.before.multipleOf, step.after.multipleOf]
  if (before === after) return
  const isWithin = (one?: number, other?: number) =>
    other === undefined || (one !== undefined && isMultipleOf(one, other))
  const effect = isWithin(after, before) ? narrows : isWithin(before, after) ? widens : differs
  const what = `multipleOf was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield difference(step, effect, `multiple-of-${manner(effect)}`, 'multipleOf', what)
}

/** Judges what changes in what silence means; in what clients read, nothing is left to a default. */
function* compareDefaults(step: Step): Differences {
  const [before, after] = [step.before.default, step.after.default]
  if (before === after) return
  const what = `the default was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield difference(step, { request: 'warning', response: 'info' }, 'default-changed', 'default', what)
}

/** The keywords that set a lower or an upper bound, and the type of value that they bound. */
const bounds = [
  { keyword: 'minimum', exclusive: 'exclusiveMinimum', sign: 1, type: 'integer' },
  { keyword: 'maximum', exclusive: 'exclusiveMaximum', sign: -1, type: 'integer' },
  { keyword: 'minLength', sign: 1, type: 'string' },
  { keyword: 'maxLength', sign: -1, type: 'string' },
  { keyword: 'minItems', sign: 1, type: 'array' },
  { keyword: 'maxItems', sign: -1, type: 'array' },
  { keyword: 'minProperties', sign: 1, type: 'object' },
  { keyword: 'maxProperties', sign: -1, type: 'object' },
] as const

type Bound = (typeof bounds)[number]

/** A bound, times its sign, so that a greater one is always stricter. */
interface Limit {
  strictness: number
  /** whether the limit itself is out */
  excluded: boolean
}

/** Judges what changes in how small and how great a value may be, or how short and how long. */
function* compareBounds(step: Step): Differences {
  for (const bound of bounds) {
    const { keyword, sign, type } = bound
    if (!has(step, type) && !(type === 'integer' && has(step, 'number'))) continue
    const [before, after] = [limitOf(step.before, bound), limitOf(step.after, bound)]
    const rise = compareLimits(after, before)
    if (rise === 0) continue
    const effect = rise > 0 ? narrows : widens
    const nameOf = ({ strictness, excluded }: Limit) =>
      Number.isFinite(strictness) ? `${strictness * sign}${excluded ? ' (exclusive)' : ''}` : 'none'
    const what = `${keyword} was ${nameOf(before)} and is ${nameOf(after)}`
    yield difference(step, effect, `${kebab(keyword)}-${manner(effect)}`, keyword, what)
  }
}

function compareLimits(one: Limit, other: Limit): number {
  return one.strictness === other.strictness
    ? Number(one.excluded) - Number(other.excluded)
    : one.strictness - other.strictness
}

/** The strictest of a bound over all parts of a schema. */
function limitOf({ parts, types }: Shape, { keyword, sign, type, ...rest }: Bound): Limit {
  const weakest = type === 'integer' || sign < 0 ? -Infinity : 0
  const set = parts.flatMap(({ node }): Limit[] => {
    const limit = node[keyword]
    if (limit === undefined) return []
    const excluded = 'exclusive' in rest && node[rest.exclusive] === true
    // Among integers the next one in is the bound.
    const isInteger = excluded && !types.has('number')
    return [{ strictness: limit * sign + (isInteger ? 1 : 0), excluded: excluded && !isInteger }]
  })
  return set.reduce((one, other) => (compareLimits(other, one) > 0 ? other : one), {
    strictness: weakest,
    excluded: false,
  })
}
