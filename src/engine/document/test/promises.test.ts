import { promiseRules } from 'spec-served-cli/internal/lint/promise-rules'
import { valueRules } from 'spec-served-cli/internal/lint/value-rules'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { violationsOf } from 'spec-served-lab/support/remedies'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const rules = { ...promiseRules, ...valueRules }

const document = `
openapi: 3.0.3
info: { title: T, version: "1" }
servers: [{ url: 'https://{region}.example', variables: { region: { default: eu, enum: [eu, us] } } }]
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      security: [{ ApiKey: [] }]
      responses: { 200: { $ref: '#/components/responses/Pet' } }
    post:
      operationId: addPet
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { 201: { $ref: '#/components/responses/Pet' } }
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { $ref: '#/components/responses/Pet' } }
components:
  securitySchemes: { ApiKey: { type: apiKey, in: header, name: X-API-Key } }
  responses:
    Pet:
      description: an animal
      content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      links: { self: { operationId: getPet, parameters: { petId: '$response.body#/id' } } }
  schemas:
    Pet: { type: object, required: [kind], properties: { id: { type: integer, readOnly: true }, kind: { type: string } } }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }] }
    Some:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat' } }
`

/** Returns the violations of a document after one piece is changed: place, message and remedy. */
async function faultsWith(from: string, to: string): Promise<string[]> {
  expect(document.split(from).length, `${from} is there`).toBeGreaterThan(1)
  const model = await modelFrom(parse(document.replace(from, to)))
  const all = violationsOf(model, rules)
  return [...new Set(all.map(({ violation, text }) => `${violation.place.join('/')} ${text}`))]
}

test('a document whose promises are kept has no faults, and neither has the project’s', async () => {
  expect(await faultsWith('openapi', 'openapi')).toEqual([])
  const model = await ownModel()
  expect(violationsOf(model, rules)).toEqual([])
})

test.each<[string, string, string, RegExp]>([
  ['a link to no operation', 'getPet,', 'findPet,', /links\/self There is no operation findPet/],
  [
    'a link to two',
    ', parameters',
    ", operationRef: '#/paths/~1pets/get', parameters",
    /links\/self A link leads to one operation/,
  ],
  [
    'a link to an operation by a way that ends nowhere',
    'operationId: getPet,',
    "operationRef: '#/paths/~1pets/put',",
    /There is no operation #/,
  ],
  ['a link with a parameter that is not there', 'petId:', 'id:', /getPet has no parameter id/],
  [
    'a link without one that is needed',
    "parameters: { petId: '$response.body#/id' }",
    'description: none',
    /getPet needs petId/,
  ],
  ['a link that takes what the body has not', "id' }", "name' }", /body#\/name is nothing that the body has/],
  [
    'a link with an expression that is none',
    'response.body#/',
    'reply.',
    /\$reply.id is no runtime expression/,
  ],
  [
    'a body that nothing reads',
    '/json',
    '/xml',
    /requestBody\/content\/application\/xml Nothing reads application\/xml/,
  ],
  [
    'a reply that nothing writes',
    "application/json: { schema: { $ref: '#/components/schemas/Pet' } } }\n",
    "text/csv: { schema: { $ref: '#/components/schemas/Pet' } } }\n",
    /Nothing writes text\/csv/,
  ],
  [
    'a body of GET',
    'security: [{ ApiKey: [] }]',
    'requestBody: { content: { application/json: {} } }',
    /requestBody A body of GET means nothing/,
  ],
  [
    'an encoding of what is no form',
    "schema: { $ref: '#/components/schemas/Pet'",
    'encoding: { id: { style: form }',
    /encoding encoding is for forms/,
  ],
  [
    'a security scheme that nobody checks',
    'securitySchemes: {',
    'securitySchemes: { Token: { type: http, scheme: bearer },',
    /securitySchemes\/Token Nobody checks this scheme/,
  ],
  ['a key in another place', 'header', 'query', /securitySchemes\/ApiKey Nobody checks this scheme/],
  ['scopes of a key', ' [] }', ' [read] }', /ApiKey has no scopes/],
  ['a list as deepObject', 'query,', 'query, style: deepObject,', /deepObject is for objects/],
  [
    'a list split at spaces and repeated',
    'query,',
    'query, style: spaceDelimited, explode: true,',
    /spaceDelimited is for lists in one value/,
  ],
  [
    'a property that is neither read nor written',
    'readOnly: true',
    'readOnly: true, writeOnly: true',
    /but not both at once/,
  ],
  [
    'an alternative without a name',
    "$ref: '#/components/schemas/Dog'",
    'type: object',
    /can never be chosen/,
  ],
  ['a discriminator that may be absent', 'kind]', 'id]', /does not require kind/],
  [
    'a mapping to what is no alternative',
    "cat: '#/components/schemas/Cat",
    "cat: '#/components/schemas/Pet",
    /cat is mapped to .*Pet, which is none/,
  ],
  [
    'a format that nothing knows',
    'kind: { type: string',
    'kind: { type: string, format: colour',
    /No value is checked against the format colour/,
  ],
  ['nullable without a type', 'kind: { type: string', 'kind: { nullable: true', /nullable means nothing/],
  [
    'an exclusive bound of nothing',
    'id: { type: integer',
    'id: { type: integer, exclusiveMinimum: true',
    /means nothing without minimum/,
  ],
  ['a variable of a server that is not told of', 'region', 'zone', /names \{zone\}/],
  [
    'a variable whose default is none of its values',
    'default: eu',
    'default: asia',
    /which is none of its values/,
  ],
  [
    'a body of 204',
    "201: { $ref: '#/components/responses/Pet'",
    '204: { description: d, content: { application/json: {} }',
    /204 has no body/,
  ],
])('the lint refuses %s', async (_, from, to, message) => {
  expect((await faultsWith(from, to)).join('\n')).toMatch(message)
})
