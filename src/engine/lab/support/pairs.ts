import type { OpenApi } from 'spec-served-document/types'
import { parse } from 'yaml'

const tiny = parse(`
openapi: 3.0.3
info: { title: Tiny, version: 1.0.0 }
servers:
  - url: https://{region}.example
    variables: { region: { default: eu, enum: [eu, us] } }
security: [{ Key: [] }]
x-rate-limits:
  windows: [{ name: minute, seconds: 60 }]
  plans: { Free: { minute: 60 }, Pro: { minute: 300 }, Big: { custom: true } }
  anonymous: Free
  ban: { refusals: 20, window: minute, seconds: 900 }
x-lifetimes:
  replies: { seconds: 86400 }
x-request-bounds: { bodyValues: 1000 }
paths:
  /things:
    get:
      operationId: listThings
      x-required-scope: read
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
      responses:
        "200":
          description: ok
          headers:
            X-Total: { required: true, schema: { type: integer } }
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } }
        "404":
          description: none
          content: { application/json: { schema: { type: object, properties: { code: { type: string, enum: [a, b] } } } } }
    post:
      operationId: createThing
      requestBody:
        content: { application/json: { schema: { type: object } } }
      responses: { "201": { description: ok } }
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: ok
          content: { application/json: { schema: { type: object } } }
components:
  securitySchemes:
    Key: { type: apiKey, in: header, name: X-API-Key }
    Token: { type: http, scheme: bearer }
  schemas:
    Thing:
      type: object
      properties: { name: { type: string } }
    Cat: { type: object, properties: { kind: { type: string }, claws: { type: integer } }, required: [kind, claws] }
    Dog: { type: object, properties: { kind: { type: string }, tail: { type: string } }, required: [kind, tail] }
    Kitten: { type: object, properties: { kind: { type: string }, claws: { type: integer } }, required: [kind, claws] }
    Named: { type: object, properties: { name: { type: string } }, required: [name] }
    Chain: { type: object, properties: { next: { $ref: "#/components/schemas/Chain" }, value: { type: integer } } }
    Ring:
      type: object
      properties:
        next: { type: object, properties: { next: { $ref: "#/components/schemas/Ring" }, value: { type: integer } } }
        value: { type: integer }
    Tree:
      type: object
      properties: { children: { type: array, items: { $ref: "#/components/schemas/Tree" } } }
`)

const call = ['paths', '/things', 'post', 'callbacks', 'done', '{$request.body#/url}', 'post']

/** Names for the places where most changes are made. */
const places: Record<string, string[]> = {
  call,
  sent: [...call, 'requestBody', 'content', 'application/json', 'schema'],
  answered: [...call, 'responses', '200', 'content', 'application/json', 'schema'],
  list: ['paths', '/things', 'get'],
  create: ['paths', '/things', 'post'],
  get: ['paths', '/things/{id}', 'get'],
  body: ['paths', '/things', 'post', 'requestBody', 'content', 'application/json', 'schema'],
  reply: ['paths', '/things/{id}', 'get', 'responses', '200', 'content', 'application/json', 'schema'],
  error: ['paths', '/things', 'get', 'responses', '404', 'content', 'application/json', 'schema'],
  limits: ['x-rate-limits'],
  lifetimes: ['x-lifetimes'],
  bounds: ['x-request-bounds'],
}

/** Values by where they go: names with dots between, the first of which may be one of the places. */
export type Changes = Record<string, unknown>

/** A small document with some values put in; `undefined` and null take one out. */
export function tinyDocument(changes: Changes, version = '1.0.0'): OpenApi {
  const document = structuredClone(tiny)
  document.info.version = version
  for (const [path, value] of Object.entries(changes)) {
    const [first = '', ...rest] = path.split('.')
    const names = [...(places[first] ?? [first]), ...rest]
    const last = names.pop() ?? ''
    const parent = names.reduce((node, name) => (node[name] ??= {}), document)
    if (value === undefined || value === null) delete parent[last]
    else parent[last] = structuredClone(value)
  }
  const made = call.reduce((node, name) => node?.[name], document)
  if (made) made.responses = { ...made.responses, 200: { description: 'ok', ...made.responses?.[200] } }
  return document
}
