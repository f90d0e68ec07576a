import fc from 'fast-check'
import { noSegment } from 'spec-served-document/formats/writing'
import type { Model } from 'spec-served-document/model'
import { toRegExp } from 'spec-served-document/pattern'
import { heightsIn } from 'spec-served-document/reading/height'
import type { Schema, Reference as SchemaReference } from 'spec-served-document/types'
import { type Place, type Shape, shapeOf } from '../records/interface.ts'
import { exactOf, numberWithin } from '../samples/joined.ts'
import { type Chance, drawer } from '../samples/samples.ts'
import { textsMatching } from '../samples/texts-by-pattern.ts'

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
  /** The path parameter of the record to which a value of a name and a type refers, if it does. */
  reference(name: string, type: string | undefined, part: Place): string | undefined
  /** whether query, header and body hold nothing that may be left out */
  isPlain?: boolean
  /** Whether each value is the simplest: the first alternative, an example or a default, a small number, a short word. */
  isSimple?: boolean
  override?: Override | undefined
  /** The values that are known of a path parameter; none unless told. */
  knownValues?(name: string): readonly unknown[]
  /** the values that the service has been seen to take at a place of a request, if they are others than its schema says */
  learntAt?(place: readonly string[]): fc.Arbitrary<unknown> | undefined
  /** whether the service has been seen to ask for something within a place */
  isLearntWithin?(place: readonly string[]): boolean
}

/** Puts something else at one place of a request: another value, or nothing. */
export interface Override {
  place: readonly string[]
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
function restOf({ override }: Drawing, place: readonly string[]): readonly string[] | undefined {
  return override && place.every((name, index) => name === override.place[index])
    ? override.place.slice(place.length)
    : undefined
}

/**
 * Valid values of a schema, by construction and not by trial. Names of records become references.
 * @param place the place of the value in the request; its first name is the part it travels in
 * @throws Error when no value of the schema is ever complete
 */
export function valuesOf(
  drawing: Drawing,
  declared: Schema | SchemaReference,
  place: readonly string[],
): fc.Arbitrary<unknown> {
  const { model } = drawing
  if (heightsIn(model)(declared) === Infinity)
    throw new Error(
      `No ${place.length > 0 ? `/${place.join('/')}` : 'request'} is ever complete: what it demands leads back to it`,
    )
  // A generator begins where the one before it did: the number beside it makes the items of a list differ.
  return fc.tuple(fc.nat(), fc.gen()).map(([, draw]) => {
    const chance = chanceOf(drawing, draw)
    return drawer({ model, check: () => [] }, { isFull: true, chance, place })(declared).value
  })
}

const below = (count: number) => fc.nat(count - 1)
const itself = (values: fc.Arbitrary<unknown>) => values
/** Arrays are short, unless their edges are asked for. */
const usualLength = 3

function chanceOf(drawing: Drawing, draw: fc.GeneratorValue): Chance {
  const { model, override: { value = 'absent' } = {} } = drawing
  const heightOf = heightsIn(model)
  const pick = (count: number) => (count < 2 || drawing.isSimple ? 0 : draw(below, count))
  const isBody = (place: readonly string[]) => partOf(place) === 'body'
  return {
    pick,
    chosen: place => restOf(drawing, place)?.[0],
    instead(place, { isNullable, values }, isTooDeep) {
      const rest = restOf(drawing, place)
      if (rest?.length === 0 && value !== 'absent') return { value: draw(itself, value) }
      const learnt = rest ? undefined : drawing.learntAt?.(place)
      if (learnt) return { value: draw(itself, learnt) }
      // No parameter holds null (OpenAPI 3.0.3, Style Values).
      const isNull = isNullable && !rest && !values && isBody(place) && (isTooDeep || pick(5) === 4)
      return isNull ? { value: null } : undefined
    },
    takes: (place, item) => item !== null || isBody(place),
    scalar(place, { parts, numbers, types: [type] }) {
      const name = place.findLast(step => step !== '0' && step !== '*') ?? ''
      const parameter = drawing.reference(name, type, partOf(place))
      const knownValues =
        place.length === 2 && place[0] === 'path' ? (drawing.knownValues?.(place[1] ?? '') ?? []) : []
      if (knownValues.length > 0) return knownValues[pick(knownValues.length)]
      if (parameter !== undefined) return new Reference(parameter)
      if ((numbers.unit ?? 1) !== 1) return numberWithin(numbers, draw(fc.nat))
      const shape = shapeOf(model, parts[0] ?? {})
      const simple = drawing.isSimple ? simplest(shape) : undefined
      if (simple) return draw(itself, simple)
      if (shape.type === 'boolean') return pick(2) === 1
      if (shape.type === 'integer') return draw(integers, shape)
      return shape.type === 'number' ? draw(doubles, shape) : draw(texts, shape, partOf(place))
    },
    has(place, property, isDemanded, isTooDeep) {
      const rest = restOf(drawing, place)
      if (rest) return rest.length > 0 || value !== 'absent'
      if (isDemanded || drawing.isLearntWithin?.(place)) return true
      const isLeast = isTooDeep || (drawing.isPlain && place.length === 2)
      return (
        !isLeast &&
        isWritten(drawing, place.slice(0, -1), property) &&
        heightOf(property) < Infinity &&
        (drawing.isSimple ? !drawing.isPlain : pick(2) === 1)
      )
    },
    length(place, { least, most, isUnique, items }, isTooDeep) {
      const isChosen = restOf(drawing, place)?.[0] !== undefined
      // Another item might be the same one.
      if (isChosen && isUnique) return 1
      // A parameter has no way to write an empty list.
      const fewest = Math.max(least, isBody(place) && !isChosen ? 0 : 1)
      if (isTooDeep || items.some(item => heightOf(item) === Infinity)) return fewest
      return fewest + pick(Math.max(fewest, Math.min(most, usualLength)) - fewest + 1)
    },
  }
}

export const partOf = (place: readonly string[]) => (place[0] ?? 'body') as Place // requests are objects of their places

/** The values of an enumeration that its other keywords allow. */
export function enumValues({ enum: values = [], nullable, type }: Shape): unknown[] {
  return exactOf(values).filter(value => value !== null || nullable || type === undefined)
}

/** Whether OpenAPI says how a value is written: in a parameter, no object or list in another (3.0.3, Style Values). */
function isWritten({ model }: Drawing, place: readonly string[], schema: Schema | SchemaReference): boolean {
  if (partOf(place) === 'body') return true
  const { type, items } = shapeOf(model, schema)
  const isScalar = (typeName: unknown) => typeName !== 'object' && typeName !== 'array'
  return place.length < 2 ? type !== 'array' || isScalar(shapeOf(model, items ?? {}).type) : isScalar(type)
}

/** The lowest and the highest value that a number may have. Bounds beyond 2^53 are left out, as a double writes another number. */
export function numberBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, type }: Schema): {
  min?: number
  max?: number
} {
  const isWhole = type === 'integer'
  const step = isWhole ? 1 : Number.EPSILON
  const hasMin = typeof minimum === 'number' && minimum >= Number.MIN_SAFE_INTEGER
  const hasMax = typeof maximum === 'number' && maximum <= Number.MAX_SAFE_INTEGER
  return {
    ...(hasMin && { min: exclusiveMinimum ? minimum + step : minimum }),
    ...(hasMax && { max: exclusiveMaximum ? maximum - step : maximum }),
  }
}

