/** A document of another trade, and what a team would write first. */
export interface OwnDocument {
  name: string
  /** the file beside this one, or its text */
  source: { file: string } | { text: string }
  /** commands before it is put in place */
  before?: readonly string[]
  /** a request that a mock answers, and what its reply has */
  mocked: { path: string; headers?: Record<string, string>; keyIn?: string; shows: RegExp }
  /** a request that is refused, and what its reply has in the document's own form */
  refused: { path: string; status: number; shows: RegExp }
  /** the handler that is written: in place of its stub in a file */
  handler: { file: string; stub: string; code: string }
  /** what is left then, at the end of the check's list: operations and what checks credentials */
  left: number
}

const widgets = 120

/** 120 operations without security, whose errors are problems (RFC 9457). */
function manyOperations(): string {
  const problem = { $ref: '#/components/schemas/Problem' }
  const errors = { description: 'Refused', content: { 'application/problem+json': { schema: problem } } }
  const paths = Object.fromEntries(
    Array.from({ length: widgets }, (_, index) => [
      `/machines/${index}/readings`,
      {
        get: {
          operationId: `listReadings${index}`,
          tags: [`Hall ${index % 6}`],
          summary: `List the readings of machine ${index}`,
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } }],
          responses: {
            200: {
              description: 'Readings',
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Reading' } },
                },
              },
            },
            default: errors,
          },
        },
      },
    ]),
  )
  const schemas = {
    Reading: {
      type: 'object',
      required: ['celsius'],
      properties: { celsius: { type: 'number', minimum: -50, maximum: 500, example: 21.5 } },
    },
    Problem: {
      type: 'object',
      required: ['title', 'status'],
      properties: {
        type: { type: 'string', format: 'uri' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string' },
      },
    },
  }
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Machine hall', version: '4.0.0' },
    paths,
    components: { schemas },
  })
}

/** With a bearer token, with none and errors of its own, and with keys, plans and windows of its own. */
export const ownDocuments: readonly OwnDocument[] = [
  {
    name: 'lending.yaml',
    source: { file: '../support/lending.yaml' },
    mocked: { path: '/books', headers: { authorization: 'Bearer any' }, shows: /"Emma"/ },
    refused: { path: '/books', status: 401, shows: /"unauthenticated"/ },
    handler: {
      file: 'src/handlers/books.ts',
      stub: `export const listBooks: Handler<'list-books'> = stub('list-books')`,
      code: `export const listBooks: Handler<'list-books'> = async () => ({ status: 200, body: [] })`,
    },
    left: 4,
  },
  {
    name: 'machines.json',
    source: { text: manyOperations() },
    mocked: { path: '/machines/7/readings', shows: /"celsius":21\.5/ },
    refused: { path: '/machines/7/readings?limit=0', status: 400, shows: /"title":"Bad Request"/ },
    handler: {
      file: 'src/handlers/hall-1.ts',
      stub: `export const listReadings7: Handler<'listReadings7'> = stub('listReadings7')`,
      code: `export const listReadings7: Handler<'listReadings7'> = async () => ({ status: 200, body: [{ celsius: 20 }] })`,
    },
    left: widgets - 1,
  },
  {
    name: 'courier.yaml',
    source: { file: 'courier.yaml' },
    before: ['npm run add-limits -- --spec courier.yaml --write'],
    mocked: { path: '/parcels/7', keyIn: 'x-client-key', shows: /"Rex"/ },
    refused: { path: '/parcels/7', status: 401, shows: /"code":"unauthenticated"/ },
    handler: {
      file: 'src/handlers/parcels.ts',
      stub: `export const getParcel: Handler<'getParcel'> = stub('getParcel')`,
      code: `export const getParcel: Handler<'getParcel'> = async ({ path }) => ({
  status: 200,
  body: { id: path.parcelId, to: 'Rex' },
})`,
    },
    left: 0,
  },
]
