import { modelFrom } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import type { Schema } from '../types.ts'
import { standaloneSchema } from '../values/standalone-schema.ts'

const ref = (name: string, more: object = {}) => ({ $ref: `#/components/schemas/${name}`, ...more })

/** @param root a schema, as one would write it */
async function standalone(schemas: Record<string, object>, root: object = ref('Root')) {
  const model = await modelFrom({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: {},
    components: { schemas: schemas as Record<string, Schema> }, // they are written as one would
  })
  return standaloneSchema(model, { type: 'object', properties: { value: root as Schema } }, 'request')
}

test('a schema stands in the place of each reference to it, with what is said beside that', async () => {
  const schema = await standalone({
    Root: {
      type: 'object',
      properties: {
        a: ref('Name'),
        b: ref('Name', { description: 'Other' }),
        c: ref('Name', { maxLength: 3 }),
      },
    },
    Name: { type: 'string', minLength: 1, description: 'A name' },
  })
  const name = { type: 'string', minLength: 1, description: 'A name' }
  expect(schema).toEqual({
    type: 'object',
    properties: {
      value: {
        type: 'object',
        properties: { a: name, b: { ...name, description: 'Other' }, c: { allOf: [name], maxLength: 3 } },
      },
    },
  })
})

test('a schema that leads back to itself stays in $defs, and those around it are inlined', async () => {
  const schema = await standalone({
    Root: { type: 'object', properties: { tree: ref('Tree') } },
    Tree: { type: 'object', properties: { left: ref('Branch'), name: ref('Name') } },
    Branch: { type: 'object', properties: { tree: ref('Tree') } },
    Name: { type: 'string' },
  })
  expect(schema).toMatchObject({
    properties: { value: { properties: { tree: { $ref: '#/$defs/Tree' } } } },
    $defs: {
      Tree: { properties: { left: { $ref: '#/$defs/Branch' }, name: { type: 'string' } } },
      Branch: { properties: { tree: { $ref: '#/$defs/Tree' } } },
    },
  })
  expect(Object.keys(Object(schema).$defs)).toEqual(['Tree', 'Branch'])
})

test('schemas that double at each step are inlined up to a bound, and a long chain as well', async () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `S${i}`,
      i === 59
        ? { type: 'string' }
        : { type: 'object', properties: { a: ref(`S${i + 1}`), b: ref(`S${i + 1}`) } },
    ]),
  )
  const text = JSON.stringify(await standalone(doubling, ref('S0')))
  expect(text.length).toBeLessThan(200_000)
  expect(text).toContain('$defs')
  const chain = Object.fromEntries(
    Array.from({ length: 390 }, (_, i) => [
      `S${i}`,
      i === 389 ? { type: 'string' } : { items: ref(`S${i + 1}`) },
    ]),
  )
  expect(JSON.stringify(await standalone(chain, ref('S0')))).toContain('$defs')
})

const [least, most] = [-(2 ** 63), 2 ** 63]

test.each<[string, Record<string, unknown>, object]>([
  ['a bound of int64', { type: 'integer', minimum: least, maximum: most }, { type: 'integer' }],
  ['a bound with null', { type: ['integer', 'null'], maximum: most }, { type: ['integer', 'null'] }],
  ['a bound of a number', { type: 'number', minimum: least }, { type: 'number' }],
  ['a bound of nothing said', { exclusiveMaximum: most, minimum: 0 }, { minimum: 0 }],
  ['a multiple', { type: 'integer', multipleOf: most }, { type: 'integer' }],
  ['an enumeration', { type: 'integer', enum: [1, 2 ** 53] }, { type: 'integer' }],
  ['a constant', { const: { id: 2 ** 60 } }, {}],
  ['a default', { type: 'integer', default: 2 ** 53 }, { type: 'integer' }],
  ['exact bounds', { type: 'integer', maximum: 2 ** 53 - 1 }, { type: 'integer', maximum: 2 ** 53 - 1 }],
])('a number that may have been rounded is left out: %s', async (_, schema, expected) => {
  expect(await standalone({ Root: schema })).toEqual({ type: 'object', properties: { value: expected } })
})
