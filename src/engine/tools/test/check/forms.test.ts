import fc from 'fast-check'
import { createAjv, type Schema, toJsonSchema } from 'spec-served-document/values/json-schema'
import { createSchemas } from 'spec-served-document/values/schemas'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { formsOf } from '../../check/forms.ts'
import { withIdentifiers } from '../../check/requests.ts'
import { valuesOf } from '../../check/values.ts'
import { readInterface, shapeOf } from '../../records/interface.ts'

const model = await ownModel()
const contract = readInterface(model)
const identifiers = new Map([...contract.makers.keys()].map(parameter => [parameter, 1]))

/** Whether a form is about a rule that the document tells in words and in no schema. */
const isTextRule = (name: string) => / (NUL character|byte order mark)$/.test(name)
/** Values as they are before they become text: a parameter of another type shows only there. */
const isText = (name: string) => /^\/(path|query|header)\/.* no (integer|number|boolean)$/.test(name)

describe.each(contract.endpoints)('$id', endpoint => {
  const drawing = {
    model,
    reference: (name: string) => contract.referenceIn(endpoint, name),
  }
  const forms = formsOf(drawing, endpoint)
  const components = {
    components: { schemas: toJsonSchema({ properties: model.document.components?.schemas }) },
  }
  const { components: root } = components as { components: { schemas: { properties: Schema } } }
  const validate = createAjv().compile({
    ...(toJsonSchema(endpoint.request) as Schema), // of an object
    components: { schemas: root.schemas.properties },
  })

  test('has requests in forms that the document allows, and in others', () => {
    for (const { name, valid, override } of forms) {
      if (isText(name) || isTextRule(name)) continue
      const drafts = fc.sample(valuesOf({ ...drawing, override }, endpoint.request, []), {
        seed: 7,
        numRuns: 10,
      })
      for (const draft of drafts) {
        const request = withIdentifiers(draft, identifiers)
        expect(validate(request), `${name}: ${JSON.stringify(request)}`).toBe(valid)
      }
    }
  })
})

test('each constraint of a schema has a form within and one beyond', async () => {
  const schema = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
      legs: { type: 'integer', minimum: 0, maximum: 8, nullable: true },
      kinds: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        items: { enum: ['cat', 'dog', 'owl'] },
      },
    },
  }
  const operation = {
    operationId: 'add',
    responses: { default: { description: 'added' } },
    requestBody: { content: { 'application/json': { schema } } },
  }
  const tiny = {
    openapi: '3.0.3',
    info: { title: '', version: '1' },
    paths: { '/animals': { post: operation } },
  }
  const own = readInterface(await modelFrom(tiny))
  const [endpoint] = own.endpoints
  const forms = endpoint ? formsOf({ model: own.model, reference: () => undefined }, endpoint) : []
  const names = (valid: boolean) => forms.filter(form => form.valid === valid).map(({ name }) => name)
  expect(names(true)).toEqual([
    'any request',
    '/body left out',
    '/body/name any text that fits',
    '/body/name of its least length',
    '/body/name of its greatest length',
    '/body/legs left out',
    '/body/legs null',
    '/body/legs its minimum',
    '/body/legs its maximum',
    '/body/kinds left out',
    '/body/kinds with its fewest items',
    '/body/kinds with its most items',
    '/body/kinds/0 the value cat',
    '/body/kinds/0 the value dog',
    '/body/kinds/0 the value owl',
  ])
  expect(names(false)).toEqual([
    '/query/undeclared not declared',
    '/body null',
    '/body no object',
    '/body/name left out',
    '/body/name null',
    '/body/name no string',
    '/body/name too short',
    '/body/name too long',
    '/body/name against its pattern',
    '/body/name of wide blanks',
    '/body/name with a NUL character',
    '/body/name with a byte order mark',
    '/body/legs no integer',
    '/body/legs below its minimum',
    '/body/legs above its maximum',
    '/body/kinds null',
    '/body/kinds no array',
    '/body/kinds with too few items',
    '/body/kinds with too many items',
    '/body/kinds with an item twice',
    '/body/kinds/0 null',
    '/body/kinds/0 no value of the enumeration',
    '/body/undeclared not declared',
  ])
})

