import { generate } from 'spec-served-cli/internal/generate/emit'
import { echo, serve } from 'spec-served-lab/support/engine'
import { expect, test } from 'vitest'
import { modelOf } from '../model.ts'
import { formatFaults } from '../reading/fault.ts'
import { readValue } from '../reading/read.ts'
import { info, ref, schemaOf } from './support.ts'

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

test('what has alternatives, or inherits the property that names them, is typed as it is described', async () => {
  const kind = (...names: string[]) => ({ kind: { type: 'string', enum: names } })
  const of = (name: string) => ({ type: 'object', required: ['kind'], properties: kind(name) })
  const choice = { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } }
  const Base = { ...of('a'), discriminator: { propertyName: 'kind' } }
  const schemas = {
    Cat: of('Cat'),
    Dog: of('Dog'),
    Pet: choice,
    Base,
    Named: { allOf: [ref('Pet')], properties: { name: { type: 'string' } } },
    Either: { allOf: [choice], properties: kind('Cat', 'Dog') },
    Child: { allOf: [ref('Base')], properties: kind('a', 'b') },
  }
  const { document } = await readValue({ openapi: '3.0.3', info, paths: {}, components: { schemas } }, 'a')
  const types = (await generate(document, 'document', '0')).get('schema.ts')?.replace(/\/\*.*?\*\/|\s/gs, '')
  expect(types).toContain('exporttypeNamed={name?:string;}&Pet;')
  expect(types).toContain('exporttypeEither={kind?:"Cat"|"Dog";}&(Cat|Dog);')
  expect(types).toContain('exporttypeChild={kind?:"a"|"b";}&Base;')
})

test('alternatives that differ only in titles are read as one, with a note', async () => {
  const form = (title: string, type: string) => ({ title, type: 'object', properties: { title: { type } } })
  const [a, b, c] = [form('A', 'string'), form('B', 'string'), form('C', 'integer')]
  const { faults, notes, written } = await schemaOf('3.1.0', {
    oneOf: [a, b, c, { enum: [a] }, { enum: [b] }],
  })
  expect(written.oneOf).toEqual([a, c, { enum: [a] }, { enum: [b] }])
  expect([faults({ title: 'a' }), faults({ title: 1 }), faults({})].map(({ length }) => length)).toEqual([
    0, 0, 1,
  ])
  expect(notes).toContain('No value has just one of several equal forms')
  expect((await schemaOf('3.1.0', { oneOf: [true, true] })).faults(1)).toHaveLength(1)
})

test('a closed part of an allOf takes the properties that other parts require, with a note', async () => {
  const part = (name: string) => ({ type: 'object', properties: { [name]: {} }, additionalProperties: false })
  const whole = { allOf: [{ ...part('a'), required: ['a'] }, ref('B')], additionalProperties: false }
  const { faults, notes } = await schemaOf('3.0.3', whole, {
    B: part('b'),
    C: { allOf: [ref('B'), ref('B')] },
  })
  expect([faults({ a: 1, b: 1 }), faults({ a: 1 })]).toEqual([[], []])
  expect([faults({ a: 1, c: 1 }), faults({ b: 1 })].map(({ length }) => length > 0)).toEqual([true, true])
  expect(notes.match(/take no other properties/g)).toHaveLength(1)
  const other = await schemaOf('3.0.3', ref('B'), { B: part('b') })
  expect(other.faults({ a: 1, b: 1 })).toEqual(['/a is not known'])
})

test('operations that differ only in a query, a fragment or a repeated name get names of their own', async () => {
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
  const text = formatFaults(notes())
  for (const pattern of [
    /GET \/a, which is there too/,
    /served as PUT \/a/,
    /served as GET \/c/,
    /named list_2/,
  ])
    expect(text).toMatch(pattern)
})

test('a default that its schema refuses is noted, and not applied', async () => {
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
  const text = formatFaults((await readValue(source, 'document')).notes())
  expect(text.match(/does not fit its schema/g)).toHaveLength(2)
})
