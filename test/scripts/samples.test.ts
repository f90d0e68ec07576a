import { describe, expect, test } from 'vitest'
import { validCalls } from '../../scripts/document/calls.ts'
import { sampler } from '../../scripts/document/samples.ts'
import { createSchemas } from '../../src/engine/requests/schemas.ts'
import { modelFrom } from '../support/model.ts'

const head = { openapi: '3.0.3', info: { title: 'Samples', version: '1' } }
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const sampled = async (schemas: object, isFull: boolean) => {
  const model = await modelFrom({ ...head, paths: {}, components: { schemas } })
  const own = createSchemas(model)
  const value = sampler(own, { isFull })(named('A'))
  return { value, faults: own.check(named('A'), value) }
}

/** The nodes of a syntax: most hold several others. */
const syntax = {
  A: { oneOf: [named('Choice'), named('Sum'), named('Number')] },
  Choice: {
    type: 'object',
    required: ['when', 'yes', 'no'],
    properties: { when: named('A'), yes: named('A'), no: named('A') },
  },
  Sum: {
    type: 'object',
    required: ['terms'],
    properties: { terms: { type: 'array', minItems: 2, items: named('A') } },
  },
  Number: { type: 'number' },
}
const tree = {
  A: {
    type: 'object',
    properties: { name: { type: 'string' }, kids: { type: 'array', items: named('A') } },
  },
}

describe.each([
  { isFull: true, what: 'with all that it may hold' },
  { isFull: false, what: 'with what it must hold' },
])('a value $what', ({ isFull }) => {
  test.each([
    ['a syntax', syntax],
    ['a tree', tree],
    [
      'a chain that null ends',
      {
        A: { type: 'object', required: ['a'], properties: { a: named('B') } },
        B: { type: 'object', nullable: true, required: ['a'], properties: { a: named('B') } },
      },
    ],
    ['a list of lists', { A: { type: 'array', items: named('A') } }],
  ])('of %s is valid, and ends', async (_, schemas) => {
    expect((await sampled(schemas, isFull)).faults).toEqual([])
  })

  test('of a schema that demands itself is none', async () => {
    const pair = { type: 'object', required: ['l', 'r'], properties: { l: named('A'), r: named('A') } }
    expect((await sampled({ A: pair }, isFull)).value).toBeUndefined()
  })
})

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
