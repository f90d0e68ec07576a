import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { misjudged } from 'spec-served-lab/support/compile'
import { serve } from 'spec-served-lab/support/engine'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { schemaTypes } from '../generate/schema-types.ts'
import { misnamedIn } from '../lint/discriminators.ts'

const directory = sharedOutput()

/** Writes the types of a document, and compiles a use of them. */
async function compiled(document: object, use: string, side: 'handlers' | 'clients' = 'handlers') {
  const types = await schemaTypes((await modelFrom(document)).document, side)
  await writeFile(join(directory, 'schema.ts'), types)
  return misjudged(directory, `import type * as own from './schema.ts'\n${use}\nexport {}\n`)
}

const users = parse(`
openapi: 3.1.0
info: { title: Users, version: "1" }
paths:
  /users:
    put:
      operationId: put
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } } }
  /teams:
    post:
      operationId: post
      requestBody: { $ref: "#/components/requestBodies/Team" }
      responses: { "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Team" } } } } }
  /sessions:
    post:
      operationId: open
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Login" } } } }
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Key" } } } } } }
  /lines:
    get:
      operationId: lines
      responses: { "200": { description: ok, content: { application/jsonl: { schema: { type: array, items: { $ref: "#/components/schemas/User" } } } } } }
webhooks:
  added:
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses: { "204": { description: ok } }
components:
  requestBodies:
    Team: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Team" } } } }
  schemas:
    Id: { type: integer, readOnly: true }
    UserSent: { type: string }
    Named: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } }
    User:
      type: object
      required: [id, name, password]
      properties: { id: { $ref: "#/components/schemas/Id" }, name: { type: string }, since: { type: string, readOnly: true }, password: { type: string, writeOnly: true } }
    Team:
      allOf:
      - { $ref: "#/components/schemas/Named" }
      - type: object
        required: [users, lead]
        properties:
          id: { readOnly: true }
          users: { type: array, items: { $ref: "#/components/schemas/User" } }
          lead: { oneOf: [{ $ref: "#/components/schemas/User" }, { $ref: "#/components/schemas/Key" }] }
          parent: { $ref: "#/components/schemas/Team" }
    Key: { type: object, required: [key], properties: { key: { type: string }, password: { type: string }, secret: { type: string, writeOnly: true } } }
    Login: { type: object, required: [password], properties: { password: { type: string, writeOnly: true } } }
`)

test('a request’s type has no readOnly properties and a reply’s has no writeOnly ones, however deep they are', async () => {
  const use = `
type Sent<Id extends 'put' | 'post' | 'open'> = own.operations[Id]['requestBody']['content']['application/json']
const user: Sent<'put'> = { name: 'n', password: 'p' }
const noPassword: Sent<'put'> = { name: 'n' } // wrong
const withId: Sent<'put'> = { id: 1, name: 'n', password: 'p' } // wrong
const team: Sent<'post'> = { name: 't', users: [user], lead: user, parent: { name: 'u', users: [], lead: { key: 'k', secret: 's' } } }
const teamWithId: Sent<'post'> = { id: 1, name: 't', users: [user], lead: user } // wrong
const login: Sent<'open'> = { password: 'p' }
const noLogin: Sent<'open'> = {} // wrong
const asIs: own.UserSent = 'its own schema'
const shown: own.operations['put']['responses'][200]['content']['application/json'] = { id: 1, name: 'n' }
const leaky: own.User = { id: 1, name: 'n', password: 'p' } // wrong
const noId: own.User = { name: 'n' } // wrong
const shownTeam: own.Team = { id: 1, name: 't', users: [shown], lead: { key: 'k', password: 'is shown' } }
const leakyTeam: own.Team = { id: 1, name: 't', users: [{ id: 1, name: 'n', password: 'p' }], lead: shown } // wrong
const told: own.webhooks['added']['post']['requestBody']['content']['application/json'] = { id: 1, name: 'n' }
export { asIs, leaky, leakyTeam, login, noId, noLogin, noPassword, shownTeam, team, teamWithId, told, withId }`
  expect(await compiled(users, use)).toEqual([])
  expect(await compiled(users, use, 'clients')).toEqual([])
})

