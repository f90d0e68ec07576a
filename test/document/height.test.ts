import { describe, expect, test } from 'vitest'
import { heightsIn } from '../../src/document/height.ts'
import { modelOf } from '../../src/document/model.ts'
import { parseDocument } from '../../src/document/read.ts'

const source = (schemas: string) =>
  parseDocument(
    `openapi: 3.0.3\ninfo: { title: Heights, version: '1' }\npaths: {}\ncomponents:\n  schemas:\n${schemas}`,
    'doc.yaml',
  )
const modelWith = async (schemas: string) => modelOf((await source(schemas)).document)

const self = '{ $ref: "#/components/schemas/A" }'

describe('how deep the flattest value of a schema is', () => {
  test.each([
    ['a text', '{ type: string }', 0],
    ['an object', '{ type: object, required: [a], properties: { a: { type: string } } }', 1],
    ['an object that demands nothing', `{ type: object, properties: { a: ${self} } }`, 0],
    ['a list that may be empty', `{ type: array, items: ${self} }`, 0],
    ['a list that may not', '{ type: array, minItems: 1, items: { type: array } }', 1],
    [
      'an object in a list',
      `{ type: array, minItems: 1, items: { type: object, required: [a], properties: { a: {} } } }`,
      2,
    ],
    [
      'an object that demands itself',
      `{ type: object, required: [a], properties: { a: ${self} } }`,
      Infinity,
    ],
    ['the same, told by its properties alone', `{ required: [a], properties: { a: ${self} } }`, Infinity],
    [
      'the same, where it may be null',
      `{ type: object, nullable: true, required: [a], properties: { a: ${self} } }`,
      0,
    ],
    ['a list that demands itself', `{ type: array, minItems: 1, items: ${self} }`, Infinity],
    [
      'itself or a number',
      `{ oneOf: [{ type: object, required: [l, r], properties: { l: ${self}, r: ${self} } }, { type: number }] }`,
      0,
    ],
    [
      'what is demanded by another part',
      `{ allOf: [{ type: object, properties: { a: ${self} } }, { required: [a] }] }`,
      Infinity,
    ],
    ['what is demanded without a schema', '{ type: object, required: [a] }', 0],
  ])('%s', async (_, schema, height) => {
    const model = await modelWith(`    A: ${schema}`)
    expect(heightsIn(model)({ $ref: '#/components/schemas/A' })).toBe(height)
  })

  test('over several schemas', async () => {
    const model = await modelWith(`
    A: { type: object, required: [b], properties: { b: { $ref: "#/components/schemas/B" } } }
    B: { oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/C" }] }
    C: { type: object, required: [d], properties: { d: { type: string }, a: { $ref: "#/components/schemas/A" } } }`)
    const heightOf = heightsIn(model)
    expect(['A', 'B', 'C'].map(name => heightOf({ $ref: `#/components/schemas/${name}` }))).toEqual([2, 1, 1])
  })
})

test('the author is told of schemas that have no value', async () => {
  const read = await source(`
    Whole: { type: object, required: [part], properties: { part: { $ref: "#/components/schemas/Part" } } }
    Part: { type: object, required: [whole], properties: { whole: { $ref: "#/components/schemas/Whole" } } }
    Tree: { type: object, properties: { kids: { type: array, items: { $ref: "#/components/schemas/Tree" } } } }`)
  const told = read.notes().map(({ pointer, message }) => [pointer, message.split(' is ')[0]])
  expect(told).toEqual([
    ['#/components/schemas/Whole', 'No value of Whole'],
    ['#/components/schemas/Part', 'No value of Part'],
  ])
})
