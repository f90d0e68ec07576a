import fc from 'fast-check'
import { partsOf } from 'spec-served-document/model'
import { toRegExp } from 'spec-served-document/pattern'
import type { Reference, Schema } from 'spec-served-document/types'
import { type Endpoint, type Place, type Shape, shapeOf } from '../records/interface.ts'
import {
  type Drawing,
  enumValues,
  inside,
  isDeep,
  nothing,
  numberBounds,
  type Override,
  partOf,
  type Surroundings,
  texts,
  valuesOf,
} from './values.ts'

/** A form of a request, allowed or not: an edge of what the document allows, or a step beyond. */
export interface Form {
  /** a JSON Pointer into the request and the value there, for people */
  name: string
  valid: boolean
  place: readonly string[]
  /** left out where every valid request will do */
  override: Override | undefined
  /** the node of the document that has the constraint, which several operations may share */
  schema: object
}

/** Values that a form allows or forbids, with their description. */
type Case = readonly [what: string, valid: boolean, value: fc.Arbitrary<unknown> | 'absent']

/** Every form of an operation's requests, one for each constraint of each parameter, header, property and item. */
export function formsOf(drawing: Drawing, endpoint: Endpoint): Form[] {
  const { path, query, header, cookie, body } = endpoint.request.properties
  const forms: Form[] = [
    { name: 'any request', valid: true, place: [], override: undefined, schema: endpoint.request },
  ]
  const walk: Walk = { drawing, around: nothing, tried: new Set() }
  for (const [place, schema] of Object.entries({ path, query, header, ...(cookie && { cookie }) }))
    forms.push(...formsWithin(walk, schema, [place]))
  if (!body) return forms
  const isRequired = endpoint.request.required.includes('body')
  forms.push(form(['body'], ['left out', !isRequired, 'absent'], endpoint.request))
  return [...forms, ...formsAt(walk, body, ['body'])]
}

/** The forms of a request that choose a state: the values of enumerations and booleans in its body. */
export function choosingForms(drawing: Drawing, endpoint: Endpoint): Form[] {
  return formsOf(drawing, endpoint).filter(
    ({ place, valid, name }) => valid && place[0] === 'body' && / (true|false|the value .*)$/.test(name),
  )
}

/** Returns the overrides for requests in which one part is at its maximum. */
export const maximumOverrides = (drawing: Drawing, endpoint: Endpoint): (Override | undefined)[] =>
  namedForms(drawing, endpoint, / its maximum$/)

/** Returns the overrides for requests in which one text or list of the body is as long as may be. */
export const longestOf = (drawing: Drawing, endpoint: Endpoint): (Override | undefined)[] =>
  namedForms(drawing, endpoint, /^\/body.* (with its most items|of its greatest length)$/)

const namedForms = (drawing: Drawing, endpoint: Endpoint, names: RegExp) =>
  formsOf(drawing, endpoint).flatMap(({ name, override }) => (names.test(name) ? [override] : []))

const form = (place: readonly string[], [what, valid, value]: Case, schema: object): Form => ({
  name: `/${place.join('/')} ${what}`,
  valid,
  place,
  override: { place, value },
  schema,
})

/** Deeper than this, and in a schema within itself, each schema is tried once. */
const thoroughDepth = 3

/** On the way through a request's schemas, which may lead back to themselves. */
interface Walk {
  drawing: Drawing
  around: Surroundings
  tried: Set<object>
}

/** The forms of an object's properties. */
function* formsWithin(walk: Walk, schema: Schema, place: readonly string[]): Generator<Form> {
  const { properties = {}, required = [], additionalProperties } = shapeOf(walk.drawing.model, schema)
  for (const [name, property] of Object.entries(properties)) {
    if (partsOf(walk.drawing.model, property).some(({ readOnly }) => readOnly === true)) continue
    if (place[0] !== 'path')
      yield form([...place, name], ['left out', !required.includes(name), 'absent'], schema)
    yield* formsAt(walk, property, [...place, name])
  }
  if (additionalProperties === false)
    yield form([...place, 'undeclared'], ['not declared', false, fc.constant('value')], schema)
}

