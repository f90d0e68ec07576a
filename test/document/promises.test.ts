import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { promiseRules } from '../../scripts/document/promise-rules.ts'
import { valueRules } from '../../scripts/document/value-rules.ts'
import { modelFrom, ownModel } from '../support/model.ts'
import { breachesOf } from '../support/remedies.ts'

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

/** What the rules say against a document of which one piece is written otherwise: place, words and what to do. */
async function faultsWith(from: string, to: string): Promise<string[]> {
  expect(document.split(from).length, `${from} is there`).toBeGreaterThan(1)
  const model = await modelFrom(parse(document.replace(from, to)))
  const all = breachesOf(model, rules)
  return [...new Set(all.map(({ breach, text }) => `${breach.at.join('/')} ${text}`))]
}

test('a document whose promises are kept has no faults, and neither has the project’s', async () => {
  expect(await faultsWith('openapi', 'openapi')).toEqual([])
  const own = await ownModel()
  expect(breachesOf(own, rules)).toEqual([])
})

test.each<[string, string, string, RegExp]>([
  [
    'a call back',
    'operationId: addPet',
    "operationId: addPet, callbacks: { done: { '{$request.body#/kind}': { post: { responses: { 200: { description: ok } } } } } }",
    /callbacks.done Nobody makes this call/,
  ],
  [
    'a link to no operation',
    'operationId: getPet, parameters',
    'operationId: findPet, parameters',
    /links\/self There is no operation findPet/,
  ],
  [
    'a link to two',
    '{ operationId: getPet, parameters',
    "{ operationId: getPet, operationRef: '#/paths/~1pets/get', parameters",
    /links\/self A link leads to one operation/,
  ],
  [
    'a link to an operation by a way that ends nowhere',
    'operationId: getPet, parameters',
    "operationRef: '#/paths/~1pets/put', parameters",
    /There is no operation #/,
  ],
  [
    'a link with a parameter that is not there',
    "petId: '$response",
    "id: '$response",
    /getPet has no parameter id/,
  ],
  [
    'a link without one that is needed',
    "parameters: { petId: '$response.body#/id' }",
    'description: none',
    /getPet needs petId/,
  ],
  [
    'a link that takes what the body has not',
    "#/id' }",
    "#/name' }",
    /body#\/name is nothing that the body has/,
  ],
  [
    'a link with an expression that is none',
    '$response.body#/id',
    '$reply.id',
    /\$reply.id is no runtime expression/,
  ],
  [
    'a body that nothing reads',
    'requestBody: { content: { application/json',
    'requestBody: { content: { application/xml',
    /requestBody\/content\/application\/xml Nothing reads application\/xml/,
  ],
  [
    'a reply that nothing writes',
    "content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }\n      links",
    "content: { text/csv: { schema: { $ref: '#/components/schemas/Pet' } } }\n      links",
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
    "{ application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }\n      responses",
    '{ application/json: { encoding: { id: { style: form } } } } }\n      responses',
    /encoding encoding is for forms/,
  ],
  [
    'a security scheme that nobody checks',
    'securitySchemes: {',
    'securitySchemes: { Token: { type: http, scheme: bearer },',
    /securitySchemes\/Token Nobody checks this scheme/,
  ],
  [
    'a key in another place',
    'apiKey, in: header',
    'apiKey, in: query',
    /securitySchemes\/ApiKey Nobody checks this scheme/,
  ],
  ['scopes of a key', 'ApiKey: [] }', 'ApiKey: [read] }', /ApiKey has no scopes/],
  [
    'an empty value',
    'name: tags, in: query,',
    'name: tags, in: query, allowEmptyValue: true,',
    /allowEmptyValue OpenAPI will drop/,
  ],
  [
    'a default of what is required',
    'name: tags, in: query, schema: {',
    'name: tags, in: query, required: true, schema: { default: [],',
    /its default means nothing/,
  ],
  [
    'a list as deepObject',
    'name: tags, in: query,',
    'name: tags, in: query, style: deepObject,',
    /deepObject is for objects/,
  ],
  [
    'a list split at spaces and repeated',
    'name: tags, in: query,',
    'name: tags, in: query, style: spaceDelimited, explode: true,',
    /spaceDelimited is for lists in one value/,
  ],
  [
    'a property that is neither read nor written',
    'readOnly: true',
    'readOnly: true, writeOnly: true',
    /and not both/,
  ],
  [
    'readOnly on what is no property',
    'Pet: { type: object,',
    'Pet: { type: object, readOnly: true,',
    /on a property only/,
  ],
  [
    'a discriminator that decides nothing',
    "      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]\n",
    '',
    /put it beside those/,
  ],
  [
    'an alternative without a name',
    "{ $ref: '#/components/schemas/Dog' }]\n",
    '{ type: object }]\n',
    /can never be chosen/,
  ],
  ['a discriminator that may be absent', 'required: [kind]', 'required: [id]', /does not require kind/],
  [
    'a mapping to what is no alternative',
    "cat: '#/components/schemas/Cat'",
    "cat: '#/components/schemas/Pet'",
    /cat is mapped to .*Pet, which is none/,
  ],
  [
    'a format that nothing knows',
    'kind: { type: string',
    'kind: { type: string, format: colour',
    /Nothing is held against the format colour/,
  ],
  ['nullable without a type', 'kind: { type: string', 'kind: { nullable: true', /nullable means nothing/],
  [
    'an exclusive bound of nothing',
    'id: { type: integer',
    'id: { type: integer, exclusiveMinimum: true',
    /means nothing without minimum/,
  ],
  ['XML', 'kind: { type: string', 'kind: { type: string, xml: { attribute: true }', /No XML/],
  ['a variable of a server that is not told of', '{region}', '{zone}', /names \{zone\}/],
  [
    'a variable whose default is none of its values',
    'default: eu',
    'default: asia',
    /which is none of its values/,
  ],
  [
    'servers of one operation',
    'operationId: getPet\n',
    'operationId: getPet\n      servers: [{ url: / }]\n',
    /served at one place/,
  ],
  [
    'a status that is not final',
    'responses: { 201:',
    'responses: { 103: { description: d }, 201:',
    /a final status/,
  ],
  [
    'a body of 204',
    "responses: { 201: { $ref: '#/components/responses/Pet' } }",
    'responses: { 204: { description: d, content: { application/json: {} } } }',
    /204 has no body/,
  ],
])('the lint refuses %s', async (_, from, to, told) => {
  const by = from === 'operationId: addPet' ? to.replace(', ', '\n      ') : to
  expect((await faultsWith(from, by)).join('\n')).toMatch(told)
})
