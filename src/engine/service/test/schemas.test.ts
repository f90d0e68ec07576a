import type { Reference, Schema } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { describe, expect, test } from 'vitest'
import { modelFrom } from './support.ts'

const ref = (name: string): Reference => ({ $ref: `#/components/schemas/${name}` })
const schemasOf = async (schemas: Record<string, object>) =>
  createSchemas(await modelFrom({ components: { schemas } }))

describe('a value is checked', () => {
  test('a value is checked by schemas that refer to themselves and each other', async () => {
    const schemas = await schemasOf({
      Tree: {
        type: 'object',
        properties: { leaf: ref('Leaf'), branches: { type: 'array', items: ref('Tree') } },
      },
      Leaf: { type: 'object', properties: { tree: ref('Tree'), size: { type: 'integer' } } },
    })
    const value = { branches: [{}, { leaf: { tree: { branches: [{ leaf: { size: 'x' } }] } } }] }
    expect(schemas.check(ref('Tree'), value)).toEqual([
      { path: '/branches/1/leaf/tree/branches/0/leaf/size', message: 'must be integer' },
    ])
    expect(schemas.check(ref('Tree'), { leaf: { size: 1 } })).toEqual([])
  })

  test.each<[string, unknown[], string]>([
    ['texts and null', ['a', 'b', null], 'must be one of a, b, null'],
    ['objects', [{ a: 1 }, [2]], 'must be one of {"a":1}, [2]'],
    ['more than anybody reads', Array.from({ length: 300 }, (_, i) => i), `49, …`],
  ])('the refusal of a wrong value has those that it may be, with %s', async (_, values, message) => {
    const schemas = await schemasOf({ Value: { enum: values } })
    const [fault] = schemas.check(ref('Value'), 'none of them')
    expect(fault?.message.endsWith(message)).toBe(true)
  })

  test('the refusal of a wrong name has up to three names that it probably meant, those of each alternative', async () => {
    const closed = (...names: string[]) => ({
      type: 'object' as const,
      properties: Object.fromEntries(names.map(name => [name, {}])),
      additionalProperties: false,
    })
    const schemas = await schemasOf({
      Pet: closed('name', 'categoryId'),
      Either: { anyOf: [closed('size'), closed('colour')] },
    })
    const faultsOf = (name: string, value: object) =>
      schemas.check(ref(name), value).map(({ path, message }) => `${path} ${message}`)
    expect(faultsOf('Pet', { nmae: 1, category_id: 1, age: 1 })).toEqual([
      '/nmae is not known: did you mean `name`?',
      '/category_id is not known: did you mean `categoryId`?',
      '/age is not known',
    ])
    expect(faultsOf('Either', { color: 1 })).toContain('/color is not known: did you mean `colour`?')
    expect(faultsOf('Either', { color: 1 })).not.toContain('/color is not known')
    const typos = faultsOf('Pet', Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`name${i}`, 1])))
    expect(typos.filter(typo => typo.endsWith('?'))).toHaveLength(3)
  })

  test('a value is checked for all that is wrong', async () => {
    const schemas = await schemasOf({
      List: { type: 'array', items: ref('Item') },
      Item: { type: 'integer' },
    })
    expect(schemas.check(ref('List'), ['a', 'b', 'c'])).toHaveLength(3)
  })

  test.each<[string, Schema, unknown, boolean]>([
    ['nullable', { type: 'string', nullable: true }, null, true],
    ['not nullable', { type: 'string' }, null, false],
    ['an exclusive bound', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 1, false],
    ['a pattern with escapes that Unicode mode has not', { type: 'string', pattern: '^\\_\\-$' }, '_-', true],
    ['a hundredth', { type: 'number', multipleOf: 0.01 }, 19.99, true],
    ['no hundredth', { type: 'number', multipleOf: 0.01 }, 19.995, false],
    [
      'a property of every object, absent',
      { type: 'object', properties: { constructor: { type: 'string' as const } } },
      {},
      true,
    ],
    ['a property of every object, required', { type: 'object', required: ['toString'] }, {}, false],
    ['bytes', { type: 'string', format: 'binary' }, Buffer.from('x'), true],
    ['a text for bytes', { type: 'string', format: 'binary' }, 'x', true],
    ['a number for bytes', { type: 'string', format: 'binary' }, 5, false],
    [
      'a property named $ref',
      { type: 'object', properties: { $ref: { type: 'integer' } } },
      { $ref: 'x' },
      false,
    ],
  ])('a value is checked: %s', async (_, schema, value, isValid) => {
    const schemas = await schemasOf({})
    expect(schemas.check(schema, value).length === 0).toBe(isValid)
  })

  test('a value gets the defaults that it lacks', async () => {
    const schemas = await schemasOf({
      A: { type: 'object', properties: { b: ref('B') } },
      B: { type: 'object', properties: { n: { type: 'integer', default: 3 } } },
    })
    const value = { b: {} }
    expect(schemas.check(ref('A'), value)).toEqual([])
    expect(value).toEqual({ b: { n: 3 } })
  })
})

