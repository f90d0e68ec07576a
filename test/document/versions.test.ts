import { describe, expect, test } from 'vitest'
import { generate } from '../../scripts/document/emit.ts'
import { formatFaults } from '../../scripts/document/reading/fault.ts'
import { parseDocument, readValue } from '../../scripts/document/reading/read.ts'
import { modelOf } from '../../src/document/model.ts'
import type { Schema } from '../../src/document/types.ts'
import { createSchemas } from '../../src/engine/requests/schemas.ts'
import { echo, serve } from '../support/engine.ts'

const info = { title: 'T', version: '1' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Whether a document of a version takes values by a schema, and what was told when it was read. */
async function schemaOf(openapi: string, schema: object | boolean, others: object = {}) {
  const value = { openapi, info, paths: {}, components: { schemas: { A: schema, ...others } } }
  const read = await readValue(value, 'document')
  const schemas = createSchemas(modelOf(read.document))
  return {
    written: read.document.components?.schemas?.A as Schema,
    notes: formatFaults(read.notes()),
    faults: (data: unknown) => schemas.check(ref('A'), data).map(({ path, message }) => `${path} ${message}`),
  }
}

describe('from OpenAPI 3.1 on a schema is a JSON Schema', () => {
  test.each<[string, object | boolean, unknown[], unknown[]]>([
    ['types with null', { type: ['string', 'null'] }, ['a', null], [1]],
    ['several types', { type: ['string', 'integer'], minLength: 2 }, ['ab', 1], ['a', 1.5, true]],
    ['a constant', { const: { a: 1 } }, [{ a: 1 }], [{ a: 2 }, null]],
    ['bounds of their own', { minimum: 0, exclusiveMinimum: 2 }, [3], [2, 1]],
    [
      'items by their place',
      { prefixItems: [{ type: 'string' }], items: false },
      [['a'], []],
      [[1], ['a', 1]],
    ],
    [
      'names by patterns',
      { patternProperties: { '^n': { type: 'number' } } },
      [{ n: 1, a: '' }],
      [{ n: '' }],
    ],
    ['what names may be', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    ['what a list holds', { contains: { const: 1 }, maxContains: 2 }, [[1, 2]], [[2], [1, 1, 1]]],
    ['what depends', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    ['schemas that depend', { dependentSchemas: { a: { required: ['b'] } } }, [{ b: 1 }], [{ a: 1 }]],
    [
      'conditions',
      JSON.parse('{ "if": { "type": "string" }, "then": { "minLength": 2 }, "else": { "minimum": 2 } }'),
      ['ab', 2],
      ['a', 1],
    ],
    ['nothing at all', false, [], [1, null, {}]],
    ['anything', true, [1, null, {}], []],
    [
      'what no other keyword was about',
      { allOf: [ref('B')], properties: { own: true }, unevaluatedProperties: false },
      [{ b: 1, own: 1 }],
      [{ b: 1, other: 1 }],
    ],
    [
      'a reference and more',
      { ...ref('B'), required: ['own'] },
      [{ b: 1, own: 1 }],
      [{ b: 1 }, { b: '', own: 1 }],
    ],
    [
      'definitions of its own',
      { $ref: '#/components/schemas/A/$defs/N', $defs: { N: { type: 'number' } } },
      [1],
      ['a'],
    ],
  ])('%s', async (_, schema, valid, invalid) => {
    const B = { type: 'object', properties: { b: { type: 'integer' } } }
    const { faults } = await schemaOf('3.1.0', schema, { B })
    expect(valid.map(faults)).toEqual(valid.map(() => []))
    for (const value of invalid) expect(faults(value), JSON.stringify(value)).not.toEqual([])
  })

  test('whose faults say what is wanted', async () => {
    const { faults } = await schemaOf('3.1.0', {
      properties: { kind: { const: 'cat' }, tags: { contains: { const: 'a' } } },
      dependentRequired: { tags: ['kind'] },
      unevaluatedProperties: false,
    })
    expect(faults({ kind: 'dog' })).toEqual(['/kind must be cat'])
    expect(faults({ kind: 'cat', tags: [] })).toEqual([
      '/tags must hold at least 1 of the items that are wanted',
    ])
    expect(faults({ tags: ['a'], name: 'Rex' })).toEqual([
      '/kind is required beside tags',
      '/name is not known',
    ])
  })
})

test.each<[string, string, object, unknown[], unknown[], RegExp]>([
  ['nullable', '3.1.0', { type: 'string', nullable: true }, ['a', null], [1], /null is a type/],
  ['a flag for a bound', '3.1.0', { minimum: 1, exclusiveMinimum: true }, [2], [1], /is a number/],
  ['a list of types', '3.0.3', { type: ['string', 'null'] }, ['a', null], [1], /one type/],
  ['several types', '3.0.3', { type: ['string', 'integer'] }, ['a', 1], [true, null], /one type/],
  [
    'null beside another',
    '3.0.3',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ['a', null],
    [1],
    /one type/,
  ],
  ['a bound of its own', '3.0.3', { minimum: 3, exclusiveMinimum: 1 }, [3], [2], /is true or false/],
])('%s, of another version than %s, is taken as it is meant, and told', async (...row) => {
  const [_, version, schema, valid, invalid, note] = row
  const { faults, notes } = await schemaOf(version, schema)
  expect(valid.map(faults)).toEqual(valid.map(() => []))
  for (const value of invalid) expect(faults(value), JSON.stringify(value)).not.toEqual([])
  expect(notes).toMatch(note)
})

test('a document of 3.1 is served, with its types and webhooks', async () => {
  const Thing = {
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: 'thing' }, name: { type: ['string', 'null'] } },
  }
  const content = { 'application/json': { schema: { ...ref('Thing'), description: 'more' } } }
  const source = {
    openapi: '3.1.0',
    info: { ...info, summary: 'short', license: { name: 'MIT', identifier: 'MIT' } },
    paths: { '/things': { post: { operationId: 'addThing', requestBody: { required: true, content } } } },
    webhooks: { thingMade: { $ref: '#/components/pathItems/Made' } },
    components: {
      pathItems: { Made: { post: { operationId: 'onThing', requestBody: { content } } } },
      schemas: { Thing },
    },
  }
  const app = await serve(source, { addThing: echo })
  const post = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/things', payload })).statusCode
  expect([await post({ kind: 'thing', name: null }), await post({ kind: 'other' })]).toEqual([200, 400])
  await app.close()
  const { document } = await readValue(source, 'document')
  const types = (await generate(document, 'document', '0')).get('schema.ts')
  expect(types).toMatch(/kind: "thing";\s+name\?: string \| null;/)
  expect(types).toMatch(/webhooks \{\s+thingMade: /)
})

test('operations that only a query, a fragment or a name twice tells apart are served under others', async () => {
  const ok = { responses: { 200: { description: 'ok' } } }
  const paths = {
    '/a': { get: { operationId: 'list', ...ok } },
    '/b': { get: { operationId: 'list', ...ok } },
    '/a#fast': { get: { operationId: 'fast', ...ok }, put: { operationId: 'put', ...ok } },
    '/c?beta=true': { get: { operationId: 'beta', ...ok } },
  }
  const { document, notes } = await readValue({ openapi: '3.0.3', info, paths }, 'document')
  const served = modelOf(document).operations.map(({ id, method, path }) => `${id}: ${method} ${path}`)
  expect(served.sort()).toEqual(['beta: GET /c', 'list: GET /a', 'list_2: GET /b', 'put: PUT /a'])
  const told = formatFaults(notes())
  for (const one of [/GET \/a, which is there too/, /served as PUT \/a/, /served as GET \/c/, /named list_2/])
    expect(told).toMatch(one)
})

test('a schema is found by its anchor, and a dynamic reference is read as a plain one, which is told', async () => {
  const List = { $dynamicAnchor: 'item', type: 'array', items: { $dynamicRef: '#item' } }
  const A = {
    properties: { id: { $anchor: 'id', type: 'integer' }, other: { $ref: '#id' }, list: ref('List') },
  }
  const { faults, notes } = await schemaOf('3.1.0', A, { List })
  expect(faults({ other: 'a', list: [[1]] })).toEqual(['/other must be integer', '/list/0/0 must be array'])
  expect(notes).toMatch(/\$dynamicRef is read as \$ref/)
})

test('definitions that stand in a schema are found from within, as tools leave them', async () => {
  const { notes } = await parseDocument(
    `openapi: 3.1.0
info: { title: T, version: "1" }
components:
  schemas:
    A:
      $defs: { Name: { type: string } }
      properties: { name: { $ref: '#/$defs/Name' } }`,
    'document',
  )
  expect(formatFaults(notes())).toBe('')
})

test('a default that its schema does not take is told, and not applied', async () => {
  const properties = {
    a: { type: 'object', default: '{}' },
    b: { type: 'string', pattern: '^b', default: 'c' },
    c: { type: 'integer', default: 3 },
  }
  const schema = { type: 'object', properties }
  const content = { 'application/json': { schema } }
  const post = {
    operationId: 'add',
    requestBody: { required: true, content },
    responses: { 200: { description: 'ok' } },
  }
  const source = { openapi: '3.0.3', info, paths: { '/a': { post } } }
  const app = await serve(source, { add: echo })
  expect((await app.inject({ method: 'POST', url: '/a', payload: {} })).json()).toEqual({ c: 3 })
  await app.close()
  const told = formatFaults((await readValue(source, 'document')).notes())
  expect(told.match(/does not fit its schema/g)).toHaveLength(2)
})
