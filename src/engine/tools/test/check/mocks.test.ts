import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { checkMock } from 'spec-served-lab/support/checked-mock'
import { runScript } from 'spec-served-lab/support/command'
import { modelFrom } from 'spec-served-lab/support/model'
import { expect, onTestFinished, test } from 'vitest'
import { identifierIn } from '../../check/sending.ts'

const json = (schema: object, more: object = {}) => ({ 'application/json': { schema, ...more } })
const ok = (schema: object, more: object = {}) => ({ description: 'Yes', content: json(schema, more) })
const no = (schema?: object) => ({ description: 'No', ...(schema && { content: json(schema) }) })
const body = (schema: object, type = 'application/json') => ({
  required: true,
  content: { [type]: { schema } },
})
const path = (name: string, schema: object = { type: 'string' }) => ({
  in: 'path',
  name,
  required: true,
  schema,
})
const text = { type: 'string' }
const book = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer' }, title: { type: 'string', minLength: 1, maxLength: 20 } },
}
const named = { ...book, properties: { ...book.properties, id: { type: 'string' } } }
const draft = { ...book, required: ['title'], properties: { title: book.properties.title } }
const record = (name: string, more: object = {}) => ({
  get: { parameters: [path(name)], responses: { 200: ok(book), 404: no(), ...more } },
  delete: { parameters: [path(name)], responses: { 204: { description: 'Gone' }, 404: no() } },
})

