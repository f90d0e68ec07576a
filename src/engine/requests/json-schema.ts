import { Ajv, str } from 'ajv'
import ajvFormats, { type FormatName } from 'ajv-formats'
import { matcherOf } from '../../document/pattern.ts'

/** A JSON Schema or OpenAPI schema object, as read from a document. */
export type Schema = Readonly<Record<string, unknown>>

/** Keywords of OpenAPI 3.0 that say nothing about which values are valid. */
const annotations = new Set([
  'description',
  'title',
  'example',
  'deprecated',
  'discriminator',
  'externalDocs',
  'readOnly',
  'writeOnly',
  'xml',
  '$id',
])
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'definitions'])
const singleSchemas = new Set(['items', 'additionalProperties', 'not'])
const listsOfSchemas = new Set(['allOf', 'anyOf', 'oneOf'])

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Changes a schema of OpenAPI before it is turned; what stands below it comes later. */
export type Rewrite = (schema: Schema) => Schema

/**
 * Turns an OpenAPI 3.0 schema into the JSON Schema draft-07 that accepts the same values.
 * `nullable` and the boolean `exclusiveMinimum`/`exclusiveMaximum` are rewritten, annotations are dropped.
 * Source: OpenAPI 3.0.3, Schema Object; JSON Schema Validation draft-07.
 */
export function toJsonSchema(written: unknown, rewrite: Rewrite = schema => schema): unknown {
  if (!isObject(written)) return written
  const schema = rewrite(written)
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (annotations.has(keyword) || keyword.startsWith('x-') || keyword === 'nullable') continue
    if (keyword === 'format' && value === 'int64') continue // the type says as much, and would be faulted twice
    if (mapsOfSchemas.has(keyword) && isObject(value)) result[keyword] = convertValues(value, rewrite)
    else if (singleSchemas.has(keyword)) result[keyword] = toJsonSchema(value, rewrite)
    else if (listsOfSchemas.has(keyword) && Array.isArray(value))
      result[keyword] = value.map(one => toJsonSchema(one, rewrite))
    else result[keyword] = value
  }
  moveBound(result, 'minimum', 'exclusiveMinimum')
  moveBound(result, 'maximum', 'exclusiveMaximum')
  return schema.nullable === true ? orNull(result) : result
}

function convertValues(schemas: Schema, rewrite: Rewrite): Schema {
  // A null prototype keeps a property named __proto__ a property.
  const result: Record<string, unknown> = Object.create(null)
  for (const [name, schema] of Object.entries(schemas)) result[name] = toJsonSchema(schema, rewrite)
  return result
}

function moveBound(schema: Record<string, unknown>, bound: string, exclusive: string): void {
  if (typeof schema[exclusive] !== 'boolean') return
  if (schema[exclusive]) {
    schema[exclusive] = schema[bound]
    delete schema[bound]
  } else delete schema[exclusive]
}

function orNull(schema: Record<string, unknown>): Schema {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

/**
 * An Ajv that reads schemas as the document means them: nothing is converted or removed.
 * `date-time` demands an instant that exists and whose UTC year has four digits (RFC 3339 can write no other).
 * @param options whether all faults are found, or the first one ends the search; whether defaults are filled in
 */
export function createAjv({ allErrors = true, useDefaults = true } = {}): Ajv {
  const ajv = new Ajv({
    allErrors,
    strict: false,
    useDefaults,
    logger: false,
    ownProperties: true, // `constructor` and the like are names as any other
    validateSchema: false, // the document has been read, and refused if it had to be
    code: { regExp },
  })
  ajvFormats.default(ajv)
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('url', url)
  // Ajv's own compares each object with each other one.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    before: 'items',
    errors: false,
    error: { message: 'must not hold an item twice' },
    validate: (isDemanded: boolean, items: readonly unknown[]) => !isDemanded || areUnique(items),
  })
  // Ajv's own finds 19.99 to be no multiple of 0.01.
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

/**
 * As ajv-formats has it, which tries each colon of a user's name as the last one, and takes a time that grows with the
 * square of their number. A name may hold colons as any other character.
 */
const url = withPlainUser(ajvFormats.default.get('url' satisfies FormatName))

function withPlainUser(format: unknown): RegExp {
  const [source, flags] = format instanceof RegExp ? [format.source, format.flags] : ['', '']
  const user = '(?:\\S+(?::\\S*)?@)?'
  if (!source.includes(user))
    throw new Error(
      'The installed ajv-formats has another `url`: install the version that package-lock.json names.',
    )
  return new RegExp(source.replace(user, '(?:\\S+@)?'), flags)
}

/** Ajv tells patterns apart by their texts. */
const regExp = Object.assign(
  (pattern: string) => {
    const matcher = matcherOf(pattern)
    if ('fault' in matcher) throw new Error(`The pattern ${pattern} ${matcher.fault}`)
    return { test: (text: string) => matcher.test(text), toString: () => pattern }
  },
  { code: 'new RegExp' },
)

/** As far as doubles can tell: a quotient has lost its last bits. */
function isMultiple(unit: number, value: number): boolean {
  const quotient = value / unit
  return Math.abs(Math.round(quotient) - quotient) <= Math.abs(quotient) * 4 * Number.EPSILON
}

/** Whether no two values are equal as JSON, where the order of an object's members does not matter. */
function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>()
  for (const item of items) {
    const key =
      typeof item === 'object' && item !== null ? JSON.stringify(item, sorted) : JSON.stringify(item)
    if (seen.has(key)) return false
    seen.add(key)
  }
  return true
}

const sorted = (_name: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

const dateTime =
  /^(\d{4}-\d\d-\d\d)t(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** Whether a text is an RFC 3339 date-time of an existing day, within the years 0001 to 9999 of UTC. */
function isDateTime(text: string): boolean {
  const day = dateTime.exec(text)?.[1]
  if (!day) return false
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return false
  const year = new Date(text.toUpperCase()).getUTCFullYear()
  return year >= 1 && year <= 9999
}
