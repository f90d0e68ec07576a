import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { Schema } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { invalidCalls, validCalls } from '../samples/calls.ts'
import { drawer, sampler } from '../samples/samples.ts'

const head = { openapi: '3.0.3', info: { title: 'Samples', version: '1' } }
test('a call holds something of each list and object that it must hold, as nothing is written of an empty one', async () => {
  const parameter = (name: string, where: string, schema: object) => ({
    name,
    in: where,
    required: true,
    schema,
  })
  const free = { type: 'object', additionalProperties: { type: 'string' } }
  const optional = { type: 'object', properties: { first: { type: 'string' } } }
  const get = {
    operationId: 'find',
    parameters: [
      parameter('where', 'path', optional),
      parameter('map', 'query', free),
      parameter('ids', 'query', { type: 'array', items: { type: 'integer' } }),
    ],
    responses: { default: { description: 'found' } },
  }
  const model = await modelFrom({ ...head, paths: { '/things/{where}': { get } } })
  const [operation] = model.operations
  const calls = operation ? await validCalls(createSchemas(model), operation) : []
  expect(calls.map(({ url }) => url)[0]).toBe('/things/first,text?a=text&ids=1')
})

test('the calls that a document does not allow miss its body, or have one of another type, a parameter of another type or an unknown one', async () => {
  const get = {
    operationId: 'add',
    parameters: [{ name: 'id', in: 'query', required: true, schema: { type: 'integer' } }],
    requestBody: { required: true, content: { 'application/json': { schema: code('^a') } } },
    responses: { default: { description: 'added' } },
  }
  const model = await modelFrom({ ...head, paths: { '/things': { post: get } } })
  const [operation] = model.operations
  const calls = operation ? await invalidCalls(createSchemas(model), operation) : []
  const body = '{"code":"a'
  expect(calls.map(({ url, payload }) => [url, payload?.toString().slice(0, body.length)])).toEqual([
    ['/things?id=1', 'true'],
    ['/things?id=1', undefined],
    ['/things?id=text', body],
    ['/things?id=1&not-in-the-document=1', body],
  ])
})

const code = (pattern: string): Schema => ({
  type: 'object',
  required: ['code'],
  properties: { code: { pattern } },
})
test.each<[string, Schema]>([
  ['looks ahead', code('^0x(?!0{4}(?=b|$))[0-9a-f]{4}$')],
  ['only one form has', { oneOf: [code('^\\d+$|^0x[a-f]{6}|last'), code('^\\d+$|^[a-f]{6}|last')] }],
])('a text is drawn for a pattern that %s', async (_, schema) => {
  const model = await modelFrom({ ...head, paths: {}, components: { schemas: { A: schema } } })
  const schemas = createSchemas(model)
  expect(schemas.check(schema, sampler(schemas, { isFull: false })(schema))).toEqual([])
})

test.each(['oneOf', 'anyOf'] as const)(
  'a value is drawn of the alternative of %s that has one, whichever it is',
  async keyword => {
    const none: Schema = { type: 'string', minLength: 5, maxLength: 3 }
    const schema: Schema = { [keyword]: [none, none, { type: 'integer', minimum: 7 }] }
    const schemas = createSchemas(await modelFrom({ ...head, paths: {} }))
    for (const isFull of [true, false]) expect(sampler(schemas, { isFull })(schema)).toBe(7)
  },
)

const kindOf = (name: string, property: string): Schema => ({
  type: 'object',
  properties: { kind: { type: 'string', enum: [name] }, [property]: { type: 'string' } },
})
const having = (property: string): Schema => ({
  type: 'object',
  properties: { [property]: { type: 'integer' } },
})
test.each<[string, Schema, unknown]>([
  [
    'the greater minimum of two parts',
    { allOf: [{ minimum: 1_000 }, { type: 'integer', minimum: -10, maximum: 5_000 }] },
    1_000,
  ],
  [
    'the smaller maximum',
    { allOf: [{ maximum: -5 }, { type: 'integer', minimum: -6, maximum: 0, multipleOf: 5 }] },
    -5,
  ],
  [
    'the longer and the shorter bound of a text',
    {
      allOf: [
        { minLength: 8, maxLength: 8 },
        { type: 'string', minLength: 2, maxLength: 12 },
      ],
    },
    'textxxxx',
  ],
  [
    'the longer bound of a list',
    {
      allOf: [
        { minItems: 2, items: { type: 'integer' } },
        { type: 'array', minItems: 1 },
      ],
    },
    [1, 2],
  ],
  [
    'one of two alternatives, by all that it has',
    { oneOf: [kindOf('tree', 'x'), kindOf('bush', 'y')] },
    { kind: 'tree', x: 'text' },
  ],
  [
    'one of two alternatives, by a wrong value of the other',
    { oneOf: [having('a'), having('b')] },
    expect.any(Object),
  ],
])('a drawn value fits %s', async (_, schema, due) => {
  const schemas = createSchemas(await modelFrom({ ...head, paths: {} }))
  for (const isFull of [true, false]) {
    const value = sampler(schemas, { isFull })(schema)
    expect(value).toEqual(due)
    expect(schemas.check(schema, value)).toEqual([])
  }
})

/** Alternatives within alternatives, none of which takes a value. */
const nested = (): Record<string, Schema> => {
  const alternatives = (level: number) => [1, 2].map(() => ({ $ref: `#/components/schemas/L${level - 1}` }))
  const levels = Array.from(
    { length: 12 },
    (_, level): Schema =>
      level === 0 ? { type: 'string', minLength: 5, maxLength: 3 } : { anyOf: alternatives(level) },
  )
  return Object.fromEntries(levels.map((schema, level) => [`L${level}`, schema]))
}
const lists = (depth: number, item: Schema): Schema =>
  depth === 0 ? item : { type: 'array', minItems: 1e9, items: lists(depth - 1, item) }