/** Paths of documents, by what is special about them, and what stands beside the paths. */
const kinds: Record<string, { paths: object; [name: string]: unknown }> = {
  'a form, whose values are texts': {
    paths: {
      '/search': {
        post: {
          requestBody: body(
            {
              type: 'object',
              required: ['criteria'],
              properties: {
                criteria: text,
                start: { type: 'integer' },
                names: { type: 'array', items: text },
              },
            },
            'application/x-www-form-urlencoded',
          ),
          responses: { 200: ok({ type: 'object' }), 400: no() },
        },
      },
    },
  },
  'refusals that are not all declared': {
    paths: {
      '/books': {
        get: {
          parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer', maximum: 5 } }],
          responses: { 200: ok({ type: 'array', items: book }), 403: no() },
        },
      },
      '/books/{id}': {
        get: { parameters: [path('id', { type: 'integer' })], responses: { 200: ok(book), 403: no() } },
      },
    },
  },
  'a form of refusals that tells no message': {
    paths: {
      '/books': {
        post: {
          requestBody: body(draft),
          responses: {
            201: ok(book),
            422: {
              description: 'No',
              headers: { 'X-Node': { required: true, schema: text } },
              content: {
                'application/scim+json': {
                  schema: {
                    type: 'object',
                    required: ['schemas'],
                    properties: { schemas: { type: 'array', minItems: 1, items: { enum: ['urn:error'] } } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  'an example of problems that has the status of one of them': {
    paths: {
      '/books': {
        post: {
          requestBody: body(draft),
          responses: {
            201: ok(book),
            '4XX': {
              description: 'No',
              content: {
                'application/problem+json': {
                  schema: {
                    type: 'object',
                    required: ['status', 'instances'],
                    properties: { status: { type: 'integer' }, instances: { type: 'array', minItems: 1 } },
                  },
                  example: { status: 409, instances: [1] },
                },
              },
            },
          },
        },
      },
    },
  },
  'an API key that is a parameter, too': {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: '0x-key' } } },
    paths: {
      '/books': {
        get: {
          parameters: [{ in: 'header', name: '0x-key', required: true, schema: text }],
          responses: { 200: ok({ type: 'array', items: book }) },
        },
      },
    },
  },
  'two kinds of records whose parameters have one name': {
    paths: {
      '/v1/books': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/v1/books/{id}': record('id'),
      '/v2/books': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/v2/books/{id}': record('id'),
    },
  },
  'records within records, and names that are written in two ways': {
    paths: {
      '/shelves': {
        post: {
          responses: { 201: ok({ type: 'object', required: ['shelf_id'], properties: { shelf_id: text } }) },
        },
      },
      '/shelves/{shelfId}': {
        get: {
          parameters: [path('shelfId')],
          responses: { 200: ok({ type: 'object', properties: { shelf_id: text } }), 404: no() },
        },
      },
      '/shelves/{shelfId}/books': {
        post: { parameters: [path('shelfId')], requestBody: body(draft), responses: { 201: ok(book) } },
      },
      '/shelves/{shelfId}/books/{book-id}': {
        get: { parameters: [path('shelfId'), path('book-id')], responses: { 200: ok(book), 404: no() } },
      },
    },
  },
  'a record with a list in it, and a file of another type below': {
    paths: {
      '/books': {
        post: {
          requestBody: body(draft),
          responses: {
            200: ok({ ...book, properties: { ...book.properties, tags: { type: 'array', items: text } } }),
          },
        },
      },
      '/books/{id}': {
        get: {
          parameters: [path('id')],
          responses: {
            200: ok(
              { ...book, properties: { ...book.properties, tags: { type: 'array', items: text } } },
              { example: { id: 7, title: 'Emma', tags: ['a'] } },
            ),
            404: no(),
          },
        },
        delete: { parameters: [path('id')], responses: { 204: { description: 'Gone' }, 404: no() } },
      },
      '/books/{id}/{format}': {
        get: { parameters: [path('id'), path('format')], responses: { 200: ok(text) } },
      },
    },
  },
  'records that are wrapped, and hold others with an identifier of their own': {
    paths: {
      '/books': {
        post: {
          requestBody: body(draft),
          responses: {
            200: ok({
              type: 'object',
              required: ['book'],
              properties: {
                book: {
                  ...book,
                  properties: {
                    ...book.properties,
                    tags: { type: 'array', items: { type: 'object', properties: { bookId: text } } },
                  },
                },
              },
            }),
          },
        },
      },
      '/books/{bookId}': {
        get: {
          parameters: [path('bookId')],
          responses: { 200: ok({ type: 'object', required: ['book'], properties: { book } }), 404: no() },
        },
      },
    },
  },
  'reads that demand a header field': {
    paths: {
      '/books': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/books/{id}': {
        get: {
          parameters: [
            path('id'),
            { in: 'header', name: 'X-Version', required: true, schema: { enum: ['2025'] } },
          ],
          responses: { 200: ok(book), 404: no() },
        },
      },
    },
  },
  'successes of a range': {
    paths: {
      '/books': { post: { requestBody: body(draft), responses: { '2XX': ok(book) } } },
      '/books/{id}': { get: { parameters: [path('id')], responses: { '2XX': ok(book), default: no() } } },
    },
  },
  'a pattern that only older regular expressions take': {
    paths: {
      '/books/{version}': {
        get: {
          parameters: [path('version', { type: 'string', pattern: '^[0-9]+(\\-alpha)?$' })],
          responses: { 200: ok(book) },
        },
      },
      '/copies/{code}': {
        get: {
          parameters: [path('code', { type: 'string', pattern: '[a-f0-9]{12}$' })],
          responses: { 200: ok(book) },
        },
      },
    },
  },
  'a parameter that holds an object in another': {
    paths: {
      '/books': {
        get: {
          parameters: [
            {
              in: 'query',
              name: 'filter',
              schema: { type: 'object', properties: { title: text, place: { type: 'object' } } },
            },
            { in: 'query', name: 'order', schema: { enum: ['up', 'down'] } },
          ],
          responses: { 200: ok({ type: 'array', items: book }) },
        },
      },
    },
  },
  'an operation that is open, or asks for a credential': {
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/books': { get: { security: [{}, { token: [] }], responses: { 200: ok(book), 404: no() } } },
      '/own': { get: { security: [{ token: [] }], responses: { 200: ok(book), 401: no() } } },
    },
  },
  'parameters that hold no null and no empty list, and pages in an object': {
    paths: {
      '/books': {
        get: {
          parameters: [
            { in: 'query', name: 'max', schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
            { in: 'query', name: 'least', schema: { type: ['integer', 'null'] } },
            {
              ...{ in: 'query', name: 'ids', explode: false },
              schema: { type: 'array', items: { type: 'string', format: 'uuid' } },
            },
            {
              ...{ in: 'query', name: 'page', style: 'deepObject' },
              schema: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
            },
            { in: 'query', name: 'order', schema: { enum: ['up', 'down'] } },
          ],
          responses: { 200: ok({ type: 'array', items: book }) },
        },
        post: { requestBody: body(draft), responses: { 201: ok(book) } },
      },
      '/books/{id}': record('id'),
    },
  },
  'a form that need not be sent, with a property that must': {
    paths: {
      '/books': {
        post: {
          requestBody: {
            ...body(
              { type: 'object', required: ['name'], properties: { name: text } },
              'application/x-www-form-urlencoded',
            ),
            required: false,
          },
          responses: { 201: ok(book) },
        },
      },
    },
  },
  'changes that know no missing record': {
    paths: {
      '/books': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/books/{id}': {
        ...record('id'),
        put: { parameters: [path('id')], requestBody: body(draft), responses: { 200: ok(book) } },
      },
    },
  },
  'two names for a record that is made, and one that holds another': {
    paths: {
      '/invites': {
        post: {
          requestBody: body({
            type: 'object',
            required: ['name', 'host'],
            properties: { name: text, host: book },
          }),
          responses: {
            201: ok({
              ...{ type: 'object', required: ['id', 'name', 'host'] },
              properties: { id: text, name: text, host: book },
            }),
          },
        },
      },
      '/invites/{inviteId}': { delete: { parameters: [path('inviteId')], responses: { 204: no() } } },
      '/invites/{token}': {
        get: {
          parameters: [path('token')],
          responses: {
            200: ok(
              { type: 'object', required: ['name'], properties: { name: text } },
              { example: { name: 'Emma' } },
            ),
            404: no(),
          },
        },
      },
    },
  },
  'records of one of several shapes': {
    paths: {
      '/books': {
        post: {
          requestBody: body(draft),
          responses: { 201: ok({ oneOf: [named, { ...named, required: ['id', 'title', 'isbn'] }] }) },
        },
      },
      '/books/{bookId}': {
        get: {
          parameters: [path('bookId')],
          responses: {
            200: ok({ oneOf: [named, { ...named, required: ['id', 'title', 'isbn'] }] }),
            404: no(),
          },
        },
      },
    },
  },
  'a name in a path that has two characters at least, and versions that a HEAD does not know': {
    paths: {
      '/books/{name}': {
        get: {
          parameters: [
            path('name', { type: 'string', minLength: 2 }),
            { in: 'header', name: 'If-None-Match', schema: text },
          ],
          responses: {
            200: { ...ok(book), headers: { ETag: { schema: text } } },
            304: { description: 'Known' },
          },
        },
        head: {
          parameters: [path('name', { type: 'string', minLength: 2 })],
          responses: { 200: { description: 'Yes' } },
        },
        post: {
          parameters: [path('name'), { in: 'header', name: 'If-Match', schema: text }],
          responses: { 201: ok(book), 412: no() },
        },
      },
    },
  },
  'a path that holds a mark for the direction of writing': {
    paths: {
      '/books\u200e': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/books\u200e/{id}': record('id'),
    },
  },
  'a list that is longer than a URL may be': {
    paths: {
      '/books': {
        get: {
          parameters: [
            {
              ...{ in: 'query', name: 'titles' },
              schema: { type: 'array', maxItems: 900, items: { type: 'string', minLength: 9 } },
            },
          ],
          responses: { 200: ok({ type: 'array', items: book }) },
        },
      },
    },
  },
  'a list that is asked for the records of another one': {
    paths: {
      '/readers': { post: { requestBody: body(draft), responses: { 201: ok(book) } } },
      '/readers/{id}': { get: { parameters: [path('id', text)], responses: { 200: ok(book) } } },
      '/loans': {
        get: {
          parameters: [{ in: 'query', name: 'reader', required: true, schema: text }],
          responses: {
            200: ok({ type: 'array', items: { ...book, properties: { id: text, reader: text } } }),
          },
        },
        post: {
          requestBody: body({ type: 'object', required: ['reader'], properties: { reader: text } }),
          responses: { 201: ok({ ...book, properties: { id: text, reader: text } }) },
        },
      },
      '/loans/{loanId}': { get: { parameters: [path('loanId', text)], responses: { 200: ok(book) } } },
    },
  },
  'a POST that does something with a record, and an identifier that is shown as what it names': {
    paths: {
      '/loans': {
        post: {
          requestBody: body({ type: 'object', required: ['reader'], properties: { reader: text } }),
          responses: { 201: ok({ ...book, properties: { id: text, reader: { type: 'object' } } }) },
        },
      },
      '/loans/{id}': {
        get: { parameters: [path('id', text)], responses: { 200: ok(book) } },
        post: {
          parameters: [path('id', text)],
          requestBody: body({
            type: 'object',
            required: ['state'],
            properties: { state: { enum: ['extend'], type: 'string' } },
          }),
          responses: { 200: ok({ ...book, properties: { id: text, state: { enum: ['extend', 'lent'] } } }) },
        },
      },
    },
  },
  'a HEAD that declares the body of a refusal': {
    paths: {
      '/books/{id}': {
        head: {
          parameters: [path('id', { type: 'integer', maximum: 9 })],
          responses: { 200: { description: 'Yes' }, 400: no({ type: 'object' }) },
        },
      },
    },
  },
}

test.each(Object.entries(kinds))(
  'the mock of a document with %s passes the check, which reaches all of it',
  async (_, parts) => {
    const document = { openapi: '3.1.0', info: { title: 'Library', version: '1' }, ...parts }
    const { faults, silent } = await checkMock('', await modelFrom(document), {
      seconds: 30,
      requests: 3_000,
    })
    expect(faults.map(({ operation, message }) => `${operation}: ${message}`)).toEqual([])
    expect(silent).toEqual([])
  },
)

test('a record whose identifier no path can hold is not asked for', () => {
  const endpoint = {
    makes: 'id',
    path: '/users',
    method: 'POST',
    responses: new Map(),
    success: 201,
    gives: {},
  }
  const identified = (id: string) =>
    // The rest of an endpoint and of a reply does not count for this.
    identifierIn({ endpoint, reply: { status: 201, headers: {}, body: { id } } } as never)
  expect(['', '.', '..', 'a.b'].map(identified)).toEqual([undefined, undefined, undefined, 'a.b'])
})

test('an operation that demands two credentials in one header field is left out, and reported', async () => {
  const model = await modelFrom({
    ...{ openapi: '3.0.3', info: { title: 'Users', version: '1' }, security: [{ key: [], token: [] }] },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    paths: {
      '/users': { get: { operationId: 'listUsers', responses: { 200: ok({ type: 'array', items: book }) } } },
    },
  })
  const { faults, promises } = await checkMock('', model, { seconds: 30, requests: 500 })
  expect(faults).toEqual([])
  expect(promises.flatMap(({ why }) => why)).toContain(
    'listUsers demands two credentials in one place, which no request can hold',
  )
})

test('the check of a mock by its URL takes its mark for no fault of a document that declares all its header fields', async () => {
  const file = 'spec/openapi.yaml'
  const model = modelOf((await readDocument(file)).document)
  const source = await readFile(file, 'utf8')
  const { faults, sent } = await checkMock(source, model, { seconds: 120, requests: 150 }, true)
  expect(sent).toBeGreaterThan(100)
  expect(faults).toEqual([])
})

test('the command for public documents reports how each mock did, and why not all was reached', async () => {
  const directory = temporaryDirectory()
  onTestFinished(() => rm(directory, { recursive: true }))
  const operations = {
    post: { operationId: 'addBook', requestBody: body(draft), responses: { 201: ok(book) } },
    delete: { operationId: 'removeBooks', responses: { 405: no() } },
  }
  const document = { openapi: '3.1.0', info: { title: 'Library', version: '1' } }
  const save = (name: string, more: object) =>
    writeFile(join(directory, name), JSON.stringify({ ...document, ...more }))
  await save('a__library__books.json', { paths: { '/books': operations } })
  await save('b__library__books.json', { paths: { '/books': operations }, security: [{ key: [] }] })
  const { code, stdout } = await runScript('src/engine/lab/cli.ts', ['try:mocks', directory])
  expect(stdout).toMatch(
    /a\/library books\.json: 0 faults, \d+ requests to 2 operations in \d+ s, 1 never answered 2xx \(1: the document has no success\)/,
  )
  expect(stdout).toMatch(/b\/library books\.json: refused at books.json:1: There is no security scheme key/)
  expect(stdout).toMatch(/Of 2 documents the mocks of 1 pass, 0 have faults, and 1 can’t be served or asked/)
  expect(code).toBe(1)
})