describe('of alternatives', () => {
  const all = {
    Parcel: {
      type: 'object',
      required: ['street'],
      properties: { street: { type: 'string' }, floors: { type: 'integer', default: 0 } },
    },
    Letter: {
      type: 'object',
      required: ['box'],
      properties: { box: { type: 'string' }, urgent: { type: 'boolean', default: false } },
      additionalProperties: false,
    },
    Drone: { type: 'object', required: ['roof'], properties: { roof: { type: 'integer', default: 1 } } },
  }
  test.each<[string, Schema]>([
    ['oneOf', { oneOf: [ref('Parcel'), ref('Letter')] }],
    ['anyOf', { anyOf: [ref('Parcel'), ref('Letter')] }],
    ['oneOf written in place', { oneOf: [all.Parcel, all.Letter] } as Schema],
    ['oneOf of oneOf', { oneOf: [{ oneOf: [ref('Parcel'), ref('Letter')] }, { type: 'integer' }] }],
    ['not', { not: ref('Parcel'), allOf: [ref('Letter')] }],
  ])('%s: a value gets the defaults of its own alternative, and of no other', async (_, schema) => {
    const schemas = await schemasOf(all)
    const value = { box: '12' }
    expect(schemas.check(schema, value)).toEqual([])
    expect(value).toEqual({ box: '12', urgent: false })
  })

  test('alternatives with the same faults name each fault once', async () => {
    const schemas = await schemasOf(all)
    expect(schemas.check({ anyOf: [ref('Letter'), all.Letter as Schema] }, {})).toEqual([
      { path: '/box', message: 'is required' },
      { path: '', message: 'must have one of the forms that are allowed here' },
    ])
  })

  const base = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } }
  const kinds = {
    Cat: { allOf: [base, { properties: { lives: { type: 'integer', default: 9 } } }] },
    Dog: { allOf: [base, { properties: { pack: { type: 'integer' } } }] },
  }
  const alternatives: Schema = {
    oneOf: [ref('Cat'), ref('Dog')],
    discriminator: { propertyName: 'kind', mapping: { hound: '#/components/schemas/Dog' } },
  }
  test.each([
    ['a name of the mapping', { kind: 'hound', pack: 3 }, { kind: 'hound', pack: 3 }],
    ['the name of a schema', { kind: 'Cat' }, { kind: 'Cat', lives: 9 }],
  ])('%s says which of several alike alternatives a value is', async (_, value, filled) => {
    const schemas = await schemasOf(kinds)
    expect(schemas.check(alternatives, value)).toEqual([])
    expect(value).toEqual(filled)
  })

  test('the refusal of a value has only the faults of the alternative that it names', async () => {
    const schemas = await schemasOf(kinds)
    expect(schemas.check(alternatives, { kind: 'hound', pack: 'x' })).toEqual([
      { path: '/pack', message: 'must be integer' },
    ])
  })

  test('a value that names none of several alike alternatives is refused', async () => {
    const schemas = await schemasOf(kinds)
    for (const kind of ['bird', 'toString', ''])
      expect(schemas.check(alternatives, { kind })).toEqual([
        { path: '', message: 'must have just one of the forms that are allowed here, and has several' },
      ])
  })

  test('trees of alternatives are judged in no more than the square of their depth', async () => {
    const schemas = await schemasOf({
      Leaf: { type: 'object', required: ['leaf'], properties: { leaf: { type: 'integer', default: 1 } } },
      Branch: {
        type: 'object',
        required: ['next'],
        properties: { next: ref('Tree'), size: { type: 'integer', default: 1 } },
      },
      Tree: { oneOf: [ref('Leaf'), ref('Branch')] },
    })
    let tree: object = { leaf: 1 }
    for (let depth = 0; depth < 60; depth++) tree = { next: tree }
    expect(schemas.check(ref('Tree'), tree)).toEqual([]) // by all ways it would take for ever
    expect(JSON.stringify(tree).match(/"size":1/g)).toHaveLength(60)
  })
})

test.each(['oneOf', 'anyOf'])(
  '%s of what has the same members, nested deeply, is judged at once',
  async keyword => {
    const part = (name: string) => ({
      type: 'object',
      properties: { next: ref('Tree'), [name]: { type: 'integer', default: 1 } },
      required: [name],
    })
    const schemas = await schemasOf({ A: part('a'), B: part('b'), Tree: { [keyword]: [ref('A'), ref('B')] } })
    let tree: unknown = 'x'
    for (let depth = 0; depth < 30; depth++) tree = { next: tree, a: 1 }
    // By all ways it would take for ever.
    expect(schemas.check(ref('Tree'), tree)).toContainEqual({
      path: '/next'.repeat(30),
      message: 'must be object',
    })
  },
)

