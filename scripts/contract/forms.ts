import fc from 'fast-check'
import type { Reference, Schema } from '../../src/document/types.ts'
import { type Endpoint, type Place, type Shape, shapeOf } from './interface.ts'
import {
  arraysOf,
  bounds,
  type Drawing,
  enumValues,
  inside,
  nothing,
  type Override,
  placeOf,
  type Surroundings,
  texts,
  valuesOf,
} from './values.ts'

/** One way in which a request may be, or may not be: an edge of what the document allows, or a step beyond. */
export interface Form {
  /** a JSON Pointer into the request and what is there, for people */
  name: string
  valid: boolean
  at: readonly string[]
  /** left out where every valid request will do */
  override: Override | undefined
}

/** Every form of an operation's requests, one for each constraint of each parameter, header, property and item. */
export function formsOf(drawing: Drawing, endpoint: Endpoint): Form[] {
  const { path, query, header, body } = endpoint.request.properties
  const forms: Form[] = [{ name: 'any request', valid: true, at: [], override: undefined }]
  const walk: Walk = { drawing, around: nothing, tried: new Set() }
  for (const [place, schema] of Object.entries({ path, query, header }))
    forms.push(...formsWithin(walk, schema, [place]))
  if (!body) return forms
  const isRequired = endpoint.request.required.includes('body')
  forms.push(form(['body'], !isRequired, 'left out', 'absent'))
  return [...forms, ...formsAt(walk, body, ['body'])]
}

/** The forms of a request that choose a state: the values of enumerations and booleans in its body. */
export function choicesOf(drawing: Drawing, endpoint: Endpoint): Form[] {
  return formsOf(drawing, endpoint).filter(
    ({ at, valid, name }) => valid && at[0] === 'body' && / (true|false|the value .*)$/.test(name),
  )
}

function form(
  at: readonly string[],
  valid: boolean,
  what: string,
  value: fc.Arbitrary<unknown> | 'absent',
): Form {
  return { name: `/${at.join('/')} ${what}`, valid, at, override: { at, value } }
}

/** Deeper than this, and in a schema within itself, each schema is tried once. */
const thoroughDepth = 3

/** On the way through a request's schemas, which may lead back to themselves. */
interface Walk {
  drawing: Drawing
  around: Surroundings
  tried: Set<object>
}

/** The forms of an object's properties. */
function* formsWithin(walk: Walk, schema: Schema, at: readonly string[]): Generator<Form> {
  const { properties = {}, required = [], additionalProperties } = shapeOf(walk.drawing.model, schema)
  for (const [name, property] of Object.entries(properties)) {
    if (at[0] !== 'path') yield form([...at, name], !required.includes(name), 'left out', 'absent')
    yield* formsAt(walk, property, [...at, name])
  }
  if (additionalProperties === false)
    yield form([...at, 'undeclared'], false, 'not declared', fc.constant('value'))
}

/** The forms of one value. */
function* formsAt(outer: Walk, declared: Schema | Reference, at: readonly string[]): Generator<Form> {
  const { drawing, tried } = outer
  const walk = { ...outer, around: inside(drawing, declared, outer.around) }
  const schema = drawing.model.resolve(declared)
  const goesOn = walk.around.depth <= thoroughDepth || !tried.has(schema)
  tried.add(schema)
  const shape = shapeOf(drawing.model, declared)
  const place = placeOf(at)
  const valid = (what: string, value: fc.Arbitrary<unknown>) => form(at, true, what, value)
  const invalid = (what: string, value: fc.Arbitrary<unknown>) => form(at, false, what, value)

  if (place === 'body') {
    const nothing = fc.constant(null)
    yield shape.nullable ? valid('null', nothing) : invalid('null', nothing)
  }
  const others = othersThan(shape, place)
  if (others.length > 0) yield invalid(`no ${shape.type}`, fc.constantFrom(...others))

  if (shape.enum) {
    for (const value of enumValues(shape)) yield valid(`the value ${value}`, fc.constant(value))
    const strangers = strangersTo(shape, place)
    if (strangers.length > 0) yield invalid('no value of the enumeration', fc.constantFrom(...strangers))
  } else if (shape.type === 'integer' || shape.type === 'number') yield* numberForms(shape, valid, invalid)
  else if (shape.type === 'string') yield* textForms(shape, place, valid, invalid)
  else if (shape.type === 'boolean')
    for (const value of [true, false]) yield valid(String(value), fc.constant(value))
  else if (shape.type === 'array' && goesOn) yield* arrayForms(walk, shape, at, valid, invalid)
  else if (shape.type === 'object' && goesOn) yield* formsWithin(walk, shape, at)
}

type Make = (what: string, value: fc.Arbitrary<unknown>) => Form

/** Values of other types; what travels as text is of another type only if it does not read as this one. */
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
  const texts: Record<string, unknown[]> = {
    integer: ['text', '1.5', '1e2', '0x1', '01', '1 '],
    number: ['text', '0x1', '1,5'],
    boolean: ['yes', '1', 'TRUE'],
  }
  return texts[type] ?? []
}