/** The forms of one value. */
function* formsAt(outer: Walk, declared: Schema | Reference, place: readonly string[]): Generator<Form> {
  const { drawing, tried } = outer
  const walk = { ...outer, around: inside(drawing, declared, outer.around) }
  const schema = drawing.model.resolve(declared)
  const goesOn = !isDeep(walk.around, thoroughDepth) || !tried.has(schema)
  tried.add(schema)
  const shape = shapeOf(drawing.model, declared)
  for (const item of casesOf(shape, partOf(place))) yield form(place, item, schema)
  if (shape.enum || !goesOn) return
  if (shape.type === 'array') {
    const items = valuesOf(drawing, shape.items ?? {}, [...place, '*'])
    for (const item of arrayCases(shape, partOf(place), items)) yield form(place, item, schema)
    if (shape.items) yield* formsAt(walk, shape.items, [...place, '0'])
  }
  if (shape.type === 'object') yield* formsWithin(walk, shape, place)
}

/** The cases of a value of any type, and those of one that holds no others. */
function* casesOf(shape: Shape, place: Place): Generator<Case> {
  if (place === 'body') yield ['null', shape.nullable === true, fc.constant(null)]
  const others = othersThan(shape, place)
  if (others.length > 0) yield [`no ${shape.type}`, false, fc.constantFrom(...others)]
  if (shape.enum) {
    for (const value of enumValues(shape)) yield [`the value ${value}`, true, fc.constant(value)]
    const unknown = unknownValuesOf(shape, place)
    if (unknown.length > 0) yield ['no value of the enumeration', false, fc.constantFrom(...unknown)]
  } else if (shape.type === 'integer' || shape.type === 'number') yield* numberCases(shape)
  else if (shape.type === 'string') yield* textCases(shape, place)
  else if (shape.type === 'boolean')
    for (const value of [true, false]) yield [String(value), true, fc.constant(value)]
}

/** Values of other types. A text is of another type only if it does not read as this one. */
function othersThan({ type }: Shape, place: Place): unknown[] {
  const values: Record<string, unknown[]> = {
    string: ['text'],
    integer: [1],
    number: [1.5],
    boolean: [true],
    array: [[]],
    object: [{}],
  }
  if (type === undefined) return []
  if (place === 'body')
    return Object.entries(values)
      .filter(([other]) => other !== type && !(type === 'number' && other === 'integer'))
      .flatMap(([, some]) => some)
  const textsByType: Record<string, unknown[]> = {
    integer: ['text', '1.5', '1e2', '0x1', '01', '1 '],
    number: ['text', '0x1', '1,5'],
    boolean: ['yes', '1', 'TRUE'],
  }
  return textsByType[String(type)] ?? []
}

/** Values that an enumeration does not hold, near to those it does. */
function unknownValuesOf(shape: Shape, place: Place): unknown[] {
  const values = shape.enum ?? []
  const near: unknown[] = values.flatMap((value): unknown[] => {
    if (typeof value === 'number') return [value - 1, value + 1]
    if (typeof value === 'string') return [`${value}x`, value.toUpperCase(), value.slice(1) || 'x']
    return shape.type === 'string' ? ['2030-01-01T00:00:00Z'] : []
  })
  const { min = -Infinity, max = Infinity } = numberBounds(shape)
  return near.filter(
    value =>
      !values.includes(value) &&
      (typeof value !== 'number' || (value >= min && value <= max)) &&
      (place === 'body' || value !== ''),
  )
}

function* numberCases(shape: Shape): Generator<Case> {
  const { min, max } = numberBounds(shape)
  const step = shape.type === 'integer' ? 1 : 0.5
  if (min !== undefined) {
    yield ['its minimum', true, fc.constant(min)]
    yield ['below its minimum', false, fc.constantFrom(min - step, min - 1_000)]
  }
  if (max !== undefined) {
    yield ['its maximum', true, fc.constant(max)]
    yield ['above its maximum', false, fc.constantFrom(max + step, max + 1_000)]
  }
  // A service that keeps whole numbers shows another one.
  const half = Math.floor((min ?? 1) + 1) + 0.5
  if (shape.type === 'number' && shape.multipleOf === undefined && half < (max ?? Number.POSITIVE_INFINITY))
    yield ['with a fraction', true, fc.constant(half)]
}

