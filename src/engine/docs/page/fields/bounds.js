/** @import { Schema } from '../document/types.js' */
import { count, numeral } from '../basics/words.js'

/**
 * Writes a value of the document for a reader.
 * @param {unknown} value
 * @returns {string}
 */
export const textOf = value =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/**
 * Returns a schema's bounds on a value in words, a text for each. The largest number of a kind, such as that of 32 bits,
 * counts as a bound of a whole value alone: it says nothing about an identifier.
 * @param {Schema} schema
 * @returns {string[]}
 */
export function boundsOf(schema, isWhole = false) {
  const isAnyOfKind = !isWhole && schema.maximum !== undefined && largest.has(schema.maximum)
  const isFromOne = schema.minimum !== undefined && schema.minimum <= 1
  const minimum = isAnyOfKind && isFromOne ? undefined : schema.minimum
  const maximum = isAnyOfKind ? undefined : schema.maximum
  const { exclusiveMinimum, exclusiveMaximum, items } = schema
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : exclusiveMinimum && minimum
  const below = typeof exclusiveMaximum === 'number' ? exclusiveMaximum : exclusiveMaximum && maximum
  const isAbove = typeof above === 'number'
  const isBelow = typeof below === 'number'
  const ofItems = items ? boundsOf(items) : []
  return [
    schema.const !== undefined && `always ${textOf(schema.const)}`,
    schema.enum && `one of ${schema.enum.map(textOf).join(', ')}`,
    range(isAbove ? undefined : minimum, isBelow ? undefined : maximum, ''),
    isAbove && `more than ${textOf(above)}`,
    isBelow && `less than ${textOf(below)}`,
    schema.multipleOf && `a multiple of ${schema.multipleOf}`,
    range(schema.minLength, schema.maxLength, 'character'),
    patternOf(schema),
    range(schema.minItems, schema.maxItems, 'item'),
    schema.uniqueItems && 'each item once',
    ofItems.length > 0 && `each ${ofItems.join(', ')}`,
  ].filter(bound => typeof bound === 'string')
}

/** @param {Schema} schema */
function patternOf({ pattern }) {
  if (!pattern) return undefined
  return pattern === '\\S' ? 'not blank' : `of the form ${pattern}`
}

/** The largest integers of 32, 53 and 64 bits. */
const largest = new Set([2 ** 31 - 1, 2 ** 53 - 1, 2 ** 63])

/**
 * Returns both bounds in words, or the only one; undefined without any.
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} noun
 */
function range(least, most, noun) {
  /** @param {number} number */
  const counted = number => (noun ? count(number, noun) : numeral(number))
  if (least !== undefined && least === most) return counted(least)
  if (least !== undefined && most !== undefined) return `${numeral(least)} to ${counted(most)}`
  if (least !== undefined) return `at least ${counted(least)}`
  return most === undefined ? undefined : `at most ${counted(most)}`
}