describe('schemas that lead back to themselves', () => {
  const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const endpointWith = async (schemas: Record<string, object>) => {
    const operation = {
      operationId: 'add',
      responses: { default: { description: 'added' } },
      requestBody: { required: true, content: { 'application/json': { schema: named('A') } } },
    }
    const own = await modelFrom({
      openapi: '3.0.3',
      info: { title: '', version: '1' },
      paths: { '/animals': { post: operation } },
      components: { schemas },
    })
    const [endpoint] = readInterface(own).endpoints
    if (!endpoint) throw new Error('There is one')
    return { endpoint, drawing: { model: own, reference: () => undefined } }
  }
  const kinds = Array.from({ length: 8 }, (_, i) => `K${i}`)

  test.each([
    ['a tree', { A: { type: 'object', properties: { a: { type: 'array', items: named('A') } } } }, 12],
    ['a list of lists', { A: { type: 'array', items: named('A') } }, 9],
    [
      'a chain that null ends',
      { A: { type: 'object', nullable: true, required: ['a'], properties: { a: named('A') } } },
      8,
    ],
    [
      'a syntax',
      {
        A: { oneOf: [named('Pair'), { type: 'boolean' }] },
        Pair: { type: 'object', required: ['l', 'r'], properties: { l: named('A'), r: named('A') } },
      },
      4,
    ],
    [
      'a knot of many kinds, each of which may hold all',
      {
        A: named('K0'),
        ...Object.fromEntries(
          kinds.map(kind => [
            kind,
            { type: 'object', properties: Object.fromEntries(kinds.map(name => [name, named(name)])) },
          ]),
        ),
      },
      1_500,
    ],
  ])('%s has requests, and no more forms than can be sent', async (_, schemas, most) => {
    const { endpoint, drawing } = await endpointWith(schemas)
    const forms = formsOf(drawing, endpoint)
    expect(forms.length).toBeLessThanOrEqual(most)
    const check = createSchemas(drawing.model).check
    for (const { name, valid, override } of forms.slice(0, 100)) {
      const drafts = fc.sample(valuesOf({ ...drawing, override }, endpoint.request, []), {
        seed: 7,
        numRuns: 5,
      })
      for (const { body, query } of drafts as { body?: unknown; query: object }[]) {
        const isValid = body !== undefined && check(named('A'), body).length === 0
        expect(isValid && Object.keys(query).length === 0, `${name}: ${JSON.stringify(body)}`).toBe(valid)
      }
    }
  })

  test('a recursive schema without a value is reported', async () => {
    const { endpoint, drawing } = await endpointWith({
      A: { type: 'object', required: ['a'], properties: { a: named('A') } },
    })
    expect(() => valuesOf(drawing, endpoint.request, [])).toThrow('No request is ever complete')
  })
})

test('random values keep keywords that only foreign documents have', async () => {
  const text = { type: 'string' }
  const schemas = {
    Dependent: {
      type: 'object',
      properties: { card: text, name: text, street: text },
      dependentRequired: { card: ['name'], name: ['street'] },
    },
    Contained: { type: 'array', items: { type: 'integer' }, contains: { const: 7 } },
    Placed: { type: 'array', prefixItems: [text, { type: 'boolean' }], minItems: 2 },
    Priced: { type: 'number', multipleOf: 0.25, minimum: 1, maximum: 9 },
    Conditional: {
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: ['cat', 'dog'] }, claws: { type: 'integer' } },
      if: { properties: { kind: { const: 'cat' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['claws'] },
    },
  }
  const info = { title: '', version: '1' }
  const own = await modelFrom({ openapi: '3.1.0', info, paths: {}, components: { schemas } })
  const { check } = createSchemas(own)
  for (const name of Object.keys(schemas)) {
    const schema = { $ref: `#/components/schemas/${name}` }
    const values = fc.sample(valuesOf({ model: own, reference: () => undefined }, schema, ['body']), {
      seed: 7,
      numRuns: 60,
    })
    const isWrong = (value: unknown) => check(schema, structuredClone(value)).length > 0
    expect(values.filter(isWrong), name).toEqual([])
    expect(new Set(values.map(value => JSON.stringify(value))).size, name).toBeGreaterThan(5)
  }
})

test('a schema of several parts has the properties of all, and needs what each needs', async () => {
  const part = (name: string) => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string' } },
  })
  const own = await modelFrom({ openapi: '3.0.3', info: { title: '', version: '1' }, paths: {} })
  const shape = shapeOf(own, {
    allOf: [part('name'), { allOf: [part('legs')] }],
    required: ['kind'],
  } as Schema)
  expect(Object.keys(shape.properties ?? {}).sort()).toEqual(['legs', 'name'])
  expect(shape.required?.toSorted()).toEqual(['kind', 'legs', 'name'])
})