function* textCases(shape: Shape, place: Place): Generator<Case> {
  const { minLength = 0, maxLength, pattern, format } = shape
  yield ['any text that fits', true, texts(shape, place)]
  if (pattern === undefined && format === undefined && !isTrimmed(place))
    yield ['of blanks', true, fc.constant(' '.repeat(Math.max(1, minLength)))]
  if (format !== undefined) {
    const wrong = misformed[format] ?? []
    if (wrong.length > 0) yield [`no ${format}`, false, fc.constantFrom(...wrong)]
    const { [format]: noDay } = noDays
    if (noDay !== undefined) yield ['of no day', false, fc.constant(noDay)]
    return
  }
  const least = Math.max(minLength, place === 'body' ? 0 : 1)
  if (least > 0 || place === 'body')
    yield ['of its least length', true, texts(shape, place, Math.max(least, pattern ? 1 : 0))]
  if (minLength > (place === 'path' ? 1 : 0))
    yield ['too short', false, texts({ type: 'string' }, place === 'path' ? 'path' : 'body', minLength - 1)]
  if (maxLength !== undefined) {
    yield ['of its greatest length', true, texts(shape, place, maxLength)]
    // Services may cut white space off at the ends before they look at the length.
    const long = texts({ type: 'string' }, place, maxLength + 1).filter(text => text === text.trim())
    yield ['too long', false, long]
  }
  if (typeof pattern === 'string') {
    const matcher = toRegExp(pattern) ?? /^/
    const fits = (text: string) => text.length >= minLength && !matcher.test(text)
    const wrong = [' ', '   ', 'x', '1', '-', 'text', '"', 'a'.repeat(40)].filter(fits)
    if (wrong.length > 0) yield ['against its pattern', false, fc.constantFrom(...wrong)]
    if (place === 'body' && fits(wideBlanks)) yield ['of wide blanks', false, fc.constant(wideBlanks)]
  }
  if (place === 'body' || place === 'query') {
    yield ['with a NUL character', false, fc.constant(`a\0${'b'.repeat(Math.max(0, minLength - 2))}`)]
    yield ['with a byte order mark', false, fc.constant(`\ufeffa${'b'.repeat(Math.max(0, minLength - 2))}`)]
  }
}

/** White space beyond ASCII (ECMA-262, table 33). */
const wideBlanks = '\u00a0\u3000'

/** HTTP drops the blanks around a header field, and a path has none. */
const isTrimmed = (place: Place) => place === 'header' || place === 'path'

/** Texts that look like a format and are not of it. */
const misformed: Record<string, string[]> = {
  'date-time': ['', 'tomorrow', '2026-11-21', '2026-11-21T10:00:00', '2026-11-21 10:00:00Z'],
  date: ['', 'tomorrow', '2026-11-21T10:00:00Z', '21.11.2026'],
  uuid: ['', 'text'],
  email: ['', 'text'],
  uri: ['', 'text'],
}

/** Texts of the form of a format, which name a day that no calendar has. */
const noDays: Record<string, string> = { 'date-time': '2026-02-30T10:00:00Z', date: '2026-02-30' }

function* arrayCases(shape: Shape, place: Place, items: fc.Arbitrary<unknown>): Generator<Case> {
  const { minItems = 0, maxItems, uniqueItems = false } = shape
  const of = (length: number) =>
    (uniqueItems ? fc.uniqueArray : fc.array)(items, { minLength: length, maxLength: length })
  const isBody = place === 'body'
  if (minItems > 0 || isBody) yield ['with its fewest items', true, of(minItems)]
  if (minItems > 1 || (minItems > 0 && isBody)) yield ['with too few items', false, of(minItems - 1)]
  if (maxItems !== undefined) {
    yield ['with its most items', true, of(maxItems)]
    const length = { minLength: maxItems + 1, maxLength: maxItems + 1 }
    yield ['with too many items', false, fc.array(items, length)]
  }
  if (uniqueItems || (isBody && maxItems !== 1))
    yield ['with an item twice', !uniqueItems, items.map(item => [item, item])]
}