test('the server takes readOnly properties out of requests and writeOnly ones out of replies', async () => {
  let read: unknown
  const user = Object.freeze({ id: 1, name: 'n', password: 'p' })
  const team = { id: 1, name: 't', users: [user], lead: { key: 'k', password: 'is shown', secret: 's' } }
  const key = { key: 'k', password: 'is shown', secret: 's', toJSON: () => ({ key: 'j', secret: 's' }) }
  const app = await serve(users, {
    put: async ({ body }) => {
      read = body
      return { status: 200, body: user }
    },
    post: async ({ body }) => {
      read = body
      return { status: 201, body: { ...team, parent: { ...team, lead: user } } }
    },
    open: async () => ({
      status: 200,
      body: JSON.stringify([key]),
      headers: { 'Content-Type': 'application/json' },
    }),
    lines: async () => ({
      status: 200,
      body: (async function* () {
        yield user
      })(),
    }),
  })
  const send = async (method: 'PUT' | 'POST' | 'GET', url: string, payload?: object) =>
    (await app.inject({ method, url, ...(payload && { payload }) })).body
  const [shown, lead] = [
    { id: 1, name: 'n' },
    { key: 'k', password: 'is shown' },
  ]
  expect(JSON.parse(await send('PUT', '/users', { ...user, id: 7 }))).toEqual(shown)
  expect(read).toEqual({ name: 'n', password: 'p' })
  expect(JSON.parse(await send('POST', '/teams', { name: 't', users: [user], lead: user }))).toEqual({
    id: 1,
    name: 't',
    users: [shown],
    lead,
    parent: { id: 1, name: 't', users: [shown], lead: shown },
  })
  expect(read).toEqual({
    name: 't',
    users: [{ name: 'n', password: 'p' }],
    lead: { name: 'n', password: 'p' },
  })
  expect(JSON.parse(await send('POST', '/sessions', { password: 'p' }))).toEqual([{ key: 'j' }])
  expect(await send('GET', '/lines')).toBe('{"id":1,"name":"n"}\n')
  expect(user.password).toBe('p')
  await app.close()
})

const choices = parse(`
openapi: 3.0.3
info: { title: Choices, version: "1" }
paths:
  /values:
    post:
      operationId: add
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Value" } } } }
      responses: { "204": { description: ok } }
components:
  schemas:
    A: { type: object, required: [type, a], properties: { type: { type: integer }, a: { type: string } } }
    B: { type: object, required: [type, b], properties: { type: { type: integer, enum: [2, 4] }, b: { type: string } } }
    Value:
      oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }]
      discriminator: { propertyName: type, mapping: { "1": "#/components/schemas/A", "2": "#/components/schemas/B" } }
    On: { type: object, required: [is, since], properties: { is: { type: boolean }, since: { type: string } } }
    Off: { type: object, required: [is, why], properties: { is: { type: boolean }, why: { type: string } } }
    State:
      oneOf: [{ $ref: "#/components/schemas/On" }, { $ref: "#/components/schemas/Off" }]
      discriminator: { propertyName: is, mapping: { "true": "#/components/schemas/On", "false": "#/components/schemas/Off" } }
    Cat: { type: object, required: [kind, lives], properties: { kind: { type: string }, sort: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
    Ship: { type: object, required: [kind], properties: { kind: { type: string }, sort: { type: string } } }
    Pet:
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
      discriminator: { propertyName: kind, mapping: { cat: "#/components/schemas/Cat" } }
    Toy:
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Ship" }]
      discriminator: { propertyName: kind, mapping: { plush: "#/components/schemas/Cat", ship: "#/components/schemas/Ship" } }
    Thing:
      anyOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Ship" }]
      discriminator: { propertyName: sort }
    Event: { type: object, required: [name], properties: { name: { type: string, enum: [made, sold, lost] } }, discriminator: { propertyName: name, mapping: { made: "#/components/schemas/Made", sold: "#/components/schemas/Sold" } } }
    Made: { allOf: [{ $ref: "#/components/schemas/Event" }, { type: object, properties: { by: { type: string } } }] }
    Sold: { allOf: [{ $ref: "#/components/schemas/Made" }, { type: object, properties: { to: { type: string } } }] }
`)

