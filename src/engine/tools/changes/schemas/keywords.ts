import { isMultipleOf } from 'spec-served-document/decimals'
import { type Impact, narrows, widens } from '../change.ts'
import { canonical } from '../located.ts'
import { type Differences, demand, difference, has, type Step, shift } from './difference.ts'
import { everyType } from './parts.ts'
import { wordsBeyond } from './patterns.ts'
import type { JointShape } from './shape.ts'

/** Judges what changes in the keywords that stand alone. */
export function* compareKeywords(step: Step): Differences {
  const { before, after } = step
  const uniqueness = ['unique-items-added', 'unique-items-removed'] as const
  yield* compareTypes(step)
  yield* compareValues(step)
  yield* compareFormats(step)
  yield* compareBounds(step)
  yield* comparePatterns(step)
  yield* compareMultiples(step)
  yield* demand(step, 'uniqueItems', [before.uniqueItems, after.uniqueItems], uniqueness)
  yield* compareDefaults(step)
  if (step.context.isXml) yield* compareXml(step)
}

/** Judges what changes in the types of a value; null counts by itself. */
export function* compareTypes(step: Step): Differences {
  const [before, after] = [step.before.types, step.after.types]
  const lost = [...before].filter(type => !after.has(type))
  const fresh = [...after].filter(type => !before.has(type))
  // Among all types, null is nothing to speak of.
  const isUnbound = lost.length + fresh.length > 1 && (isEvery(before) || isEvery(after))
  const isRefused = [!before.has('null'), !after.has('null')] as const
  if (!isUnbound) yield* demand(step, 'nullable', isRefused, ['null-refused', 'null-allowed'])
  const isSaid = (type: string) => type !== 'null'
  const what = `${namesOf(before)} became ${namesOf(after)}`
  yield* shift(step, 'type', { fewer: lost.some(isSaid), more: fresh.some(isSaid) }, what)
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
  const isListed = [before !== undefined, after !== undefined] as const
  yield* demand(step, 'enum', isListed, ['enum-added', 'enum-removed'])
  if (!before || !after) return
  for (const value of before)
    if (!after.has(value))
      yield difference(step, narrows, 'enum-value-removed', 'enum', `${value} is no longer a value`)
  const isOpen = step.before.parts.some(({ node }) => node['x-open-enum'])
  const rule = isOpen ? 'open-enum-value-added' : 'enum-value-added'
  for (const value of after)
    if (!before.has(value)) yield difference(step, widens, rule, 'enum', `${value} is a new value`)
}

/** Formats whose values are all values of another. */
const subformats: Record<string, string> = { int32: 'int64', float: 'double' }
/** It only asks forms to hide the typed text. */
const hint = 'password'

/** Judges what changes in the format of a value; two formats have nothing in common but what `subformats` says. */
function* compareFormats(step: Step): Differences {
  const named = ({ formats }: JointShape) =>
    [...formats]
      .filter(format => format !== hint)
      .toSorted()
      .join()
  const [before, after] = [named(step.before), named(step.after)]
  const what = `the format was ${before || 'any'} and is ${after || 'any'}`
  const isSaid = [before !== '', after !== ''] as const
  yield* demand(step, 'format', isSaid, ['format-added', 'format-removed'], what)
  if (before === '' || after === '' || before === after) return
  const [fewer, more] = [subformats[before] !== after, subformats[after] !== before]
  yield* shift(step, 'format', { fewer, more }, what)
}

