import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'spec-served-cli/internal/generate/emit'
import { misjudged } from 'spec-served-lab/support/compile'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { describe, expect, test } from 'vitest'
import { formatFaults } from '../reading/fault.ts'
import { parseDocument, readValue } from '../reading/read.ts'
import { info, ref, schemaOf } from './support.ts'

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
      'what contains was not about either',
      { contains: { type: 'string' }, unevaluatedItems: { type: 'integer' } },
      [['a', 1], ['a']],
      [['a', null], [1]],
    ],
    [
      'what only one alternative was about',
      {
        anyOf: [ref('B'), { required: ['c'], patternProperties: { '^c': true } }],
        unevaluatedProperties: false,
      },
      [{ b: 1 }, { b: 1, c: 1 }],
      [
        { b: '', c: 1 },
        { b: 1, d: 1 },
      ],
    ],
    [
      'a name of every object',
      JSON.parse('{ "properties": { "__proto__": { "type": "string" } }, "additionalProperties": false }'),
      [JSON.parse('{ "__proto__": "a" }')],
      [JSON.parse('{ "__proto__": 1 }'), { a: 1 }],
    ],
    ['one of no values', { enum: [] }, [], ['a', null]],
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

  test('a fault of a 3.1 schema says what the schema wants', async () => {
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
    expect(faults({ knid: 'cat' })).toEqual(['/knid is not known: did you mean `kind`?'])
  })

  test('a 3.1 schema fills in defaults below unevaluated keywords', async () => {
    const inner = { properties: { b: { default: 2 } } }
    const { faults } = await schemaOf('3.1.0', {
      properties: { a: { default: 1 } },
      unevaluatedProperties: inner,
    })
    const value = { c: {} }
    expect(faults(value)).toEqual([])
    expect(value).toEqual({ a: 1, c: { b: 2 } })
  })

  test('a fault below unevaluated keywords has its place', async () => {
    const unevaluatedProperties = { unevaluatedItems: false, prefixItems: [{ type: 'string' }] }
    const { faults } = await schemaOf('3.1.0', { properties: { a: { unevaluatedProperties } } })
    expect(faults({ a: { 'x/y': [1, 2] } })).toEqual([
      '/a/x~1y/0 must be string',
      '/a/x~1y/1 must not be there',
    ])
  })
})

test('a reference finds a schema by its anchor, and a dynamic reference without a scope is a plain one', async () => {
  const List = { $dynamicAnchor: 'item', type: 'array', items: { $dynamicRef: '#item' } }
  const A = {
    properties: { id: { $anchor: 'id', type: 'integer' }, other: { $ref: '#id' }, list: ref('List') },
  }
  const { faults, notes } = await schemaOf('3.1.0', A, { List })
  expect(faults({ other: 'a', list: [[1]] })).toEqual(['/other must be integer', '/list/0/0 must be array'])
  expect(notes).toBe('')
})

test('a schema with a dynamic part has one type for each binding', async () => {
  const Page = {
    $id: 'page',
    $defs: { any: { $dynamicAnchor: 'item' } },
    required: ['items'],
    properties: { items: { type: 'array', items: { $dynamicRef: '#item' } }, next: { $ref: '#' } },
  }
  const of = (name: string) => ({
    $id: name,
    $ref: 'page',
    $defs: { [name]: { $dynamicAnchor: 'item', ...ref(name) } },
  })
  const others = { Page, Pets: of('Pet'), Dogs: of('Dog'), Pet: { type: 'string' }, Dog: { type: 'integer' } }
  const schema = { properties: { pets: ref('Pets'), dogs: ref('Dogs'), any: ref('Page') } }
  const { faults, notes } = await schemaOf('3.1.0', schema, others)
  const items = ['a', 1]
  expect(faults({ pets: { items }, dogs: { items, next: { items } }, any: { items } })).toEqual([
    '/pets/items/1 must be string',
    '/dogs/items/0 must be integer',
    '/dogs/next/items/0 must be integer',
  ])
  expect(notes).toBe('')
  const source = { openapi: '3.1.0', info, paths: {}, components: { schemas: others } }
  const { document } = await readValue(source, 'document')
  const types = (await generate(document, 'document', '0')).get('schema.ts')
  expect(types).toMatch(/type Page_of_Pet = \{\s+items: Pets__defs_Pet\[\];/)
})

test('a dynamic anchor of another schema in the document binds nothing', async () => {
  const template = (any: object) => ({
    $defs: { any: { $dynamicAnchor: 'item', ...any } },
    properties: { items: { type: 'array', items: { $dynamicRef: '#item' } } },
  })
  const of = (type: string) => ({ $defs: { own: { $dynamicAnchor: 'item', type } } })
  for (const $id of [undefined, 'page']) {
    const others = {
      First: { $dynamicAnchor: 'item', title: 'anything' },
      Page: { ...($id && { $id }), ...template({ type: ['string', 'integer', 'boolean'] }) },
      Pets: { ...ref('Page'), ...of('string') },
      Dogs: { ...($id && { $id: 'dogs' }), ...ref('Page'), ...of('integer') },
    }
    const schema = { properties: { pets: ref('Pets'), dogs: ref('Dogs'), any: ref('Page') } }
    const { faults } = await schemaOf('3.1.0', schema, others)
    const items = ['a', 1, true, null]
    expect(faults({ pets: { items }, dogs: { items }, any: { items } })).toEqual([
      ...[1, 2, 3].map(index => `/pets/items/${index} must be string`),
      ...[0, 2, 3].map(index => `/dogs/items/${index} must be integer`),
      '/any/items/3 must be string or integer or boolean',
    ])
  }
  const inline = {
    openapi: '3.1.0',
    info,
    paths: {
      '/a': {
        get: {
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { ...ref('Page'), ...of('boolean') } } },
            },
          },
        },
      },
    },
    components: { schemas: { Page: template({}), Other: of('string') } },
  }
  const { document } = await readValue(inline, 'document')
  expect(Object.keys(document.components?.schemas ?? {})).toContain('Page_of_own')
  expect(JSON.stringify(document)).toContain('"type":"boolean"')
})

