import fc from 'fast-check'
import { type Model, partsOf } from '../../document/model.ts'
import { toRegExp } from '../../document/pattern.ts'
import type { Schema, Reference as SchemaReference } from '../../document/types.ts'
import { noSegment } from '../../service/formats/writing.ts'
import { heightsIn } from '../reading/height.ts'
import { textsLike } from '../samples/sample-texts.ts'
import { type Place, type Shape, shapeOf } from './interface.ts'

/** Stands in a value for the identifier of an existing record. The request gets it when it is sent. */
export class Reference {
  /** the path parameter that names such records */
  readonly parameter: string
  constructor(parameter: string) {
    this.parameter = parameter
  }
}

/** The circumstances in which values are drawn. */
export interface Drawing {
  model: Model
  /** The record that a name refers to, if it does. */
  reference(name: string): string | undefined
  /** whether query, header and body hold nothing that may be left out */
  isPlain?: boolean
  override?: Override | undefined
  /** The values that are known of a path parameter; none unless told. */
  known?(name: string): readonly unknown[]
}

/** Puts something else at one place of a request: another value, or nothing. */
export interface Override {
  at: readonly string[]
  value: fc.Arbitrary<unknown> | 'absent'
}

/** The schemas around a value, and its own. */
export type Surroundings = readonly object[]

/** Deeper than this, and in a schema within itself, values hold only what is demanded of them. */
const fullDepth = 5

export const nothing: Surroundings = []

/** The surroundings of the parts of a schema's value. */
export const inside = (
  { model }: Drawing,
  declared: Schema | SchemaReference,
  around: Surroundings,
): Surroundings => [...around, model.resolve(declared)]

export const isDeep = (around: Surroundings, depth = fullDepth) =>
  around.length > depth || new Set(around).size < around.length

/** The way from a place to the one that is overridden, where it leads there. */
function restOf({ override }: Drawing, at: readonly string[]): readonly string[] | undefined {
  return override && at.every((name, index) => name === override.at[index])
    ? override.at.slice(at.length)
    : undefined
}

/**
 * Valid values of a schema, by construction and not by trial. Names of records become references.
 * @param at the place of the value in the request; its first name is the part it travels in
 * @throws Error when no value of the schema is ever complete
 */
export function valuesOf(
  drawing: Drawing,
  declared: Schema | SchemaReference,
  at: readonly string[],
  around = nothing,
): fc.Arbitrary<unknown> {
  const rest = restOf(drawing, at)
  const { value = 'absent' } = drawing.override ?? {}
  if (rest?.length === 0 && value !== 'absent') return value
  if (heightsIn(drawing.model)(declared) === Infinity)
    throw new Error(
      `No ${at.length > 0 ? `/${at.join('/')}` : 'request'} is ever complete: what it demands leads back to it`,
    )
  const shape = shapeOf(drawing.model, declared)
  const own = inside(drawing, declared, around)
  // No parameter holds null (OpenAPI 3.0.3, Style Values).
  const isNullable = shape.nullable && !rest && !shape.enum && placeOf(at) === 'body'
  if (isNullable && isDeep(own)) return fc.constant(null)
  const plain = fc.oneof(...alternativesOf(drawing, shape, at, own))
  return isNullable ? fc.option(plain, { freq: 4 }) : plain
}

function alternativesOf(
  drawing: Drawing,
  shape: Shape,
  at: readonly string[],
  around: Surroundings,
): fc.Arbitrary<unknown>[] {
  const choices = shape.oneOf ?? shape.anyOf
  if (choices) {
    // Alternatives that have values; deep down only the flattest of them.
    const heightOf = heightsIn(drawing.model)
    const most = isDeep(around) ? Math.min(...choices.map(heightOf)) : Number.MAX_VALUE
    return choices
      .filter(choice => heightOf(choice) <= most && (placeOf(at) === 'body' || !isNull(drawing, choice)))
      .map(choice => valuesOf(drawing, choice, at, around))
  }
  if (isNull(drawing, shape)) return [fc.constant(null)]
  if (shape.enum) {
    const values = enumValues(shape).filter(value => value !== null || placeOf(at) === 'body')
    return [fc.constantFrom(...(values.length > 0 ? values : enumValues(shape)))]
  }
  const parameter = drawing.reference(at.findLast(name => name !== '0' && name !== '*') ?? '')
  const known = at.length === 2 && at[0] === 'path' ? (drawing.known?.(at[1] ?? '') ?? []) : []
  if (known.length > 0) return [fc.constantFrom(...known)]
  const isText = shape.type === 'string' && at[0] === 'path'
  if (parameter !== undefined && (shape.type === 'integer' || isText))
    return [fc.constant(new Reference(parameter))]
  switch (shape.type) {
    case 'object':
      return [objects(drawing, shape, at, around)]
    case 'array':
      return [arrays(drawing, shape, at, around)]
    case 'integer':
      return [integers(shape)]
    case 'number':
      return [fc.double({ ...bounds(shape), noNaN: true, noDefaultInfinity: true })]
    case 'boolean':
      return [fc.boolean()]
    default:
      return [texts(shape, placeOf(at))]
  }
}