/** A small number, or a short word of a form that many rules allow; nothing where the schema asks for a form. */
function simplest(shape: Shape): fc.Arbitrary<unknown> | undefined {
  const { type, minLength = 0, maxLength = Infinity, pattern, format } = shape
  const { min = -Infinity, max = Infinity } = numberBounds(shape)
  const least = Math.min(max, Math.max(min, 1))
  // Simple numbers differ, so that an order of theirs can be told.
  if (type === 'integer') return fc.integer({ min: least, max: Math.min(max, least + usualSteps) })
  if (type === 'number') return fc.nat(usualSteps).map(step => Math.min(max, least + step))
  if (type !== 'string' || pattern !== undefined || format !== undefined) return undefined
  const length = Math.min(maxLength, Math.max(minLength, 8))
  return fc.string({ unit: letters, minLength: length, maxLength: length })
}

/** How far simple numbers are from each other at most. */
const usualSteps = 9
const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')

function doubles(shape: Shape): fc.Arbitrary<number> {
  const { minimum: least, maximum: most } = shape
  // A bound that is left out still holds.
  const low = typeof least === 'number' && least < Number.MIN_SAFE_INTEGER && { min: Number.MIN_SAFE_INTEGER }
  const isHigh = typeof most === 'number' && most > Number.MAX_SAFE_INTEGER
  const high = isHigh && { max: Number(least) > Number.MAX_SAFE_INTEGER ? most : Number.MAX_SAFE_INTEGER }
  return fc.double({ ...numberBounds(shape), ...low, ...high, noNaN: true, noDefaultInfinity: true })
}

function integers(shape: Shape): fc.Arbitrary<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = numberBounds(shape)
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
  const isSent = (text: string) => place !== 'path' || !noSegment.test(text)
  const isShort = (text: string) => [...text].length <= (maxLength ?? Infinity)
  if (pattern !== undefined && !isUsual)
    return textsMatching(pattern, minLength, maxLength).filter(text => isSent(text) && isShort(text))
  const character = place === 'body' || place === 'query' ? anyCharacter : ascii
  const least = Math.max(length ?? minLength, place === 'body' ? 0 : 1)
  const most = length ?? Math.max(least, Math.min(maxLength ?? 20, minLength + 20))
  return fc
    .array(character, { minLength: least, maxLength: most, size: 'max' })
    .map(characters => characters.join(''))
    .filter(text => matcher.test(text) && isSent(text))
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
