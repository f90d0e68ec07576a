import { takesNull, typesIn, valuesIn } from 'spec-served-document/model'
import type { Schema } from 'spec-served-document/types'
import { exactText } from 'spec-served-document/values/exact-keywords'
import { isInt64, parseExactly } from 'spec-served-document/values/whole-numbers'

/** The values that a client gives and takes in other types than JSON has. */
export interface ValueTypes {
  /** whether a date and time is a `Date` */
  dates?: boolean
  /** the type of whole numbers of 64 bits, which JSON.parse rounds */
  int64?: 'bigint' | 'string' | undefined
}

/** Returns the kind of a schema's values, if they get another type. */
export function valueKind(schema: Schema, { dates, int64 }: ValueTypes): 'date' | 'int64' | undefined {
  const [type, ...others] = typesIn(schema)
  if (others.length > 0 || valuesIn(schema)) return undefined
  if (dates && type === 'string' && schema.format === 'date-time') return 'date'
  const isNumber = type === 'integer' || type === 'number'
  return int64 && isNumber && /^u?int64$/.test(schema.format ?? '') ? 'int64' : undefined
}

/** Returns the text of the type of whole numbers of 64 bits in handlers, where they are bigints. */
export function bigintTextOf(schema: Schema, { int64 }: ValueTypes): string | undefined {
  if (int64 !== 'bigint' || !isInt64(schema)) return undefined
  const keyword = schema.const === undefined ? 'enum' : 'const'
  const values: unknown = valuesIn(schema) && parseExactly(exactText(schema, keyword))
  const whole = [values].flat().filter(value => typeof value === 'bigint' || Number.isInteger(value))
  const texts = whole.length > 0 ? whole.map(value => `${value}n`) : ['bigint']
  return [...texts, ...(takesNull(schema) ? ['null'] : [])].join(' | ')
}

/** Returns the text of that type. */
export function typeTextOf(schema: Schema, types: ValueTypes): string | undefined {
  const kind = valueKind(schema, types)
  if (!kind) return undefined
  return `${kind === 'date' ? 'Date' : types.int64}${takesNull(schema) ? ' | null' : ''}`
}
