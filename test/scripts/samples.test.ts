import { expect, test } from 'vitest'
import { validCalls } from '../../scripts/document/calls.ts'
import { sampler } from '../../scripts/document/samples.ts'
import type { Schema } from '../../src/document/types.ts'
import { createSchemas } from '../../src/engine/requests/schemas.ts'
import { modelFrom } from '../support/model.ts'

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
