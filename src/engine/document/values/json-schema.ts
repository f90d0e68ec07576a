import { Ajv, str } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { schemaKeywords } from '../model.ts'
import { matcherOf } from '../pattern.ts'
import { isObject, lookUp } from '../pointer.ts'
import { type Longs, rawNumber } from './whole-numbers.ts'

/** A JSON Schema or OpenAPI schema object, as read from a document. */
export type Schema = Readonly<Record<string, unknown>>

/** Keywords that only inform readers. */
const annotations = ['example', 'examples', '$comment']

/** Changes an OpenAPI schema before its conversion. Its subschemas are changed later. */
export type Rewrite = (schema: Schema) => Schema

/** Converts a schema to the JSON Schema that accepts the same values. From OpenAPI 3.1 on it already is one. */
export function toJsonSchema(written: unknown, rewrite: Rewrite = schema => schema): unknown {
  if (!isObject(written)) return written
  const { nullable, ...rest } = rewrite(written)
  const schema: Record<string, unknown> = rest
  for (const keyword of Object.keys(schema))
    if (keyword.startsWith('x-') || annotations.includes(keyword)) delete schema[keyword]
  const result = withSubschemas(schema, subschema => toJsonSchema(subschema, rewrite))
  const passedOver = lookUp(result, ['properties', '__proto__']) // Ajv passes it over
  if (passedOver !== undefined)
    result.patternProperties = Object.assign({ '^__proto__$': passedOver }, result.patternProperties)
  moveBound(result, 'minimum', 'exclusiveMinimum')
  moveBound(result, 'maximum', 'exclusiveMaximum')
  if (nullable !== true) return result
  if (typeof result.type === 'string') return { ...result, type: [result.type, 'null'] }
  return { anyOf: [result, { type: 'null' }] }
}

/**
 * Returns a schema that accepts the same values, and does not check the items of a list that is too long: 8,000 blanks in a
 * query would cost a hundred times what a list of the most items costs.
 */
export function withoutExcessItems(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const all = withSubschemas(schema, withoutExcessItems)
  const { maxItems, allOf = [] } = all
  const ofItems = Object.entries(all).filter(([keyword]) => itemKeywords.includes(keyword))
  if (typeof maxItems !== 'number' || ofItems.length === 0 || !Array.isArray(allOf)) return all
  const others = Object.entries(all).filter(([keyword]) => !itemKeywords.includes(keyword))
  const short = { if: { minItems: maxItems + 1 }, else: Object.fromEntries(ofItems) }
  return { ...Object.fromEntries(others), allOf: [...allOf, short] }
}

/** Keywords that look at each item. */
const itemKeywords = ['items', 'prefixItems', 'contains', 'minContains', 'maxContains', 'uniqueItems']

/** Returns a schema with other subschemas. */
export function withSubschemas(
  schema: Schema,
  change: (subschema: unknown) => unknown,
): Record<string, unknown> {
  return mapped(schema, (value, keyword) => {
    if (schemaKeywords.one.includes(keyword)) return change(value)
    if (schemaKeywords.list.includes(keyword) && Array.isArray(value)) return value.map(change)
    return schemaKeywords.map.includes(keyword) && isObject(value) ? mapped(value, change) : value
  })
}

const mapped = (object: Schema, change: (value: unknown, name: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))

function moveBound(schema: Record<string, unknown>, bound: string, exclusive: string): void {
  if (typeof schema[exclusive] !== 'boolean') return
  if (schema[exclusive]) {
    schema[exclusive] = schema[bound]
    delete schema[bound]
  } else delete schema[exclusive]
}

/** Returns an Ajv that reads schemas by the document's version. `verbose`: errors hold their schemas. */
export function createAjv({ allErrors = true, openapi = '3.0', verbose = false } = {}): Ajv {
  const Class = openapi.startsWith('3.0') ? Ajv : (Ajv2020 as unknown as typeof Ajv) // it differs only in its keywords
  const ajv = new Class({
    allErrors,
    verbose,
    strict: false,
    logger: false,
    meta: false,
    passContext: true,
    ownProperties: true, // `constructor` and the like are ordinary names
    validateSchema: false, // the document is already checked
    code: { regExp },
  })
  ajvFormats.default(ajv)
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i) // ajv-formats takes `urn:uuid:` before it
  ajv.addFormat('float', { type: 'number', validate: value => Number.isFinite(Math.fround(value)) })
  ajv.addFormat('int64', true) // the type checks it already, and would give a second fault
  // The format of ajv-formats takes a time that grows with the square of the text's length.
  ajv.addFormat('url', text => /^(https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text))
  // Ajv's own keyword compares each object with each other one.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'items',
    errors: false,
    error: { message: 'must not hold an item twice' },
    validate(
      this: { longs?: Longs | undefined } | undefined,
      isDemanded: boolean,
      items: readonly unknown[],
    ) {
      const longs = this?.longs
      return !isDemanded || (longs ? longs.withBigints(() => areUnique(items)) : areUnique(items))
    },
  })
  // Ajv's own keyword finds that 19.99 is no multiple of 0.01.
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: false,
    error: { message: ({ schemaCode }) => str`must be a multiple of ${schemaCode}` },
    validate: isMultiple,
  })
  return ajv
}

/** Ajv distinguishes patterns by their texts. */
const regExp = Object.assign(
  (pattern: string) => {
    const matcher = matcherOf(pattern)
    return { test: (text: string) => matcher.test(text), toString: () => pattern }
  },
  { code: 'new RegExp' },
)

/** Tests within the precision of doubles, because a quotient has lost its last bits. */
function isMultiple(unit: number, value: number): boolean {
  const quotient = value / unit
  return Math.abs(Math.round(quotient) - quotient) <= Math.abs(quotient) * 4 * Number.EPSILON
}

/** Whether no two values are equal as JSON. The order of an object's members does not matter. */
const areUnique = (items: readonly unknown[]) =>
  new Set(items.map(item => JSON.stringify(item, sorted))).size === items.length

const sorted = (_name: string, value: unknown) =>
  typeof value === 'bigint'
    ? rawNumber(value)
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value

const dateTime =
  /^(\d{4}-\d\d-\d\d)t(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Whether a text is an RFC 3339 date-time on an existing day, in the years 0001 to 9999 of UTC. */
function isDateTime(text: string): boolean {
  const day = dateTime.exec(text)?.[1]
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return false
  const year = new Date(text.toUpperCase()).getUTCFullYear()
  return year >= 1 && year <= 9999
}