/** Judges what changes in the patterns that a text has to match. A pattern that is not regular contains no other. */
function* comparePatterns(step: Step): Differences {
  const [before, after] = [step.before.patterns, step.after.patterns]
  const lost = [...before].filter(pattern => !after.has(pattern))
  const fresh = [...after].filter(pattern => !before.has(pattern))
  if (lost.length + fresh.length === 0) return
  const fewer = wordsBeyond(before, after)?.length !== 0
  const more = wordsBeyond(after, before)?.length !== 0
  if (lost.length > 0 && fresh.length > 0)
    yield* shift(step, 'pattern', { fewer, more }, `the pattern was ${lost} and is ${fresh}`)
  else if (fewer || more) {
    const what = fresh.length > 0 ? `it has to match ${fresh}` : `it need not match ${lost}`
    const isSaid = [lost.length > 0, fresh.length > 0] as const
    yield* demand(step, 'pattern', isSaid, ['pattern-added', 'pattern-removed'], what)
  }
}

/** Judges what changes in what a number has to be a multiple of. */
function* compareMultiples(step: Step): Differences {
  const [before, after] = [step.before.multipleOf, step.after.multipleOf]
  const isWithin = (divisor?: number, multiple?: number) =>
    multiple === undefined ||
    divisor === multiple ||
    (divisor !== undefined && isMultipleOf(divisor, multiple))
  const [fewer, more] = [!isWithin(before, after), !isWithin(after, before)]
  const what = `multipleOf was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield* shift(step, 'multipleOf', { fewer, more }, what)
}

/** Judges what changes in what silence means; in what clients read, nothing is left to a default. */
function* compareDefaults(step: Step): Differences {
  const [before, after] = [step.before.default, step.after.default]
  if (before === after) return
  const what = `the default was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield difference(step, { request: 'warning', response: 'info' }, 'default-changed', 'default', what)
}

/** Judges what changes in how a value is written as XML. */
function* compareXml(step: Step): Differences {
  const [before, after] = [step.before, step.after].map(({ parts }) =>
    canonical(parts.flatMap(({ node }) => node.xml ?? [])),
  )
  const effect: Impact = { request: 'breaking', response: 'breaking' }
  if (before !== after)
    yield difference(step, effect, 'xml-changed', 'xml', 'it is another element or attribute')
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

/** A bound times its sign, so that greater is stricter. The second number is 1 if the bound is excluded. */
type Limit = readonly [strictness: number, excluded: number]

/** How much stricter one limit is than another. */
function riseOf([limit, isOut]: Limit, [base, wasOut]: Limit): number {
  return limit === base ? isOut - wasOut : limit - base
}

/** Judges what changes in how small and how great a value may be, or how short and how long. */
function* compareBounds(step: Step): Differences {
  for (const bound of bounds) {
    const { keyword, sign, type } = bound
    if (!has(step, type) && !(type === 'integer' && has(step, 'number'))) continue
    const [before, after] = [limitOf(step.before, bound), limitOf(step.after, bound)]
    const rise = riseOf(after, before)
    const nameOf = ([strictness, excluded]: Limit) =>
      Number.isFinite(strictness) ? `${strictness * sign}${excluded ? ' (exclusive)' : ''}` : 'none'
    const what = `${keyword} was ${nameOf(before)} and is ${nameOf(after)}`
    const kin = 'exclusive' in bound ? [bound.exclusive] : []
    yield* shift(step, keyword, { fewer: rise > 0, more: rise < 0 }, what, kin)
  }
}

/** The strictest of a bound over all parts of a schema. */
function limitOf({ parts, types }: JointShape, { keyword, sign, type, ...rest }: Bound): Limit {
  const none: Limit = [type === 'integer' || sign < 0 ? -Infinity : 0, 0]
  const set = parts.flatMap(({ node }): Limit[] => {
    const limits = [node[keyword], 'exclusive' in rest ? node[rest.exclusive] : undefined]
    return limits.flatMap((limit, index) => (typeof limit === 'number' ? [[limit * sign, index]] : []))
  })
  const [strictness, excluded] = set.reduce(
    (strictest, limit) => (riseOf(limit, strictest) > 0 ? limit : strictest),
    none,
  )
  // Among integers the next one in is the bound.
  return excluded && !types.has('number') ? [Math.floor(strictness) + 1, 0] : [strictness, excluded]
}