test('the server takes writeOnly properties without a name of their own out of replies', async () => {
  const [secret, shown] = [{ type: 'string', writeOnly: true }, { type: 'string' }]
  const app = await serve(
    {
      openapi: '3.1.0',
      info: { title: 'A', version: '1' },
      paths: Object.fromEntries(
        Object.entries({
          pattern: { patternProperties: { '^(a|b)+$': secret, '^c': shown } },
          rest: { properties: { c: shown }, additionalProperties: secret },
          alike: { properties: { ab: secret }, patternProperties: { ab: true } },
        }).map(([operationId, schema]) => {
          const content = { 'application/json': { schema: { type: 'object', ...schema } } }
          return [
            `/${operationId}`,
            { get: { operationId, responses: { 200: { description: 'ok', content } } } },
          ]
        }),
      ),
    },
    {
      pattern: async () => ({ status: 200, body: { ab: 's', c: 'c' } }),
      rest: async () => ({ status: 200, body: { ab: 's', c: 'c' } }),
      alike: async () => ({ status: 200, body: { ab: 's', c: 'c' } }),
    },
  )
  for (const url of ['/pattern', '/rest', '/alike'])
    expect((await app.inject(url)).json()).toEqual({ c: 'c' })
  await app.close()
})

test('a discriminator’s values have the type of their property, whichever discriminators choose a schema', async () => {
  const use = `
const values: own.Value[] = [{ type: 1, a: 'x' }, { type: 2, b: 'x' }, { type: 4, b: 'x' }]
const text: own.Value = { type: '1', a: 'x' } // wrong
const other: own.Value = { type: 2, a: 'x' } // wrong
const stateOf = (state: own.State): string => (state.is ? state.since : state.why)
const cat: own.Pet = { kind: 'cat', lives: 9 }
const dog: own.Pet = { kind: 'Dog' }
const plush: own.Toy = { kind: 'plush', lives: 9 }
const noPet: own.Pet = { kind: 'plush', lives: 9 } // wrong
const either: own.Cat[] = [{ kind: 'cat', sort: 'Cat', lives: 9 }, { kind: 'plush', sort: 'Cat', lives: 9 }]
const livesOf = (toy: own.Toy): number => (toy.kind === 'plush' ? toy.lives : toy.kind.length)
const thing: own.Thing = { sort: 'Cat', kind: 'cat', lives: 9 }
const noThing: own.Thing = { sort: 'Dog', kind: 'cat', lives: 9 } // wrong
const sold: own.Sold = { name: 'sold', by: 'me', to: 'you' }
const made: own.Made[] = [{ name: 'made' }, sold]
const notMade: own.Sold = { name: 'made' } // wrong
export { cat, dog, either, livesOf, made, noPet, notMade, noThing, other, plush, stateOf, text, thing, values }`
  expect(await compiled(choices, use)).toEqual([])
})

test('the server chooses by a discriminator’s number as well', async () => {
  const app = await serve(choices, { add: async () => ({ status: 204 }) })
  const add = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/values', payload })).json()
  expect(
    (await app.inject({ method: 'POST', url: '/values', payload: { type: 1, a: 'x' } })).statusCode,
  ).toBe(204)
  expect(await add({ type: 1, b: 'x' })).toMatchObject({
    details: [{ path: '/a', message: 'is required' }],
  })
  await app.close()
})

test('names in a mapping by which no value can be sent are named', async () => {
  const { schemas } = choices.components
  const mapping = {
    cat: '#/components/schemas/A',
    3: '#/components/schemas/B',
    no: '#/components/schemas/Closed',
  }
  const Closed = { type: 'object', additionalProperties: false }
  const oneOf = [...schemas.Value.oneOf, { $ref: '#/components/schemas/Closed' }]
  const model = await modelFrom({
    ...choices,
    components: {
      schemas: { ...schemas, Closed, Value: { oneOf, discriminator: { propertyName: 'type', mapping } } },
    },
  })
  expect(misnamedIn(model).map(({ place: at, message }) => `${at.at(-1)}: ${message}`)).toEqual([
    'cat: No value chooses A by the name cat: it takes type as integer.',
    '3: No value chooses B by the name 3: it takes no type but 2, 4.',
    'no: No value chooses Closed by the name no: it takes no type.',
  ])
})