describe('what is only read or only written', () => {
  const Id = { type: 'string', readOnly: true }
  const shapes: [string, Record<string, object>][] = [
    [
      'a property',
      {
        Pet: {
          type: 'object',
          properties: { id: Id, secret: { writeOnly: true } },
          required: ['id', 'secret', 'name'],
        },
      },
    ],
    [
      'a component',
      {
        Id,
        Secret: { writeOnly: true },
        Pet: { properties: { id: ref('Id'), secret: ref('Secret') }, required: ['id', 'secret', 'name'] },
      },
    ],
    [
      'one part of a whole, required by another',
      {
        Base: { properties: { id: Id, secret: { writeOnly: true } } },
        Pet: { allOf: [ref('Base'), { required: ['id', 'secret', 'name'] }] },
      },
    ],
  ]
  test.each(shapes)('a property that is only read or only written is not missed: %s', async (_, all) => {
    const schemas = await schemasOf(all)
    const missed = (direction: 'request' | 'response') =>
      schemas
        .check(ref('Pet'), {}, direction)
        .map(({ path }) => path)
        .sort()
    expect(missed('request')).toEqual(['/name', '/secret'])
    expect(missed('response')).toEqual(['/id', '/name'])
  })
})

test.each<[string, Schema, unknown]>([
  ['must have at least 1 character', { type: 'string', minLength: 1 }, ''],
  ['must have at most 2 characters', { type: 'string', maxLength: 2 }, 'abc'],
  ['must not be blank', { type: 'string', pattern: '\\S' }, ' '],
  ['must not be blank', { type: 'string', pattern: '^(?!\\s*$).+' }, ' '],
  ['must have the form ^[a-z]+$', { type: 'string', pattern: '^[a-z]+$' }, '1'],
  ['must be one of a, b', { type: 'string', enum: ['a', 'b'] }, 'c'],
  ['must be a date (YYYY-MM-DD)', { type: 'string', format: 'date' }, '2026-02-30'],
  [
    'must be a date and time (RFC 3339, as 2026-01-31T12:00:00Z)',
    { type: 'string', format: 'date-time' },
    '2026-01-31',
  ],
  ['must be a UUID', { type: 'string', format: 'uuid' }, 'x'],
  ['must be a UUID', { type: 'string', format: 'uuid' }, 'urn:uuid:7f8a1f9e-5b0c-4f4e-9f55-3a2b1c0d9e8f'],
  ['must be a number that 32 bits hold', { type: 'number', format: 'float' }, 1e39],
  ['must be a whole number of 32 bits', { type: 'integer', format: 'int32' }, 2 ** 40],
  ['must be at least 1', { type: 'integer', minimum: 1 }, 0],
  ['must be at most 9', { type: 'integer', maximum: 9 }, 10],
  ['must be more than 1', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 1],
  ['must be less than 9', { type: 'integer', maximum: 9, exclusiveMaximum: true }, 9],
  ['must be a multiple of 5', { type: 'integer', multipleOf: 5 }, 4],
  ['must have at least 2 items', { type: 'array', items: {}, minItems: 2 }, [1]],
  ['must have at most 1 item', { type: 'array', items: {}, maxItems: 1 }, [1, 2]],
  ['must not hold an item twice', { type: 'array', items: {}, uniqueItems: true }, [1, 1]],
  ['must have at least 1 property', { type: 'object', minProperties: 1 }, {}],
  ['must have at most 1 property', { type: 'object', maxProperties: 1 }, { a: 1, b: 2 }],
  ['must not have the form that is excluded here', { not: { type: 'integer' } }, 1],
  [
    'must have just one of the forms that are allowed here, and has several',
    { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    1,
  ],
])('a fault says in words what is wanted: %s', async (message, schema, value) => {
  const schemas = await schemasOf({})
  expect(schemas.check(schema, value)).toContainEqual({ path: '', message })
})

test.each<[string, Schema]>([
  ['items', { items: { type: 'string' } }],
  ['items by reference', { items: ref('Name') }],
  ['uniqueItems', { items: {}, uniqueItems: true }],
])(
  'the items of a list that is too long are not checked, those of a shorter list are: %s',
  async (_, keywords) => {
    const schemas = await schemasOf({ Name: { type: 'string' } })
    const list: Schema = { type: 'array', maxItems: 2, ...keywords }
    const messagesFor = (value: unknown) => schemas.check(list, value).map(({ message }) => message)
    expect(messagesFor(['a', 'b'])).toEqual([])
    expect(messagesFor([1, 1])).not.toEqual([])
    expect(messagesFor([1, 1, 1])).toEqual(['must have at most 2 items'])
  },
)

test('what is readOnly never comes with a request, neither sent nor by a default', async () => {
  const isAdmin = { type: 'boolean', readOnly: true, default: false }
  const schemas = await schemasOf({
    Person: {
      type: 'object',
      required: ['name', 'isAdmin'],
      properties: { name: { type: 'string' }, isAdmin },
    },
    Team: { type: 'object', properties: { people: { type: 'array', items: ref('Person') } } },
  })
  const team = { people: [{ name: 'a' }, { name: 'b', isAdmin: true }] }
  expect(schemas.check(ref('Team'), team)).toEqual([])
  expect(team).toEqual({ people: [{ name: 'a' }, { name: 'b' }] })
  expect(schemas.check(ref('Team'), { people: [{ name: 'a', isAdmin: 1 }] })).toHaveLength(1)
  const reply = { name: 'a', isAdmin: true }
  expect(schemas.check(ref('Person'), reply, 'response')).toEqual([])
  expect(reply).toEqual({ name: 'a', isAdmin: true })
})