test.each<[string, Schema, Record<string, Schema>?]>([
  ['lists of lists of texts', lists(3, { type: 'string', minLength: 1e5 })],
  ['lists of lists of long values', lists(3, { type: 'string', enum: ['x'.repeat(1e4)] })],
  ['a text of 500 MB', { type: 'string', minLength: 5e8 }],
  ['nested anyOf', { anyOf: [{ $ref: '#/components/schemas/L11' }] }, nested()],
])('to draw a value costs little, whatever the schema demands: %s', async (_, schema, schemas = {}) => {
  const model = await modelFrom({ ...head, paths: {}, components: { schemas } })
  const { check, ...known } = createSchemas(model)
  const checked = new Set<object>()
  const draw = sampler(
    {
      ...known,
      check(...args) {
        checked.add(args[0])
        return check(...args)
      },
    },
    { isFull: true },
  )
  const value = draw(schema)
  expect(JSON.stringify([value]).length).toBeLessThan(2_100_000)
  expect(checked.size, 'schemas that are compiled').toBeLessThan(1_500)
})

test('no more texts are drawn for patterns once that has taken a second', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `p${i}`)
  const properties = Object.fromEntries(
    names.map((name, i) => [name, { type: 'string', pattern: `^\\p{L}{${i + 200}}\\d$` } as const]),
  )
  const schema: Schema = { type: 'object', required: names, properties }
  const model = await modelFrom({ ...head, paths: {} })
  const drawn = sampler(createSchemas(model), { isFull: true })(schema)
  expect(Object.keys(Object(drawn)).length).toBeLessThan(names.length)
})

/** Schemas that take a value, in many forms: loose or narrow, in parts, among alternatives. */
const schemasFor = (value: unknown): fc.Arbitrary<Schema> =>
  plainFor(value).chain(schema =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(schema) },
      plainFor(value).map((other): Schema => ({ allOf: [schema, other] })),
      plainFor(value).map((other): Schema => ({ ...other, allOf: [schema] })),
      plainFor(value).map((other): Schema => ({ anyOf: [{ type: 'boolean' }, other], allOf: [schema] })),
      fc.constant<Schema>({ oneOf: [schema, { type: typeof value === 'string' ? 'number' : 'string' }] }),
      fc.constant<Schema>({ if: { type: 'null' }, else: schema }),
    ),
  )

function plainFor(value: unknown): fc.Arbitrary<Schema> {
  const some = (schema: Schema) =>
    fc
      .subarray(Object.entries(schema))
      .map((kept): Schema => ({ ...Object.fromEntries(kept), ...(schema.type && { type: schema.type }) }))
  const room = fc.nat(3)
  if (typeof value === 'boolean')
    return fc.constantFrom<Schema>({ type: 'boolean' }, { const: value }, { enum: [value, 1] })
  if (typeof value === 'string')
    return fc.tuple(room, room).chain(([below, above]) => {
      const { length } = [...value]
      return some({ type: 'string', minLength: Math.max(0, length - below), maxLength: length + above })
    })
  if (typeof value === 'number')
    return fc.tuple(room, room).chain(([below, above]) => {
      const [minimum, maximum] = [value - below / 8, value + above / 8]
      const bounds = {
        ...(below > 1 ? { exclusiveMinimum: minimum } : { minimum }),
        ...(above > 1 ? { exclusiveMaximum: maximum } : { maximum }),
      }
      const type = Number.isInteger(value) && below === 1 ? 'integer' : 'number'
      return some({ type, ...bounds, ...(value !== 0 && { multipleOf: Math.abs(value) }) })
    })
  if (Array.isArray(value))
    return fc
      .tuple(fc.tuple(...value.map(schemasFor)), room, fc.boolean())
      .chain(([items, above, isClosed]) =>
        some({
          type: 'array',
          minItems: value.length,
          maxItems: value.length + above,
          ...(items[0] && { contains: items[0] }),
        }).map(
          (schema): Schema => ({
            ...schema,
            ...(items[0] && { prefixItems: items, ...(isClosed && { items: { not: {} } }) }),
          }),
        ),
      )
  const members = Object.entries(Object(value))
  return fc
    .tuple(fc.tuple(...members.map(([, member]) => schemasFor(member))), fc.subarray(members), room)
    .chain(([schemas, required, above]) =>
      some({
        type: 'object',
        properties: Object.fromEntries(members.map(([name], i) => [name, schemas[i] ?? {}])),
        required: required.map(([name]) => name),
        minProperties: members.length,
        maxProperties: members.length + above,
        ...(above === 0 && { patternProperties: { '^y-': { type: 'integer' } } }),
      }),
    )
}

const { value: witness } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.integer({ min: -80, max: 80 }).map(eighths => eighths / 8),
    fc.string({ maxLength: 12 }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x-d', 'e'), tie('value'), { maxKeys: 3 }),
  ),
}))

test('a value is drawn for each schema that has one, and it fits', async () => {
  const model = await modelFrom({ ...head, openapi: '3.1.0', paths: {} })
  const draws = [true, false].flatMap(isFull =>
    (['request', 'response'] as const).map(direction => ({ isFull, direction })),
  )
  const holds = fc.property(witness.chain(schemasFor), schema => {
    const schemas = createSchemas(model)
    const validate = new Ajv2020({ strict: false, logger: false }).compile(schema)
    for (const draw of draws) {
      const { value, fits } = drawer(schemas, draw)(schema)
      if (!fits || !validate(value)) throw new Error(`${JSON.stringify(value)} ${fits}`)
    }
  })
  fc.assert(holds, { seed: 5, numRuns: 60 })
})
