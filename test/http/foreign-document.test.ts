import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { modelOf } from '../../src/document/model.ts'
import { readValue } from '../../src/document/read.ts'
import { sendError } from '../../src/engine/replies/errors.ts'
import { createAjv } from '../../src/engine/requests/json-schema.ts'
import { type AnyHandler, bindOperations, type Execute } from '../../src/engine/routes/binding.ts'

const schemas = {
  Node: {
    type: 'object',
    required: ['weight'],
    additionalProperties: false,
    properties: {
      weight: { type: 'number', minimum: 0, exclusiveMinimum: true, example: 1 },
      note: { type: 'string', nullable: true, xml: { name: 'n' } },
      children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
    example: { weight: 1 },
  },
  Cat: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['Cat'] }, lives: { type: 'integer' } },
  },
  Dog: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['Dog'] }, tricks: { type: 'integer' } },
  },
  Herd: { type: 'array', uniqueItems: true, items: {} },
  Animal: {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName: 'kind', mapping: { Cat: '#/components/schemas/Cat' } },
  },
}

const body = (name: string) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})
const responses = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'Foreign', version: '1' },
  paths: {
    '/nodes': { post: { operationId: 'addNode', requestBody: body('Node'), responses } },
    '/animals': { post: { operationId: 'addAnimal', requestBody: body('Animal'), responses } },
    '/herds': { post: { operationId: 'addHerd', requestBody: body('Herd'), responses } },
  },
  components: { schemas },
}
const echo: AnyHandler = async ({ body }) => ({ status: 200, body })

// Handlers that only echo need nothing of the context.
const withoutContext: Execute = (_id, _request, _body, run) => run({} as never)

async function boot(source: object, handlers: Record<string, AnyHandler>, checked = {}) {
  const app = Fastify()
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  const { document } = await readValue(source, 'foreign')
  await bindOperations(app, modelOf(document), handlers, withoutContext, 1_000_000, checked)
  await app.ready()
  return app
}

describe('an ordinary OpenAPI 3.0 document boots unmodified', () => {
  test.each([
    ['/nodes', { weight: 0.1, note: null, children: [{ weight: 2, children: [] }] }, 200],
    ['/nodes', { weight: 0 }, 400],
    ['/nodes', { weight: 1, note: 5 }, 400],
    ['/nodes', { weight: 1, children: [{ weight: 0 }] }, 400],
    ['/nodes', { weight: 1, children: [{ weight: 1, colour: 'red' }] }, 400],
    ['/animals', { kind: 'Cat', lives: 9 }, 200],
    ['/animals', { kind: 'Dog', tricks: 'many' }, 400],
    ['/animals', { kind: 'Cow' }, 400],
    ['/herds', [1, '1', true, null, [1], ['1'], { a: 1 }, { a: '1' }, {}, []], 200],
    ['/herds', [{ a: 1, b: [{ c: 1, d: 2 }] }, 0, { b: [{ d: 2, c: 1 }], a: 1 }], 400],
    ['/herds', ['a', 'b', 'a'], 400],
    ['/herds', [0, 0], 400],
  ])('POST %s %j answers %i', async (url, payload, status) => {
    const app = await boot(document, { addNode: echo, addAnimal: echo, addHerd: echo })
    const response = await app.inject({ method: 'POST', url, payload })
    expect(response.statusCode).toBe(status)
    if (status === 200) expect(response.json()).toEqual(payload)
    await app.close()
  })

  test('many items that must be unique are not each compared with each other one', () => {
    const validate = createAjv().compile(schemas.Herd)
    const items = Array.from({ length: 15_000 }, (_, i) => ({ i }))
    const begun = process.cpuUsage()
    expect(validate(items)).toBe(true)
    expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000)
  })

  test('200 operations that share a schema of 60 properties boot within seconds', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`p${i}`, { type: 'string', maxLength: i }]),
    )
    const ids = Array.from({ length: 200 }, (_, i) => `operation${i}`)
    const many = {
      ...document,
      paths: Object.fromEntries(
        ids.map(id => [`/${id}`, { post: { operationId: id, requestBody: body('Big'), responses } }]),
      ),
      components: { schemas: { Big: { type: 'object', properties } } },
    }
    const handlers = Object.fromEntries(ids.map(id => [id, echo]))
    const app = await boot(many, handlers)
    expect(
      (await app.inject({ method: 'POST', url: '/operation199', payload: { p1: 'ab' } })).statusCode,
    ).toBe(400)
    await app.close()
  }, 10_000)
})

describe('handlers that are not the document’s do not boot', () => {
  test('a missing one is named', async () => {
    await expect(boot(document, { addNode: echo, addHerd: echo })).rejects.toThrow('No handler for addAnimal')
  })

  test('one too many is named', async () => {
    const handlers = { addNode: echo, addAnimal: echo, addHerd: echo, addTree: echo }
    await expect(boot(document, handlers)).rejects.toThrow(
      'No operation in the document for the handlers addTree',
    )
  })
})

describe('an operation that asks for a credential', () => {
  const secured = {
    ...document,
    security: [{ Token: [] }],
    components: { ...document.components, securitySchemes: { Token: { type: 'http', scheme: 'bearer' } } },
  }
  const handlers = { addNode: echo, addAnimal: echo, addHerd: echo }

  test('does not boot when nobody checks it, and says what to hand over', async () => {
    await expect(boot(secured, handlers)).rejects.toThrow(
      /addNode, addAnimal, addHerd ask for Token: hand over a checker of that name/,
    )
  })

  test('boots when somebody does', async () => {
    await (await boot(secured, handlers, { Token: echo })).close()
  })
})
