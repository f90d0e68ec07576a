import { isDeepStrictEqual } from 'node:util'
import { isMultipleOf, leastMultiple } from 'spec-served-document/decimals'
import { type Model, partsOf, takesNull, typesIn, valuesIn } from 'spec-served-document/model'
import type { Reference, Schema, SchemaType } from 'spec-served-document/types'

type Node = Schema | Reference

/** The multiples and bounds of a number, each of which all parts of a schema allow. */
export interface Numbers {
  least: number | undefined
  most: number | undefined
  /** whether the bound itself is not allowed */
  isAbove: boolean
  isBelow: boolean
  /** the number of which it is a multiple */
  unit: number | undefined
}

/** Everything that all parts of a schema demand together (`allOf` and references), by the kind of value. */
export interface Joined {
  /** the schema first, then the parts of its `allOf` */
  parts: readonly Schema[]
  /** the types that all parts allow, except null; without a `type` those to which its keywords apply */
  types: readonly SchemaType[]
  /** whether a part allows null */
  isNullable: boolean
  /** the values that all parts list; undefined if none lists any */
  values: readonly unknown[] | undefined
  numbers: Numbers
  texts: { least: number; most: number; patterns: readonly string[]; formats: readonly string[] }
  lists: { least: number; most: number; isUnique: boolean; items: readonly Node[] }
  objects: { least: number; most: number; required: readonly string[]; described: readonly string[] }
}

/** Results by node. Each node belongs to one document. */
const cache = new WeakMap<Node, Joined>()

/** Joins the parts of a schema, so that a value that fits the result fits each of them. */
export function joinedOf(model: Model, schema: Node): Joined {
  const joined = cache.get(schema) ?? join(model, schema)
  cache.set(schema, joined)
  return joined
}

function join(model: Model, schema: Node): Joined {
  const parts = partsOf(model, schema)
  const numbersIn = (keyword: string) =>
    parts.flatMap(part => (typeof part[keyword] === 'number' ? [part[keyword]] : []))
  const greatest = (keyword: string) => Math.max(0, ...numbersIn(keyword))
  const smallest = (keyword: string) => Math.min(Number.MAX_SAFE_INTEGER, ...numbersIn(keyword))
  const textsIn = (keyword: string) =>
    parts.flatMap(part => (typeof part[keyword] === 'string' ? [part[keyword]] : []))
  const types = typesOf(parts)
  return {
    parts,
    types,
    isNullable: parts.some(takesNull),
    values: valuesOf(parts),
    numbers: boundsOf(parts, types.includes('integer') && !types.includes('number')),
    texts: {
      least: greatest('minLength'),
      most: smallest('maxLength'),
      patterns: [...new Set(textsIn('pattern'))],
      formats: [...new Set(textsIn('format'))],
    },
    lists: {
      least: greatest('minItems'),
      most: smallest('maxItems'),
      isUnique: parts.some(part => part.uniqueItems === true),
      items: parts.flatMap((part): Node[] => (part.items ? [part.items] : [])),
    },
    objects: {
      least: greatest('minProperties'),
      most: smallest('maxProperties'),
      required: [...new Set(parts.flatMap(part => part.required ?? []))],
      described: [...new Set(parts.flatMap(part => Object.keys(part.properties ?? {})))],
    },
  }
}

function valuesOf(parts: readonly Schema[]): readonly unknown[] | undefined {
  const [first, ...others] = parts.flatMap(part => [valuesIn(part) ?? []].filter(list => list.length > 0))
  const all = first?.filter(value =>
    others.every(list => list.some(allowed => isDeepStrictEqual(allowed, value))),
  )
  return all && exactOf(all)
}

/** Values without whole numbers beyond 2^53, of which a double may be another number; all where there are no others. */
export function exactOf(values: readonly unknown[]): readonly unknown[] {
  const exact = values.filter(value => !Number.isInteger(value) || Number.isSafeInteger(value))
  return exact.length > 0 ? exact : values
}