/** Values that an enumeration does not hold, near to those it does. */
function strangersTo(shape: Shape, place: Place): unknown[] {
  const values = shape.enum ?? []
  const near: unknown[] = values.flatMap((value): unknown[] => {
    if (typeof value === 'number') return [value - 1, value + 1]
    if (typeof value === 'string') return [`${value}x`, value.toUpperCase(), value.slice(1) || 'x']
    return shape.type === 'string' ? ['2030-01-01T00:00:00Z'] : []
  })
  const { min = -Infinity, max = Infinity } = bounds(shape)
  return near.filter(
    value =>
      !values.includes(value) &&
      (typeof value !== 'number' || (value >= min && value <= max)) &&
      (place === 'body' || value !== ''),
  )
}

function* numberForms(shape: Shape, valid: Make, invalid: Make): Generator<Form> {
  const { min, max } = bounds(shape)
  const step = shape.type === 'integer' ? 1 : 0.5
  if (min !== undefined) {
    yield valid('its minimum', fc.constant(min))
    yield invalid('below its minimum', fc.constantFrom(min - step, min - 1_000))
  }
  if (max !== undefined) {
    yield valid('its maximum', fc.constant(max))
    yield invalid('above its maximum', fc.constantFrom(max + step, max + 1_000))
  }
}

function* textForms(shape: Shape, place: Place, valid: Make, invalid: Make): Generator<Form> {
  const { minLength = 0, maxLength, pattern, format } = shape
  yield valid('any text that fits', texts(shape, place))
  if (pattern === undefined && format === undefined && !isTrimmed(place))
    yield valid('of blanks', fc.constant(' '.repeat(Math.max(1, minLength))))
  if (format !== undefined) {
    const wrong = misformed[format] ?? []
    if (wrong.length > 0) yield invalid(`no ${format}`, fc.constantFrom(...wrong))
    return
  }
  const least = Math.max(minLength, place === 'body' ? 0 : 1)
  if (least > 0 || place === 'body')
    yield valid('of its least length', texts(shape, place, Math.max(least, pattern ? 1 : 0)))
  if (minLength > (place === 'path' ? 1 : 0))
    yield invalid('too short', texts({ type: 'string' }, 'body', minLength - 1))
  if (maxLength !== undefined) {
    yield valid('of its greatest length', texts(shape, place, maxLength))
    yield invalid('too long', texts({ type: 'string' }, place, maxLength + 1))
  }
  if (typeof pattern === 'string') {
    const matcher = new RegExp(pattern, 'u')
    const fits = (text: string) => text.length >= minLength && !matcher.test(text)
    const wrong = [' ', '   ', 'x', '1', '-', 'text', '"', 'a'.repeat(40)].filter(fits)
    if (wrong.length > 0) yield invalid('against its pattern', fc.constantFrom(...wrong))
  }
  if (place === 'body' || place === 'query') {
    yield invalid('with a NUL character', fc.constant(`a\0${'b'.repeat(Math.max(0, minLength - 2))}`))
    yield invalid('with a byte order mark', fc.constant(`\ufeffa${'b'.repeat(Math.max(0, minLength - 2))}`))
  }
}

/** HTTP drops the blanks around a header field, and a path has none. */
const isTrimmed = (place: Place) => place === 'header' || place === 'path'

/** Texts that look like a format and are not of it. */
const misformed: Record<string, string[]> = {
  'date-time': [
    '',
    'tomorrow',
    '2026-11-21',
    '2026-11-21T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-21 10:00:00Z',
  ],
  date: ['', 'tomorrow', '2026-02-30', '2026-11-21T10:00:00Z', '21.11.2026'],
  uuid: ['', 'text'],
  email: ['', 'text'],
  uri: ['', 'text'],
}

function* arrayForms(
  walk: Walk,
  shape: Shape,
  at: readonly string[],
  valid: Make,
  invalid: Make,
): Generator<Form> {
  const { minItems = 0, maxItems, uniqueItems } = shape
  const items = valuesOf(walk.drawing, shape.items ?? {}, at, undefined, walk.around)
  const of = (length: number) => arraysOf(shape, items, { length })
  const isText = placeOf(at) !== 'body'
  if (minItems > 0 || !isText) yield valid('with its fewest items', of(minItems))
  if (minItems > 1 || (minItems > 0 && !isText)) yield invalid('with too few items', of(minItems - 1))
  if (maxItems !== undefined) {
    yield valid('with its most items', of(maxItems))
    const many = uniqueItems
      ? fc.array(items, { minLength: maxItems + 1, maxLength: maxItems + 1 })
      : of(maxItems + 1)
    yield invalid('with too many items', many)
  }
  if (uniqueItems)
    yield invalid(
      'with an item twice',
      items.map(item => [item, item]),
    )
  else if (!isText && maxItems !== 1)
    yield valid(
      'with an item twice',
      items.map(item => [item, item]),
    )
  if (shape.items) yield* formsAt(walk, shape.items, [...at, '0'])
}
