import { bodyOf, inPath, inQuery, type Make, replies } from './make.ts'
import { program } from './program.ts'

const schema = { type: 'string', format: 'uri', readOnly: true }
const fields = {
  name: { type: 'string', minLength: 1, maxLength: 30 },
  seats: { type: 'integer', format: 'int64', minimum: 1, maximum: 500 },
  kind: { type: 'string', enum: ['meeting', 'lab'] },
}
const objectOf = (properties: object, required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties: { $schema: schema, ...properties },
  required,
})
const room = { $ref: '#/components/schemas/Room' }
const refusals = {
  default: {
    description: 'Error',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ErrorModel' } } },
  },
}
const byId = { parameters: [inPath('room-id', { type: 'string', maxLength: 20 })] }
const draft = bodyOf({ $ref: '#/components/schemas/RoomBody' })

/** Rooms, as huma writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Rooms', version: '1.0.0' },
  components: {
    schemas: {
      RoomBody: objectOf(fields, Object.keys(fields)),
      Room: objectOf({ id: { type: 'string' }, ...fields }, ['id', ...Object.keys(fields)]),
      Rooms: objectOf({ items: { type: ['array', 'null'], items: room }, next: { type: 'string' } }, [
        'items',
      ]),
      ErrorModel: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          status: { type: 'integer', format: 'int64' },
          detail: { type: 'string' },
        },
      },
    },
  },
  paths: {
    '/rooms': {
      get: {
        operationId: 'list-rooms',
        parameters: [
          inQuery('limit', { type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 20 }),
          inQuery('cursor', { type: 'string' }),
        ],
        responses: { 200: replies('OK', { $ref: '#/components/schemas/Rooms' }), ...refusals },
      },
      post: {
        operationId: 'create-room',
        requestBody: draft,
        responses: { 201: replies('Created', room), ...refusals },
      },
    },
    '/rooms/{room-id}': {
      get: {
        operationId: 'get-room',
        ...byId,
        responses: { 200: replies('OK', room), 404: refusals.default, ...refusals },
      },
      put: {
        operationId: 'replace-room',
        ...byId,
        requestBody: draft,
        responses: { 200: replies('OK', room), 404: refusals.default, ...refusals },
      },
      delete: {
        operationId: 'delete-room',
        ...byId,
        responses: { 204: { description: 'No Content' }, 404: refusals.default, ...refusals },
      },
    },
  },
}

export const rooms: Make = {
  document,
  auth: [],
  faults: {
    'unknown property': /^create-room: \/body\/undeclared not declared: an invalid request was answered 201/,
    'too many seats': /^create-room: \/body\/seats above its maximum: an invalid request was answered 201/,
    'problem of another status': /^create-room: .*the error says 400 and the reply 422/,
    'failure for nobody': /^get-room: .* 500/,
    'removed is listed': /^list-rooms: it lists r\d+, which was removed and is not found/,
  },
  start: fault => program('go', ['run', 'rooms.go', fault ?? '']),
}
