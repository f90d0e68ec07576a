import fc from 'fast-check'
import type { Schema } from 'spec-served-document/types'

const names = ['a', 'b', 'c']
const some = <T>(all: readonly T[]) => fc.subarray([...all], { minLength: 1 })
const scalar = (type: string, keywords: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ type: fc.constant(type), ...keywords }, { requiredKeys: ['type'] })

const scalars = fc.oneof(
  scalar('integer', {
    minimum: fc.integer({ min: -3, max: 5 }),
    maximum: fc.integer({ min: 3, max: 12 }),
    multipleOf: fc.constantFrom(2, 3, 4),
    exclusiveMinimum: fc.boolean(),
    enum: some([1, 2, 3, 4, 6]),
  }),
  scalar('number', {
    minimum: fc.constantFrom(0, 0.5, 1),
    maximum: fc.constantFrom(2, 2.5, 10),
    multipleOf: fc.constantFrom(0.1, 0.01, 0.5, 2),
    exclusiveMaximum: fc.boolean(),
  }),
  scalar('string', {
    minLength: fc.integer({ min: 0, max: 3 }),
    maxLength: fc.integer({ min: 2, max: 6 }),
    pattern: fc.constantFrom('^[a-z]+$', '^[a-zA-Z]*$', '.*', '^a', 'b$', '^\\d+$'),
    enum: some(['a', 'ab', 'abc', 'B', '1']),
    nullable: fc.boolean(),
  }),
  scalar('boolean', { nullable: fc.boolean() }),
  fc.constant({}),
)

const schemas = fc.letrec<{ schema: object; object: object }>(tie => {
  const list = (key: string, of: 'schema' | 'object') =>
    fc.record({ [key]: fc.array(tie(of), { minLength: 1, maxLength: 3 }) })
  return {
    schema: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      scalars,
      tie('object'),
      scalar('array', {
        items: tie('schema'),
        minItems: fc.integer({ min: 0, max: 2 }),
        maxItems: fc.integer({ min: 2, max: 4 }),
        uniqueItems: fc.boolean(),
      }),
      list('oneOf', 'schema'),
      list('anyOf', 'schema'),
      list('allOf', 'schema'),
      fc.tuple(tie('object'), list('anyOf', 'object')).map(([around, choice]) => ({ ...around, ...choice })),
      scalar('object', { not: tie('schema') }),
    ),
    object: scalar('object', {
      properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }),
      required: fc.subarray(names, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      minProperties: fc.integer({ min: 0, max: 2 }),
      maxProperties: fc.integer({ min: 1, max: 4 }),
    }),
  }
}).schema as fc.Arbitrary<Schema> // of the keywords that it has

/** Schemas with the keywords that 3.1 brings, around those of 3.0 that both mean the same by. */
const laterSchemas = fc.letrec<{ schema: object; object: object }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.record({ type: fc.subarray(['integer', 'string', 'null', 'boolean'], { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<unknown>('a', 1, null) }),
    scalar('number', {
      exclusiveMinimum: fc.constantFrom(0, 0.5, 1),
      exclusiveMaximum: fc.constantFrom(2, 2.5, 10),
      minimum: fc.constantFrom(0, 1),
    }),
    scalar('string', { minLength: fc.constantFrom(0, 1), maxLength: fc.integer({ min: 2, max: 4 }) }),
    scalar('array', {
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      items: fc.oneof(tie('schema'), fc.constant(false)),
      contains: tie('schema'),
      maxContains: fc.constantFrom(1, 2),
    }),
    tie('object'),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc
      .array(tie('schema'), { minLength: 2, maxLength: 3 })
      .map(all => Object.fromEntries(all.map((schema, index) => [['if', 'then', 'else'][index], schema]))),
  ),
  object: scalar('object', {
    properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 2 }),
    patternProperties: fc.dictionary(fc.constantFrom('^[ab]$', 'c', '^other'), tie('schema'), { maxKeys: 1 }),
    propertyNames: fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'b'] }, { pattern: '^[a-c]' }),
    dependentRequired: fc.constantFrom({ a: ['b'] }, { b: ['a', 'c'] }),
    dependentSchemas: fc.dictionary(fc.constantFrom(...names), tie('object'), { maxKeys: 1 }),
    additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    unevaluatedProperties: fc.constant(false),
  }),
})).schema as fc.Arbitrary<Schema> // of the keywords that it has

/** Two schemas, the second mostly the first with one change somewhere. */
export const pairsOfSchemas = pairsOf(schemas)
/** The same for schemas of 3.1. */
export const pairsOfLaterSchemas = pairsOf(laterSchemas)

function pairsOf(all: fc.Arbitrary<Schema>): fc.Arbitrary<readonly [Schema, Schema]> {
  return fc.tuple(all, all, fc.nat(), fc.nat({ max: 4 })).map(([schema, other, place, kind]) => {
    const copy = structuredClone(schema)
    const spots = spotsIn(copy)
    const spot = spots[place % spots.length] ?? copy
    const keys = Object.keys(spot)
    const key = keys[place % keys.length] ?? ''
    const was = structuredClone(spot)
    const become = (now: object) => {
      for (const name of keys) Reflect.deleteProperty(spot, name)
      Object.assign(spot, now)
    }
    if (kind === 0) become(other)
    else if (kind === 1) Reflect.deleteProperty(spot, key)
    else if (kind === 2) become({ anyOf: [was, other] })
    else if (kind === 3) become({ allOf: [was, other] })
    else if (typeof spot[key] === 'number') Object.assign(spot, { [key]: Number(spot[key]) + 1 })
    return [schema, copy] as const
  })
}

function spotsIn(schema: Schema): Schema[] {
  const { properties = {}, items, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema
  const inner = [...Object.values(properties), items, additionalProperties, not, ...allOf, ...anyOf, ...oneOf]
  return [schema, ...inner.flatMap(item => (typeof item === 'object' ? spotsIn(item as Schema) : []))] // none refers
}

const atoms = [
  '',
  'a',
  'b',
  'ab',
  'abcd',
  'aB',
  '1',
  '123',
  'ZZ',
  'a b',
  -3,
  -1,
  0,
  0.05,
  0.5,
  1,
  2,
  2.5,
  3,
  4,
  5,
  6,
  9,
  10,
  12,
]

const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...atoms, true, false, null) },
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...names, 'other'), tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Values of all kinds, which know nothing of any schema. */
export const anyValues: readonly unknown[] = [...atoms, ...fc.sample(values, { seed: 7, numRuns: 1_500 })]
