import { Ajv } from 'ajv'
import { echo, serve } from 'spec-served-lab/support/engine'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.restoreAllMocks())

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

async function boot(schemas: object, bodies: readonly string[]) {
  const compile = vi.spyOn(Ajv.prototype, 'compile')
  const operation = (i: number, name: string) => ({
    operationId: `operation${i}`,
    requestBody: { required: true, content: { 'application/json': { schema: reference(name) } } },
    responses: { 200: { description: 'ok' } },
  })
  const paths = bodies.map((name, i) => [`/things${i}/{id}`, { post: withId(operation(i, name)) }])
  const app = await serve(
    {
      openapi: '3.0.3',
      info: { title: 'Growth', version: '1' },
      paths: Object.fromEntries(paths),
      components: { schemas },
    },
    ({ model }) => {
      compile.mockClear() // the contract is made, and the service starts
      return Object.fromEntries(model.operations.map(({ id }) => [id, echo]))
    },
  )
  const post = (i: number, payload: object) => app.inject({ method: 'POST', url: `/things${i}/1`, payload })
  return { app, post, compiled: () => compile.mock.calls.length }
}

const withId = (operation: object) => ({
  ...operation,
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
})

test('1,000 operations over 200 shared schemas compile none at the start, and each once later', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `Thing${i}`)
  const schemas = Object.fromEntries(
    names.map((name, i) => [
      name,
      {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: i + 1 },
          next: reference(names[(i + 1) % 200] ?? name),
          other: { type: 'array', items: reference(names[(i + 7) % 200] ?? name) },
        },
      },
    ]),
  )
  const bodies = Array.from({ length: 1_000 }, (_, i) => `Thing${i % 200}`)
  const { app, post, compiled } = await boot(schemas, bodies)
  expect(compiled()).toBe(0)
  for (const i of bodies.keys()) expect((await post(i, { name: 'a', other: [] })).statusCode).toBe(200)
  // The schemas, and that of the parameter which all operations have.
  expect(compiled()).toBe(201)
  await app.close()
})

test('18 schemas that each name the next twice are compiled once each', async () => {
  const last = 17
  const schemas = Object.fromEntries(
    Array.from({ length: last + 1 }, (_, i) => {
      const next = i < last ? reference(`Level${i + 1}`) : { type: 'integer' }
      return [`Level${i}`, { type: 'object', properties: { left: next, right: next } }]
    }),
  )
  const { app, post, compiled } = await boot(schemas, ['Level0'])
  expect(compiled()).toBe(0)
  const nested = (leaf: unknown) =>
    Array.from({ length: last }).reduce<object>(below => ({ left: {}, right: below }), {
      left: 1,
      right: leaf,
    })
  expect((await post(0, nested(2))).statusCode).toBe(200)
  expect(compiled()).toBeLessThanOrEqual(last + 3)
  const refused = await post(0, nested('two'))
  expect(refused.statusCode).toBe(400)
  expect(refused.json().details[0].path).toBe(`${'/right'.repeat(last)}/right`)
  await app.close()
})