const directory = sharedOutput()

test('values of objects compile as their schemas allow them', async () => {
  const integer = { type: 'integer' }
  const schemas = {
    Free: { type: 'object' },
    Named: { type: 'object', propertyNames: { pattern: '^a' } },
    Nothing: { type: 'object', additionalProperties: false },
    Beside: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'boolean' } },
      required: ['a'],
      additionalProperties: integer,
    },
    Null: { const: null },
  }
  const source = { openapi: '3.1.0', info, paths: {}, components: { schemas } }
  const { document } = await readValue(source, 'document')
  await writeFile(
    join(directory, 'schema.ts'),
    (await generate(document, 'document', '0')).get('schema.ts') ?? '',
  )
  const program = `
    import type { Beside, Free, Named, Nothing, Null } from './schema.ts'
    export const free: Free = { any: 1, other: ['a'] }
    export const read: unknown = free.any
    export const named: Named = { abc: 1 }
    export const nothing: Nothing = {}
    export const something: Nothing = { a: 1 } // wrong
    export const beside: Beside = { a: 'x', b: true, other: 5 }
    export const short: Beside = { other: 5 } // wrong
    export const bad: Beside = { a: 5, other: 5 } // wrong
    export const others: Beside = { a: 'x', other: [] } // wrong
    export const none: Null = null
    export const some: Null = 0 // wrong
  `
  expect(await misjudged(directory, program)).toEqual([])
})

