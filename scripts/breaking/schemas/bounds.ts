import { differs, narrows, widens } from '../change.ts'
import { isMultipleOf } from './decimals.ts'
import { type Differences, difference, has, kebab, type Step } from './difference.ts'
import type { Shape } from './shape.ts'

/** The keywords that set a lower or an upper bound, and the type of value that they bound. */
const bounds = [
  { keyword: 'minimum', exclusive: 'exclusiveMinimum', side: 'lower', type: 'number' },
  { keyword: 'maximum', exclusive: 'exclusiveMaximum', side: 'upper', type: 'number' },
  { keyword: 'minLength', side: 'lower', type: 'string' },
  { keyword: 'maxLength', side: 'upper', type: 'string' },
  { keyword: 'minItems', side: 'lower', type: 'array' },
  { keyword: 'maxItems', side: 'upper', type: 'array' },
  { keyword: 'minProperties', side: 'lower', type: 'object' },
  { keyword: 'maxProperties', side: 'upper', type: 'object' },
] as const

type Bound = (typeof bounds)[number]

interface Limit {
  limit: number
  /** whether the limit itself is out */
  excluded: boolean
}

/** Judges what changes in how small and how great a value may be, or how short and how long. */
export function* compareBounds(step: Step): Differences {
  for (const bound of bounds) {
    const { keyword, side, type } = bound
    if (!has(step, type) && !(type === 'number' && has(step, 'integer'))) continue
    const [before, after] = [limitOf(step.before, bound), limitOf(step.after, bound)]
    const rise =
      after.limit === before.limit
        ? Number(after.excluded) - Number(before.excluded)
        : after.limit - before.limit
    if (rise === 0) continue
    // A limit that is excluded is stricter on both sides; a greater one is stricter only below.
    const stricter = after.limit === before.limit || side === 'lower' ? rise > 0 : rise < 0
    yield difference(
      step,
      stricter ? narrows : widens,
      `${kebab(keyword)}-${stricter ? 'narrowed' : 'widened'}`,
      [keyword],
      `${keyword} was ${nameOf(before)} and is ${nameOf(after)}`,
    )
  }
}

/** Judges what changes in what a number has to be a multiple of. */
export function* compareMultiples(step: Step): Differences {
  const [before, after] = [step.before.multipleOf, step.after.multipleOf]
  if (before === after) return
  const what = `multipleOf was ${before ?? 'none'} and is ${after ?? 'none'}`
  if (before === undefined || (after !== undefined && isMultipleOf(after, before)))
    yield difference(step, narrows, 'multiple-of-narrowed', ['multipleOf'], what)
  else if (after === undefined || isMultipleOf(before, after))
    yield difference(step, widens, 'multiple-of-widened', ['multipleOf'], what)
  else yield difference(step, differs, 'multiple-of-changed', ['multipleOf'], what)
}

/** The strictest of a bound over all parts of a schema. */
function limitOf({ parts, types }: Shape, { keyword, side, ...rest }: Bound): Limit {
  const lower = side === 'lower'
  let strictest = { limit: lower ? (keyword === 'minimum' ? -Infinity : 0) : Infinity, excluded: false }
  for (const { node } of parts) {
    let limit = node[keyword]
    let excluded = 'exclusive' in rest && node[rest.exclusive] === true
    if (limit === undefined) continue
    if (excluded && !types.has('number')) {
      limit += lower ? 1 : -1 // among integers the next one in is the bound
      excluded = false
    }
    const order = lower ? limit - strictest.limit : strictest.limit - limit
    if (order > 0 || (order === 0 && excluded)) strictest = { limit, excluded }
  }
  return strictest
}

function nameOf({ limit, excluded }: Limit): string {
  return Number.isFinite(limit) ? `${limit}${excluded ? ' (exclusive)' : ''}` : 'none'
}