/** Whether null is the only value of a schema. */
const isNull = ({ model }: Drawing, declared: Schema | SchemaReference) =>
  partsOf(model, declared).some(({ type }) => type === 'null')

export const placeOf = (at: readonly string[]) => (at[0] ?? 'body') as Place // requests are objects of their places

/** The values of an enumeration that its other keywords allow. */
export function enumValues({ enum: values = [], nullable, type }: Shape): unknown[] {
  return values.filter(value => value !== null || nullable || type === undefined)
}

function objects(
  drawing: Drawing,
  { properties = {}, required = [] }: Shape,
  at: readonly string[],
  around: Surroundings,
): fc.Arbitrary<unknown> {
  const [chosen, ...rest] = restOf(drawing, at) ?? []
  const { value = 'absent' } = drawing.override ?? {}
  const heightOf = heightsIn(drawing.model)
  const isLeast = drawing.isPlain && at.length === 1
  const isDrawn = (name: string, schema: Schema | SchemaReference) => {
    if (name === chosen) return rest.length > 0 || value !== 'absent'
    // The service says what is readOnly (OpenAPI 3.0.3, 4.7.24.2).
    if (partsOf(drawing.model, schema).some(({ readOnly }) => readOnly === true)) return false
    if (!required.includes(name) && !isWritten(drawing, at, schema)) return false
    if (isDeep(around)) return required.includes(name) && !('readOnly' in schema)
    return heightOf(schema) < Infinity && (required.includes(name) || !isLeast)
  }
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, schema] of Object.entries(properties))
    if (isDrawn(name, schema)) model[name] = valuesOf(drawing, schema, [...at, name], around)
  if (chosen !== undefined && !(chosen in properties) && value !== 'absent') model[chosen] = value
  const requiredKeys = Object.keys(model).filter(name => required.includes(name) || name === chosen)
  return fc.record(model, { requiredKeys })
}

/** Whether OpenAPI says how a value is written: in a parameter, no object or list in another (3.0.3, Style Values). */
function isWritten({ model }: Drawing, at: readonly string[], schema: Schema | SchemaReference): boolean {
  if (placeOf(at) === 'body') return true
  const { type, items } = shapeOf(model, schema)
  const isScalar = (one: unknown) => one !== 'object' && one !== 'array'
  return at.length < 2 ? type !== 'array' || isScalar(shapeOf(model, items ?? {}).type) : isScalar(type)
}

/** Arrays are short, unless their edges are asked for. */
const usualLength = 3

function arrays(
  drawing: Drawing,
  shape: Shape,
  at: readonly string[],
  around: Surroundings,
): fc.Arbitrary<unknown> {
  const { items = {}, uniqueItems } = shape
  // A parameter has no way to write an empty list.
  const minItems = Math.max(shape.minItems ?? 0, placeOf(at) === 'body' ? 0 : 1)
  const itemsAt = (index: string) => valuesOf(drawing, items, [...at, index], around)
  const [first] = restOf(drawing, at) ?? []
  if (first !== undefined) {
    // Another item might be the same one.
    if (uniqueItems) return itemsAt(first).map(item => [item])
    return fc
      .tuple(itemsAt(first), arraysOf(shape, itemsAt('*'), { spare: 1 }))
      .map(([item, more]) => [item, ...more])
  }
  const isEmpty = isDeep(around) || heightsIn(drawing.model)(items) === Infinity
  return isEmpty && minItems === 0 ? fc.constant([]) : arraysOf({ ...shape, minItems }, itemsAt('*'))
}

