import type { Ajv, ErrorObject, FuncKeywordDefinition } from 'ajv'
import { isMultipleOf } from '../decimals.ts'
import { isObject } from '../pointer.ts'
import type { Schema } from '../types.ts'
import { int64, isInt64, type Longs, parseExactly, wholeIn } from './whole-numbers.ts'

/** The extension that has the numbers of a schema that no double holds, by their keywords, as texts of JSON. */
export const exactNumbers = 'x-exact-numbers'

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
type Bound = (typeof bounds)[number]
const listed = ['enum', 'const'] as const

/** Keywords whose values are compared with numbers, as texts of JSON. */
type Exactly = Partial<Record<Bound | (typeof listed)[number] | 'multipleOf', string>>

/** The keywords of a schema that doubles can't check, and those in whose place they stand. */
interface Exact {
  without: Schema
  with: { exactly?: Exactly; int64?: readonly ('minimum' | 'maximum')[] }
}

/** The keywords of a schema whose numbers the service reads. */
export const exactKeywords = [...bounds, ...listed, 'multipleOf', 'default'] as const

/** Whether a value is, or has, a whole number beyond ±(2^53 − 1). */
export const isLong = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(isLong))

/** Returns a keyword's value as a text of JSON, exactly as the document has it. */
export function exactText(schema: Schema, keyword: string): string {
  const written = schema[exactNumbers]
  const text = isObject(written) ? written[keyword] : undefined
  return typeof text === 'string' ? text : JSON.stringify(schema[keyword])
}

/**
 * Separates the keywords of a schema that doubles can't check where a value is a whole number of 64 bits. Comparing a
 * rounded number with a bound within ±(2^53 − 1) is exact.
 */
export function exactOf(schema: Schema): Exact {
  const without: Schema = { ...schema }
  const exactly: Exactly = {}
  for (const name of ['minimum', 'maximum'] as const) {
    const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
    if (isLong(schema[exclusive])) exactly[exclusive] = exactText(schema, exclusive)
    if (isLong(schema[name])) exactly[schema[exclusive] === true ? exclusive : name] = exactText(schema, name)
    if (isLong(schema[exclusive]) || isLong(schema[name])) {
      if (isLong(schema[name])) delete without[name]
      if (isLong(schema[exclusive]) || schema[exclusive] === true) delete without[exclusive]
    }
  }
  for (const name of listed)
    if (isLong(schema[name])) {
      exactly[name] = exactText(schema, name)
      delete without[name]
    }
  if (schema.multipleOf !== undefined && schema.type !== 'number') {
    exactly.multipleOf = exactText(schema, 'multipleOf')
    delete without.multipleOf
  }
  return {
    without,
    with: {
      ...(Object.keys(exactly).length > 0 && { exactly }),
      ...(isInt64(schema) && { int64: openEnds(schema) }),
    },
  }
}

/** Returns the ends of the range of 64 bits that no bound of a schema keeps. */
function openEnds(schema: Schema) {
  const isKept = (name: Bound, isWithin: (bound: bigint) => boolean) => {
    if (typeof schema[name] !== 'number') return false
    const bound = wholeIn(exactText(schema, name))
    return bound === undefined ? Math.abs(schema[name]) < Number.MAX_SAFE_INTEGER : isWithin(bound)
  }
  const isAbove = (bound: bigint) => bound >= int64.least
  const isBelow = (bound: bigint) => bound <= int64.most
  const hasLeast = isKept('minimum', isAbove) || isKept('exclusiveMinimum', isAbove)
  const hasMost = isKept('maximum', isBelow) || isKept('exclusiveMaximum', isBelow)
  return [...(hasLeast ? [] : (['minimum'] as const)), ...(hasMost ? [] : (['maximum'] as const))]
}

/** The state of a validation, as far as these keywords need it. */
interface Judging {
  longs: Longs | undefined
}

/** Called with each number that is a whole one of 64 bits. */
type Take<State> = (judging: State, holder: unknown, name: string | number, whole: bigint) => void

type Check = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>
type Fault = Pick<ErrorObject, 'keyword' | 'params' | 'message'>

/** A number of a document or a value: exact, or the nearest double. */
type Exactness = bigint | number

