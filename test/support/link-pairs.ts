import type { Row } from './pairs.ts'

/** `createThing` tells how to get the thing. */
const link = (part: object = {}) => ({
  'create.responses.201.links': { thing: { operationId: 'getThing', ...part } },
})
const elsewhere = (name: string) => ({
  'create.responses.201.links': {
    thing: { operationRef: `https://${name}.example/openapi.yaml#/paths/~1a/get` },
  },
})
const handing = (parameters: object) => link({ parameters })
const [byId, byName] = [handing({ id: '$response.body#/id' }), handing({ id: '$response.body#/name' })]
const get = {
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  responses: { 200: { description: 'ok' } },
}
const self = (item: string, name: string) => ({
  [`paths./a/{${item}}`]: {
    get: {
      operationId: 'getA',
      parameters: [{ name: item, in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: {
          description: 'ok',
          links: { self: { operationId: 'getA', parameters: { [name]: `$request.path.${item}` } } },
        },
      },
    },
  },
})

/** Links tell clients where to go, but no request that worked fails for lack of one. */
export const linkRows: Record<string, Row[]> = {
  links: [
    ['clients that follow it stand still', link(), {}, 'warning link-removed'],
    ['clients need not follow it', {}, link(), 'info link-added'],
    [
      'where it led is over',
      { ...link(), 'get.deprecated': true, 'get.x-deprecated-sunset': '2026-01-01' },
      { 'get.deprecated': true, 'get.x-deprecated-sunset': '2026-01-01' },
      'info link-removed',
    ],
    ['clients do something else', link(), link({ operationId: 'listThings' }), 'warning link-target-changed'],
    [
      'where it led is over',
      { ...link(), 'get.deprecated': true, 'get.x-deprecated-sunset': '2026-01-01' },
      {
        ...link({ operationId: 'listThings' }),
        'get.deprecated': true,
        'get.x-deprecated-sunset': '2026-01-01',
      },
      'info link-target-changed',
    ],
    ['another service, the same', elsewhere('a'), elsewhere('a')],
    ['clients call another service', elsewhere('a'), elsewhere('b'), 'warning link-target-changed'],
    [
      'told in another way, it is the same',
      link(),
      { 'create.responses.201.links': { thing: { operationRef: '#/paths/~1things~1{id}/get' } } },
    ],
    [
      'where it leads is only renamed',
      link(),
      { ...link({ operationId: 'getIt' }), 'get.operationId': 'getIt' },
      'breaking operation-id-changed',
    ],
    [
      'where it leads only moved',
      { ...link({ operationId: 'a' }), 'paths./a/{id}.get': { operationId: 'a', ...get } },
      { ...link({ operationId: 'a' }), 'paths./b/{id}.get': { operationId: 'a', ...get } },
      'breaking operation-moved',
    ],
    ['clients send another value', byId, byName, 'warning link-value-changed'],
    ['clients do not know what to send', byId, link(), 'warning link-value-removed'],
    ['clients may send it by themselves', link(), byId, 'info link-value-added'],
    ['told by where it stands, it is the same', byId, handing({ 'path.id': '$response.body#/id' })],
    ['a path’s names are only ours', self('id', 'id'), self('thing', 'path.thing')],
    [
      'clients send another body',
      link({ requestBody: '$response.body' }),
      link({ requestBody: '$request.body' }),
      'warning link-value-changed',
    ],
    [
      'clients do not know what to send',
      link({ requestBody: { a: 1 } }),
      link(),
      'warning link-value-removed',
    ],
    [
      'the order of a body means nothing',
      link({ requestBody: { a: 1, b: 2 } }),
      link({ requestBody: { b: 2, a: 1 } }),
    ],
    [
      'clients call another server',
      link(),
      link({ server: { url: 'https://two.example' } }),
      'warning link-server-changed',
    ],
    ['a text', link(), link({ description: 'The thing.' })],
    [
      'what was experimental may change',
      { ...link(), 'create.x-stability': 'experimental' },
      { 'create.x-stability': 'experimental' },
      'info link-removed',
    ],
  ],
}