test('dynamic references that give schemas too many meanings are refused', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}`)
  const schemas: Record<string, object> = { End: { $dynamicRef: '#s0' } }
  for (const [index, name] of names.entries())
    for (const [side, opposite] of ['ab', 'ba'])
      schemas[`${name}${side}`] = {
        $id: `${name}${side}`,
        $defs: { [name]: { $dynamicAnchor: name, const: opposite } },
        properties:
          index === 11 ? { end: ref('End') } : { a: ref(`s${index + 1}a`), b: ref(`s${index + 1}b`) },
      }
  await expect(schemaOf('3.1.0', ref('s0a'), schemas)).rejects.toThrow(/more than 1000 meanings/)
})

describe('a reference is resolved by the $id around it', () => {
  const number = { type: 'number' }
  test.each<[string, object, object]>([
    ['a name beside it', { $id: 'https://a.test/x/a', $ref: 'b', $defs: { b: { $id: 'b', ...number } } }, {}],
    [
      'the whole of it',
      { $id: 'https://a.test/x/a', $ref: 'https://a.test/y' },
      { B: { $id: 'https://a.test/y', ...number } },
    ],
    ['a way in it', { $id: 'a', $ref: '#/$defs/n', $defs: { n: number } }, {}],
    ['a way in the document', { $id: 'a', ...ref('B') }, { B: number }],
    [
      'an anchor in it, and not one of the same name around',
      { $id: 'a', $ref: '#n', $defs: { n: { $anchor: 'n', ...number } } },
      { B: { $anchor: 'n', type: 'string' } },
    ],
    ['an URN', { $ref: 'urn:example:n' }, { B: { $id: 'urn:example:n', ...number } }],
  ])('%s', async (_, schema, others) => {
    const { faults } = await schemaOf('3.1.0', schema, others)
    expect([faults(1), faults('a')]).toEqual([[], [' must be number']])
  })

  test('a schema found by $id keeps its keywords beside a reference', async () => {
    const B = { $id: 'b', $defs: { n: { $ref: '#/$defs/m', minimum: 1 }, m: number } }
    const { faults } = await schemaOf('3.1.0', { $ref: 'b#/$defs/n' }, { B })
    expect([faults(1), faults(0), faults('a')]).toEqual([[], [' must be at least 1'], [' must be number']])
  })

  test('$self is the $id of a whole document from 3.2 on', async () => {
    const A = { $ref: 'https://a.test/api#/components/schemas/B' }
    const value = {
      openapi: '3.2.0',
      $self: 'https://a.test/api',
      info,
      components: { schemas: { A, B: number } },
    }
    const { document } = await readValue(value, 'document')
    expect(document.components?.schemas?.A).toEqual(ref('B'))
  })

  test('a reference to a metaschema is resolved', async () => {
    const { faults } = await schemaOf('3.1.0', { $ref: 'https://json-schema.org/draft/2020-12/schema' })
    expect(faults({ properties: { a: { type: 'string' }, b: true } })).toEqual([])
    expect(faults({ properties: { a: { type: 'text' } } })).not.toEqual([])
  })

  test('a reference to the document itself is refused', async () => {
    await expect(schemaOf('3.1.0', { properties: { a: { $ref: '#' } } })).rejects.toThrow(
      /leads to a whole document/,
    )
  })
})
describe('a dialect of schemas', () => {
  const refused = (schema: object) =>
    schemaOf('3.1.0', schema).then(
      () => 'nothing',
      (error: Error) => error.message,
    )

  const [draft7, draft2019] = [
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ]

  test.each(['http://json-schema.org/draft-04/schema#', draft7, draft2019])(
    'a schema by %s is read where no keyword differs from 2020-12, and its formats are notes',
    async $schema => {
      const properties = { mail: { type: 'string', format: 'email' }, list: { items: { maximum: 3 } } }
      const { faults, notes } = await schemaOf('3.1.0', { $schema, properties, required: ['mail'] })
      expect(faults({ mail: 'none', list: [4] })).toEqual(['/list/0 must be at most 3'])
      expect(notes).toContain(`By the dialect ${$schema} formats are notes`)
      const source = {
        openapi: '3.1.0',
        info,
        jsonSchemaDialect: $schema,
        components: { schemas: { A: properties } },
      }
      expect(formatFaults((await readValue(source, 'document')).notes())).toContain('formats are notes')
    },
  )

  test.each<[string, string, object, string]>([
    [draft2019, 'items', { items: [{}] }, 'write the list as prefixItems'],
    [draft2019, 'additionalItems', { additionalItems: false }, 'write it as items, beside prefixItems'],
    [draft2019, 'contains', { contains: {}, unevaluatedItems: false }, 'leave one of both out'],
    [draft7, 'dependencies', { dependencies: { a: ['b'] } }, 'write dependentSchemas or dependentRequired'],
    [
      draft7,
      '$ref',
      { $ref: '#/components/schemas/B', type: 'string' },
      'what stands beside it did not count',
    ],
    [draft7, '$id', { $id: '#name' }, 'write it as $anchor'],
    ['http://json-schema.org/draft-04/schema#', 'id', { id: 'a' }, 'write it as $id'],
  ])(
    'by %s, a keyword %s that has another meaning in 2020-12 is refused, with its place and a remedy',
    async ($schema, name, schema, remedy) => {
      const source = {
        openapi: '3.1.0',
        info,
        components: { schemas: { A: { $schema, properties: { b: schema } }, B: {} } },
      }
      await expect(readValue(source, 'document')).rejects.toMatchObject({
        faults: [
          {
            pointer: `#/components/schemas/A/properties/b/${name}`,
            message: expect.stringContaining(remedy),
          },
        ],
      })
    },
  )

  test.each([
    ['$recursiveRef', '#'],
    ['$recursiveAnchor', true],
    ['$vocabulary', { 'https://json-schema.org/draft/2020-12/vocab/applicator': true }],
  ])('%s is refused, with its place and a remedy', async (name, value) => {
    const message = await refused({ properties: { a: { [name]: value } } })
    expect(message).toMatch(new RegExp(`/properties/a/\\${name} \\${name} is not read: (write|leave)`))
  })

  test('a dialect in which formats are annotations holds no value to them, with a note', async () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    const { faults, notes } = await schemaOf('3.1.0', { $schema, type: 'string', format: 'email' })
    expect(faults('no address')).toEqual([])
    expect(notes).toMatch(/formats are notes: no value is checked against them/)
    const usual = await schemaOf('3.1.0', { type: 'string', format: 'email' })
    expect(usual.faults('no address')).not.toEqual([])
  })

  test('an unknown dialect is read as that of OpenAPI, with a note', async () => {
    const { faults, notes } = await schemaOf('3.1.0', { $schema: 'https://a.test/other', type: 'string' })
    expect(faults(1)).toEqual([' must be string'])
    expect(notes).toMatch(/The dialect https:\/\/a\.test\/other is not known/)
  })
})

test('a schema finds definitions within itself, as tools write them', async () => {
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