/** Adds the keywords `int64` and `exactly` to Ajv. */
export function addExactKeywords<State extends Judging>(ajv: Ajv, take: Take<State>): void {
  ajv.addKeyword({
    keyword: 'int64',
    type: 'number',
    compile(ends: readonly ('minimum' | 'maximum')[]) {
      const check: Check = function (this: State, value: number, context) {
        if (!context || !Number.isInteger(value)) return true // `type` refuses it
        const { parentData: holder, parentDataProperty: name } = context
        const whole = this.longs?.at(holder, name, value) ?? value
        const found = ends.flatMap(end => faultOfBound(end, limits[end], whole) ?? [])
        check.errors = found
        if (found.length === 0) take(this, holder, name, BigInt(whole))
        return found.length === 0
      }
      return check
    },
  })
  ajv.addKeyword({
    keyword: 'exactly',
    compile(texts: Exactly) {
      const rules = rulesOf(texts)
      const check: Check = function (this: Judging, value: unknown, context) {
        const { parentData: holder, parentDataProperty: name } = context ?? {}
        const exact = typeof value === 'number' ? (this.longs?.at(holder, name ?? '', value) ?? value) : value
        const found = rules.flatMap(rule => rule(exact) ?? [])
        check.errors = found
        return found.length === 0
      }
      return check
    },
  })
}

const limits = { minimum: int64.least, maximum: int64.most }

type Rule = (value: unknown) => Fault | undefined

function rulesOf(texts: Exactly): Rule[] {
  const isNumber = (value: unknown): value is Exactness =>
    typeof value === 'number' || typeof value === 'bigint'
  const ofNumbers = (rule: (value: Exactness) => Fault | undefined): Rule => {
    return value => (isNumber(value) ? rule(value) : undefined)
  }
  const ofBounds = bounds.flatMap(name => {
    const limit = parseExactly(texts[name] ?? 'null')
    return isNumber(limit) ? [ofNumbers(value => faultOfBound(name, limit, value))] : []
  })
  const ofLists = listed.flatMap(name => {
    const text = texts[name]
    if (text === undefined) return []
    const value: unknown = parseExactly(text)
    const values: readonly unknown[] = name === 'enum' && Array.isArray(value) ? value : [value]
    const params = { allowedValues: values.map(shown), allowedValue: shown(values[0]) }
    return [
      (sent: unknown) => (values.some(one => isSame(one, sent)) ? undefined : { keyword: name, params }),
    ]
  })
  const unit = parseExactly(texts.multipleOf ?? 'null')
  const ofUnit = isNumber(unit)
    ? [
        ofNumbers(value =>
          isMultiple(value, unit)
            ? undefined
            : { keyword: 'multipleOf', params: {}, message: `must be a multiple of ${unit}` },
        ),
      ]
    : []
  return [...ofBounds, ...ofLists, ...ofUnit]
}

/** A value as faults show it. */
const shown = (value: unknown) => (typeof value === 'bigint' ? String(value) : value)

/** Compares a bound with a number. A double that may have been rounded is compared with a rounded bound. */
function faultOfBound(keyword: Bound, limit: Exactness, value: Exactness): Fault | undefined {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value)
  const bound = isRounded ? Number(limit) : limit
  const fits = {
    minimum: value >= bound,
    maximum: value <= bound,
    exclusiveMinimum: value > bound,
    exclusiveMaximum: value < bound,
  }
  return fits[keyword] ? undefined : { keyword, params: { limit } }
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'bigint' && typeof other === 'number')
    return Number.isSafeInteger(other) ? one === BigInt(other) : Number(one) === other
  if (typeof one !== 'object') return one === other
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether a number is a multiple of another, in decimal digits. */
function isMultiple(value: Exactness, unit: Exactness): boolean {
  if (Number(unit) === 0) return false
  if (typeof value === 'bigint' && !Number.isInteger(Number(unit))) {
    const [, fraction = ''] = String(unit).split('.')
    const scale = 10n ** BigInt(fraction.length)
    const scaled = wholeIn(`${unit}e${fraction.length}`)
    return scaled !== undefined && (value * scale) % scaled === 0n
  }
  const isWhole = Number.isInteger(Number(value)) && Number.isInteger(Number(unit))
  if (isWhole) return BigInt(value) % BigInt(unit) === 0n
  return isMultipleOf(Number(value), Number(unit))
}
