import type { Field, Kind } from './grammar.ts'
import { readPattern } from './pattern.ts'
import { isObject } from './pointer.ts'

/** A kind of value that is no object of the document's language. */
type Form = Exclude<Field, { of: Kind }>['is']

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']
const isText = (value: unknown) => typeof value === 'string'

/** What a field takes: whether a value is that, what it is called, and what to write. */
export const forms: Record<Form, [isRight: (value: unknown) => boolean, wanted: string, shape: string]> = {
  text: [isText, 'A text', '"…"'],
  boolean: [value => typeof value === 'boolean', 'true or false', 'one of them'],
  number: [Number.isFinite, 'A number', '1.5'],
  count: [value => Number.isInteger(value) && Number(value) >= 0, 'A whole number from 0', '10'],
  texts: [value => Array.isArray(value) && value.every(isText), 'A list of texts', '[a, b]'],
  textMap: [value => isObject(value) && Object.values(value).every(isText), 'A map of texts', '{ a: b }'],
  values: [value => Array.isArray(value) && value.length > 0, 'A list of values', '[a, b]'],
  type: [
    value => types.some(type => type === value),
    `One of ${types.join(', ')} (and \`nullable: true\` beside it for null)`,
    'type: string',
  ],
  pattern: [
    value => typeof value === 'string' && readPattern(value) !== undefined,
    'A regular expression of ECMA-262',
    '^[a-z]+$',
  ],
  data: [() => true, '', ''],
}

/** Keywords whose wrong use changes which values are valid; a wrong use of others only tells less. */
export const binding: readonly Form[] = ['type', 'pattern', 'values', 'number', 'count']

/** A value in a few words. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
