import { expect, test } from 'vitest'
import { modelFrom } from '../../../../test/support/model.ts'
import type { Schema } from '../../document/types.ts'
import { createSchemas } from '../../service/values/schemas.ts'
import { validCalls } from '../../tools/samples/calls.ts'
import { sampler } from '../../tools/samples/samples.ts'

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