/** Arrays of the items given, as many as the schema allows, or exactly `length`. */
export function arraysOf(
  shape: Shape,
  items: fc.Arbitrary<unknown>,
  { length, spare = 0 }: { length?: number; spare?: number } = {},
): fc.Arbitrary<unknown[]> {
  const { minItems, maxItems } = shape
  const minLength = Math.max(0, (length ?? minItems ?? 0) - spare)
  const maxLength = Math.max(minLength, length ?? Math.min(maxItems ?? usualLength, usualLength) - spare)
  return shape.uniqueItems && spare === 0
    ? fc.uniqueArray(items, { minLength, maxLength })
    : fc.array(items, { minLength, maxLength })
}

/** The lowest and the highest value that a number may have. */
export function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, type }: Schema): {
  min?: number
  max?: number
} {
  const step = type === 'integer' ? 1 : Number.EPSILON
  return {
    ...(typeof minimum === 'number' && { min: exclusiveMinimum ? minimum + step : minimum }),
    ...(typeof maximum === 'number' && { max: exclusiveMaximum ? maximum - step : maximum }),
  }
}

function integers(shape: Shape): fc.Arbitrary<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds(shape)
  // The least is what the rules of a business decline most seldom.
  return fc.oneof(
    fc.constant(min),
    fc.integer({ min, max: Math.min(max, min + 20) }),
    fc.maxSafeInteger().map(value => Math.min(max, Math.max(min, value))),
  )
}

/** Characters of one to four UTF-8 bytes, each one code point; header fields take the first kind only. */
const ascii = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!~*()')
const anyCharacter = fc.oneof({ weight: 3, arbitrary: ascii }, fc.constantFrom(...' éßΩ漢字😀𝒳"\'%&/?#+;,:'))

/** Valid texts of a schema; `length` in code points, where only one will do. */
export function texts(shape: Shape, place: Place, length?: number): fc.Arbitrary<string> {
  const { minLength = 0, maxLength, pattern, format = '' } = shape
  const formatted = formats[format]
  if (formatted && length === undefined) return formatted()
  const matcher = toRegExp(pattern ?? '') ?? /^/
  const isUsual = pattern === undefined || (!pattern.startsWith('^') && matcher.test('text'))
  if (pattern !== undefined && !isUsual) return textsMatching(pattern, minLength, maxLength)
  const character = place === 'body' || place === 'query' ? anyCharacter : ascii
  const least = Math.max(length ?? minLength, place === 'body' ? 0 : 1)
  const most = length ?? Math.max(least, Math.min(maxLength ?? 20, minLength + 20))
  return fc
    .array(character, { minLength: least, maxLength: most, size: 'max' })
    .map(characters => characters.join(''))
    .filter(text => matcher.test(text) && (place !== 'path' || !noSegment.test(text)))
}

/** Texts by patterns: to read a pattern takes longer than to draw from it. */
const matching = new Map<string, fc.Arbitrary<string> | undefined>()

/** Texts by a pattern. Those for a pattern that fast-check does not draw are sampled. */
export function textsMatching(pattern: string, least = 0, most?: number): fc.Arbitrary<string> {
  if (!matching.has(pattern)) matching.set(pattern, drawnBy(pattern))
  const drawn = matching.get(pattern)
  if (drawn) return drawn
  const [first = 'text', ...others] = textsLike(pattern, least, most)
  return fc.constantFrom(first, ...others)
}

function drawnBy(pattern: string): fc.Arbitrary<string> | undefined {
  const matcher = toRegExp(pattern)
  try {
    return matcher?.unicode && pattern.startsWith('^') ? fc.stringMatching(matcher) : undefined
  } catch {
    return undefined // it looks around, or refers back
  }
}

/** Between the years 1971 and 9998, so that no offset leads out of what a text can say. */
const instants = fc
  .date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('9998-12-31T00:00:00Z'), noInvalidDate: true })
  .map(date => date.toISOString())

/** Texts in the formats of OpenAPI 3.0 and JSON Schema that the generator knows. */
const formats: Record<string, () => fc.Arbitrary<string>> = {
  'date-time': () =>
    fc.oneof(
      instants,
      instants.map(text => text.replace(/\.\d+Z$/, 'Z')),
      instants.map(text => text.replace('Z', '000Z')),
      instants.map(text => text.replace('Z', '+05:30')),
    ),
  date: () => instants.map(text => text.slice(0, 10)),
  uuid: () => fc.uuid(),
  // A service may want them to be unique, also among those of an earlier run.
  email: () => fc.stringMatching(/^[a-z]{2}(\.?[a-z0-9]){4,9}@example\.(com|org)$/),
  uri: () => fc.webUrl(), // to make it takes longer than all else here
  'uri-reference': () => fc.constantFrom('/pets/1', 'https://example.com/a', '?a=b'),
}
