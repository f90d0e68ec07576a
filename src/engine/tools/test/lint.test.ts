import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { runScript } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'

const directory = sharedDirectory()
const file = join(directory, 'api.yaml')
const at = relative('.', file)

/** A team's document: it has no `x-rate-limits`. */
const books = `openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        '200':
          description: Books
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } }
components:
  schemas:
    Book: { type: object, properties: { id: { type: integer }, year: { type: integer } } }
`

const lint = async (text: string, ...args: string[]) => {
  await writeFile(file, text)
  return runScript('lint', [file, ...args])
}

test('lint says what it read of a team’s document, and that nothing is wrong', async () => {
  expect(await lint(books)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: `${at}: OpenAPI 3.1, 1 operation, 1 schema: nothing is wrong\n`,
  })
})

test.each([
  [
    'a default that does not fit',
    'year: { type: integer }',
    'year: { type: integer, default: old }',
    ':13:87 note #/components/schemas/Book/properties/year/default The default "old" does not fit its schema',
  ],
  [
    'limits that no value keeps',
    'year: { type: integer }',
    'year: { type: integer, minimum: 9, maximum: 2 }',
    '#/components/schemas/Book/properties/year/minimum No value fits: minimum is 9, and maximum is 2. Correct one of them.',
  ],
  [
    'a property that says itself that it is required',
    'year: { type: integer }',
    'year: { type: integer, required: true }',
    'write `required: [year]` beside `properties`',
  ],
  [
    'a misspelt format',
    'year: { type: integer }',
    'year: { type: string, format: datetime }',
    'write date-time.',
  ],
  [
    'a pattern between slashes',
    'year: { type: integer }',
    "year: { type: string, pattern: '/^[a-z]+$/i' }",
    'write "^[a-z]+$".',
  ],
  [
    'a required property whose name is misspelt',
    'year: { type: integer }',
    'nested: { type: object, required: [yaer], properties: { year: { type: integer } } }',
    'yaer is required, and no property has this name: write year.',
  ],
  [
    'a server without a scheme',
    'paths:',
    'servers: [{ url: "localhost:3000" }]\npaths:',
    '#/servers/0/url localhost:3000 is read as a path, as it has no scheme: write http://localhost:3000.',
  ],
  [
    'a method that HTTP does not have',
    '    get:',
    '    fetch: {}\n    get:',
    'write a method, such as get, post',
  ],
  [
    'a second server',
    'paths:',
    'servers: [{ url: /v1 }, { url: /v2 }]\npaths:',
    ':3:1 note #/servers Only the server at /v1 is served.',
  ],
  [
    'an example that does not fit',
    "schemas/Book' } } }",
    "schemas/Book' } }, example: [{ id: x }] }",
    'The example does not fit its schema (/0/id must be integer): the mock sends another value.',
  ],
])('lint notes %s, which mock, init or generate note', async (_, from, to, note) => {
  const { code, stdout, stderr } = await lint(books.replace(from, to))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(note)
  expect(stdout).toMatch(/: nothing is wrong, 1 note\n$/)
})

test('lint notes what clients send with a record and no reply shows, but no secret and no call', async () => {
  const post = (operationId: string, sent: string) => `
    post:
      operationId: ${operationId}
      requestBody: { content: { application/json: { schema: { type: object, properties: { ${sent} } } } } }
      responses: { 204: { description: Done } }`
  const text = 'title: { type: string }'
  const add = post('addBook', `year: { type: integer }, ${text}, code: { type: string, writeOnly: true }`)
  const call = `\n  /search:${post('search', text)}`
  const { code, stdout } = await lint(books.replace('\ncomponents:', `${add}${call}\ncomponents:`))
  expect(code).toBe(0)
  expect(stdout).toContain(
    '/properties/title Clients send title with a record, and no reply shows it. Decide: ',
  )
  expect(stdout).toMatch(/: nothing is wrong, 1 note\n$/)
})

test('lint gives programs what it read, the notes and the faults', async () => {
  const { code, stdout } = await lint(books.replace('type: array,', 'type: array, default: 1,'), '--json')
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      document: { file: at, openapi: '3.1.0', operations: 1, schemas: 1 },
      faults: [],
      notes: [expect.objectContaining({ file: at, line: 10, rule: 'note' })],
      fixed: [],
    },
  ])
  const refused = await lint(books.replace('schemas/Book', 'schemas/Boot'), '--json')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({ document: null, faults: [{ line: 10 }], notes: [] })
})

test('lint counts the faults of a document below them', async () => {
  const { code, stderr } = await lint(books.replace('schemas/Book', 'schemas/Boot'))
  expect(code).toBe(1)
  expect(stderr).toMatch(/:10:\d+ .*Boot.*\n.*api\.yaml: 1 fault\n$/)
})

test.each([
  [
    'a tab',
    books.replace('  /books:', '\t/books:'),
    ':4:1 yaml # This line is indented by a tab: use spaces.',
  ],
  [
    'a key that is there twice',
    books.replace('{ title: Books,', '{ title: Books, title: Tomes,'),
    ':2:23 yaml # The key title is there twice in one object, first in line 2: leave one of them out.',
  ],
  [
    'a colon in a text',
    books.replace('description: Books', 'description: Books: all'),
    ':9:24 yaml # This text has “: ” in it, which begins a value: put the text in quotes.',
  ],
  [
    'a version of OpenAPI that is none',
    books.replace('3.1.0', '3.0.33'),
    ':1:1 version #/openapi OpenAPI has no version "3.0.33": write `openapi: 3.0.3`.',
  ],
  [
    'Swagger 2.0',
    'swagger: "2.0"\n',
    `:1:1 version #/swagger This is Swagger 2.0: convert it to OpenAPI 3.0 first, as by \`npx swagger2openapi ${at} --yaml --outfile openapi.yaml\`.`,
  ],
  [
    'a reference to a network',
    books.replace('#/components/schemas/Book', 'https://books.example/book.yaml'),
    `or run \`npx spec-served vendor --spec ${at} --host books.example\`.`,
  ],
])('lint explains %s in one line, with its place and what to do', async (_, text, said) => {
  const { code, stderr } = await lint(text)
  expect(code).toBe(1)
  expect(stderr).toContain(said)
  expect(stderr).toMatch(/^\S+:\d+:\d+ .*\n\S+: 1 fault\n$/)
})

test('lint names a path parameter that is renamed on one side once, with both names', async () => {
  const item = `
  /books/{bookId}:
    parameters: [{ name: book, in: path, required: true, schema: { type: string } }]
    get: { operationId: getBook, responses: { 200: { description: ok } } }
    put: { operationId: putBook, responses: { 200: { description: ok } } }
components:`
  const { stdout } = await lint(books.replace('\ncomponents:', item))
  expect(stdout.split('\n')).toEqual([
    `${at}:12:20 note #/paths/~1books~1{bookId}/parameters/0/name /books/{bookId} has no {book}. It has {bookId}, which no parameter describes: give both one name.`,
    `${at}: OpenAPI 3.1, 3 operations, 1 schema: nothing is wrong, 1 note`,
    '',
  ])
})