/** The keywords that apply to values of one type. */
const ownKeywords: readonly [SchemaType, readonly string[]][] = [
  ['object', ['properties', 'additionalProperties', 'patternProperties', 'required', 'minProperties']],
  ['array', ['items', 'prefixItems', 'contains', 'minItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

function typesOf(parts: readonly Schema[]): SchemaType[] {
  const named = parts.filter(({ type }) => type !== undefined).map(typesIn)
  const [first, ...others] = named
  if (!first) {
    const [keywordType] = ownKeywords.filter(([, keywords]) =>
      parts.some(part => keywords.some(keyword => keyword in part)),
    )
    return keywordType ? [keywordType[0]] : ['string']
  }
  // An integer is a number, too.
  const meet = (types: readonly SchemaType[], other: readonly SchemaType[]) => {
    const isIn = (type: SchemaType, list: readonly SchemaType[]) =>
      list.includes(type) || (type === 'integer' && list.includes('number'))
    return [...types.filter(type => isIn(type, other)), ...other.filter(type => isIn(type, types))]
  }
  return [...new Set(others.reduce<readonly SchemaType[]>(meet, first))]
}

/** The bounds of all parts: `true` excludes the bound of 3.0, a number is excluded itself (from 3.1 on). */
function boundsOf(parts: readonly Schema[], isWhole: boolean): Numbers {
  const all: Numbers = {
    least: undefined,
    most: undefined,
    isAbove: false,
    isBelow: false,
    unit: isWhole ? 1 : undefined,
  }
  const raise = (bound: unknown, isExcluded: boolean) => {
    if (typeof bound !== 'number' || bound < (all.least ?? -Infinity)) return
    if (isWhole && bound < Number.MIN_SAFE_INTEGER) return // a double writes another number
    all.isAbove = isExcluded || (bound === all.least && all.isAbove)
    all.least = bound
  }
  const lower = (bound: unknown, isExcluded: boolean) => {
    if (typeof bound !== 'number' || bound > (all.most ?? Infinity)) return
    if (isWhole && bound > Number.MAX_SAFE_INTEGER) return // likewise
    all.isBelow = isExcluded || (bound === all.most && all.isBelow)
    all.most = bound
  }
  for (const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } of parts) {
    raise(minimum, exclusiveMinimum === true)
    raise(exclusiveMinimum, true)
    lower(maximum, exclusiveMaximum === true)
    lower(exclusiveMaximum, true)
    if (typeof multipleOf === 'number')
      all.unit = all.unit === undefined ? multipleOf : leastMultiple(all.unit, multipleOf)
    if (format === 'int32') {
      raise(-(2 ** 31), false)
      lower(2 ** 31 - 1, false)
    }
  }
  return all
}

/** The steps in which numbers are tried between two bounds, the ones with the fewest digits first. */
const usualSteps = [
  0.5,
  0.25,
  ...Array.from({ length: 16 }, (_, i) => [10 ** -(i + 1), 10 ** -(i + 1) / 2]).flat(),
]

/**
 * Returns the n-th number within bounds, counted from the lowest, or downward from the highest if there is no lowest.
 * @returns undefined if there is none
 */
export function numberWithin(numbers: Numbers, n: number): number | undefined {
  const { least, most, isAbove, isBelow, unit } = numbers
  for (const step of unit === undefined ? usualSteps : [unit]) {
    const edge = (bound: number, round: (value: number) => number, beyond: number, isExcluded: boolean) =>
      isMultipleOf(bound, step) ? Math.round(bound / step) + (isExcluded ? beyond : 0) : round(bound / step)
    const low = least === undefined ? -Infinity : edge(least, Math.ceil, 1, isAbove)
    const high = most === undefined ? Infinity : edge(most, Math.floor, -1, isBelow)
    const count = high - low + 1
    if (!(count > 0)) continue
    if (Number.isFinite(low)) return times(low + (n % count), step)
    return times(high < 1 + n ? high - n : 1 + n, step)
  }
  if (least === undefined || most === undefined) return undefined
  if (least === most && !isAbove && !isBelow && unit === undefined) return least
  const middle = least + (most - least) / 2
  return unit === undefined && middle > least && middle < most ? middle : undefined
}

/** A multiple without the faults of binary fractions: 3 times 0.1 is 0.3. */
const times = (count: number, step: number) =>
  Number.isInteger(step) ? count * step : Number((count * step).toPrecision(15))
