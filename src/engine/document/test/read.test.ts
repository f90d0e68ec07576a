import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelOf } from '../model.ts'
import { DocumentRefused } from '../reading/fault.ts'
import { parseDocument, readDocument } from '../reading/read.ts'
import { schemasIn } from '../reading/walk.ts'

const head = 'openapi: 3.0.3\ninfo: { title: T, version: "1" }\n'
const ok = 'responses: { "200": { description: ok } }'

/** Reads a document of which only the part below `info` is given. */
const read = (rest: string) => parseDocument(head + rest, 'doc.yaml')

/** Returns the faults of a text: line, column, pointer and message of each. */
async function faultsOf(text: string) {
  try {
    await parseDocument(text, 'doc.yaml')
  } catch (error) {
    if (error instanceof DocumentRefused) return error.faults
    throw error
  }
  return []
}

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-test-document-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function save(files: Record<string, string | Buffer>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  return join(directory, Object.keys(files)[0] ?? '')
}

describe('a document is read', () => {
  test.each([
    ['JSON', JSON.stringify({ openapi: '3.0.0', info: { title: 'T', version: '1' }, paths: {} })],
    ['YAML with a byte order mark', `\uFEFF${head}paths: {}`],
    ['YAML with CRLF', `${head}paths: {}\n`.replaceAll('\n', '\r\n')],
    [
      'statuses written as numbers',
      `${head}paths: { /a: { get: { responses: { 200: { description: ok } } } } }`,
    ],
  ])('as %s', async (_, text) => {
    const file = await save({ 'doc.txt': text })
    expect((await readDocument(file)).document.paths).toBeDefined()
  })

  test('a document with merge keys is read', async () => {
    const { document } = await read(
      `x-a: &shared { type: string, maxLength: 3 }\npaths: {}\ncomponents: { schemas: { A: { <<: *shared, maxLength: 5 } } }`,
    )
    expect(document.components?.schemas?.A).toEqual({ type: 'string', maxLength: 5 })
  })

  test('a document of several files has each part once, however many references lead to it', async () => {
    const file = await save({
      'root.yaml': `${head}paths:
  /a: { $ref: 'paths.yaml#/a' }
  /b: { get: { operationId: b, responses: { "200": { description: ok, content: { application/json: { schema: { $ref: 'schemas.yaml#/Tree' } } } } } } }`,
      'paths.yaml': `a: { get: { operationId: a, responses: { "200": { $ref: 'schemas.yaml#/Answer' } } } }`,
      'schemas.yaml': `Answer: { description: ok, content: { application/json: { schema: { $ref: '#/Tree' } } } }
Tree: { type: object, properties: { branches: { type: array, items: { $ref: '#/Tree' } }, leaf: { $ref: 'leaf.json' } } }`,
      'leaf.json': '{ "type": "string" }',
    })
    const { document } = await readDocument(file)
    expect(document.components?.schemas).toEqual({
      Tree: {
        type: 'object',
        properties: {
          branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          leaf: { $ref: '#/components/schemas/leaf' },
        },
      },
      leaf: { type: 'string' },
    })
    expect(modelOf(document).operations.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('a property named $ref and an example that holds one are data', async () => {
    const { document } = await read(`paths: {}
components:
  schemas:
    Link: { type: object, properties: { $ref: { type: string } }, example: { $ref: nowhere }, default: { $ref: no } }
  examples: { one: { value: { $ref: '#/nowhere' } } }`)
    expect(document.components?.schemas?.Link).toMatchObject({
      properties: { $ref: { type: 'string' } },
      example: { $ref: 'nowhere' },
    })
  })

  test('a reference deeper than a component gets a component of its own', async () => {
    const { document } = await read(`paths:
  /a: { get: { ${ok}, parameters: [{ name: q, in: query, schema: { $ref: '#/components/parameters/P/schema' } }] } }
components:
  parameters: { P: { name: p, in: query, schema: { type: integer } } }
  schemas: { A: { allOf: [{ type: object }, { type: object, properties: { x: { type: string } } }] }, B: { $ref: '#/components/schemas/A/allOf/1' } }`)
    expect(document.components?.schemas).toMatchObject({
      P_schema: { type: 'integer' },
      A_allOf_1: { properties: { x: { type: 'string' } } },
      B: { $ref: '#/components/schemas/A_allOf_1' },
    })
  })

  test('names that JavaScript has for itself stay names', async () => {
    const { document } = await read(
      'paths: {}\ncomponents: { schemas: { __proto__: { type: string }, constructor: { type: object, properties: { __proto__: { type: integer } } } } }',
    )
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(['__proto__', 'constructor'])
  })
})

describe('a node knows its place in the text', () => {
  test('a derived node has the place of its source', async () => {
    const { isWritten, faultAt } = await read(`paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: {} }]
    get: { ${ok} }
    put: { ${ok}, operationId: put }`)
    const [get, put] = ['get', 'put'].map(method => ['paths', '/a/{id}', method])
    expect([get, put].map((path = []) => isWritten([...path, 'operationId']))).toEqual([false, true])
    expect(isWritten([...(get ?? []), 'parameters', '0', 'required'])).toBe(true)
    expect(isWritten([...(get ?? []), 'parameters', '0', 'style'])).toBe(false)
    expect(faultAt([...(get ?? []), 'operationId'], '', '')).toMatchObject({
      line: 6,
      pointer: '#/paths/~1a~1{id}/get',
    })
    expect(faultAt([...(put ?? []), 'parameters', '0', 'style'], '', '')).toMatchObject({
      line: 5,
      pointer: '#/paths/~1a~1{id}/parameters/0',
    })
  })

  test('the reader names all files of a document', async () => {
    const file = await save({
      'whole.yaml': `${head}paths: { /a: { $ref: part.yaml } }`,
      'part.yaml': `get: { ${ok} }`,
    })
    const { files, faultAt } = await readDocument(file)
    expect(files.map(name => resolve(name))).toEqual([file, join(directory, 'part.yaml')])
    expect(faultAt(['paths', '/a', 'get'], '', '').file).toBe(files[1])
  })

  test('an extension in a map is no part of it', async () => {
    const { document } = await read(`paths:
  /a: { get: { responses: { "200": { description: ok, content: { x-note: { schema: { type: string } } } } } } }
components: { schemas: { x-named: { type: object } } }`)
    expect([...schemasIn(document)].map(({ path }) => path.join('/'))).toEqual(['components/schemas/x-named'])
  })
})

describe('normalising gives one form to each meaning', () => {
  test('parameters of a path go into its operations, and an operation’s own parameter wins', async () => {
    const { document } = await read(`paths:
  /a/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - { name: q, in: query, schema: { type: string } }
    get: { ${ok}, parameters: [{ name: q, in: query, schema: { type: integer } }, { name: q, in: header, schema: {} }] }
    put: { ${ok} }`)
    const [get, put] = modelOf(document).operations
    expect(get?.parameters.map(p => [p.in, p.name, p.schema])).toEqual([
      ['query', 'q', { type: 'integer' }],
      ['header', 'q', {}],
      ['path', 'id', { type: 'string' }],
    ])
    expect(put?.parameters).toHaveLength(2)
  })

  test('an operation without an operationId gets a unique one from method and path, with a note', async () => {
    const source = await read(`paths:
  /pets/{petId}: { get: { ${ok}, parameters: [{ name: petId, in: path, required: true, schema: {} }] } }
  /pets/by/petId: { get: { ${ok} } }
  /x: { get: { ${ok}, operationId: getY } }
  /y: { get: { ${ok} } }`)
    expect(modelOf(source.document).operations.map(({ id }) => id)).toEqual([
      'getPetsByPetId',
      'getPetsByPetId2',
      'getY',
      'getY2',
    ])
    expect(source.notes().map(({ message }) => message)).toContain(
      'GET /y has no operationId: it is named getY2. Write a name of your own, as operationId: getY2.',
    )
  })

  test('a security requirement that no request can meet is noted', async () => {
    const source =
      await read(`paths: { /a: { get: { ${ok}, security: [{ Basic: [], Token: [] }, { Token: [], Open: [] }] } } }
components: { securitySchemes: { Basic: { type: http, scheme: Basic }, Token: { type: http, scheme: bearer }, Open: { type: openIdConnect } } }`)
    const notes = source.notes().filter(({ message }) => message.startsWith('Nobody can come in'))
    expect(notes).toMatchObject([
      { pointer: '#/paths/~1a/get/security/0', message: expect.stringContaining('basic and bearer each') },
    ])
  })

  test('certificates come in a header field that a proxy must replace, with a note', async () => {
    const source = await read('paths: {}\ncomponents: { securitySchemes: { Mutual: { type: mutualTLS } } }')
    expect(source.notes()).toMatchObject([
      {
        pointer: '#/components/securitySchemes/Mutual',
        message: expect.stringContaining('Client-Cert, which anybody'),
      },
    ])
  })

  test('a header that refers to a parameter is read as that is described, with a note', async () => {
    const { document, notes } = await read(`paths:
  /a: { get: { responses: { '200': { description: ok, headers: { X-A: { $ref: '#/components/parameters/A' } } } } } }
components: { parameters: { A: { name: X-B, in: header, required: true, schema: { type: integer } } } }`)
    const [response] = Object.values(document.paths['/a']?.get?.responses ?? {})
    expect(response).toMatchObject({ headers: { 'X-A': { required: true, schema: { type: 'integer' } } } })
    expect(notes().map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/leads to a parameter/),
    )
  })

  test('a response header whose name can’t be one is left out, with a note', async () => {
    const responses = '{ "200": { description: ok, headers: { "X Left": {}, X-Left: {} } } }'
    const source = await read(`paths:\n  /a: { get: { responses: ${responses} } }`)
    expect(source.document.paths['/a']?.get?.responses).toEqual({
      200: { description: 'ok', headers: { 'X-Left': {} } },
    })
    expect(source.notes()[0]).toMatchObject({
      line: 4,
      message: 'No header field can be called X Left: it is left out.',
    })
  })

  test('a discriminator by names becomes one by references', async () => {
    const { document } = await read(`paths: {}
components: { schemas: { Cat: { type: object }, Dog: { type: object }, Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind, mapping: { cat: Cat, dog: '#/components/schemas/Dog' } } } } }`)
    expect(document.components?.schemas?.Pet).toMatchObject({
      discriminator: { mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' } },
    })
  })

  test('a discriminator that maps to nothing leaves the choice to the alternatives, with a note', async () => {
    const source = await read(`paths: {}
components: { schemas: { Cat: { type: object }, Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: kind, mapping: { cat: Cat, dog: '#/components/schemas/Dog' } } } } }`)
    expect(source.document.components?.schemas?.Pet).toMatchObject({
      discriminator: { mapping: { cat: '#/components/schemas/Cat' } },
    })
    expect(source.document.components?.schemas?.Pet).not.toHaveProperty('discriminator.mapping.dog')
    expect(source.notes()[0]).toMatchObject({
      line: 4,
      message: expect.stringContaining('Dog leads nowhere'),
    })
  })

  test('a child takes its parent’s own keywords, not the alternatives that include it', async () => {
    const source = await read(`paths: {}
components:
  schemas:
    Pet: { type: object, properties: { kind: { type: string } }, required: [kind], discriminator: { propertyName: kind }, oneOf: [{ $ref: '#/components/schemas/Cat' }] }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { lives: { type: integer } } }] }`)
    expect(source.document.components?.schemas).toMatchObject({
      Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }] },
      Pet_own: { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
      Cat: { allOf: [{ $ref: '#/components/schemas/Pet_own' }, { properties: { lives: {} } }] },
    })
    expect(source.document.components?.schemas?.Pet_own).not.toHaveProperty('oneOf')
    expect(source.notes()[0]).toMatchObject({
      line: 6,
      message: expect.stringContaining('alternatives of Pet'),
    })
  })

  test('a pattern of another language is left out, with a note', async () => {
    const source = await read(
      `paths: {}\ncomponents: { schemas: { A: { type: string, pattern: '\\p{IsWhite_Space}+' } } }`,
    )
    expect(source.document.components?.schemas?.A).toEqual({ type: 'string' })
    expect(source.notes()).toMatchObject([{ line: 4, message: expect.stringContaining('another language') }])
  })

  test('enumeration values that the type excludes are noted, each at its place', async () => {
    const source = await read(`paths: {}
components:
  schemas:
    A: { type: string, nullable: true, enum: [a, null, 1] }
    B: { type: integer, enum: [1, null, '2', 1.5] }
    C: { enum: [1, a, null] }
    D: { type: array, items: {}, enum: [[1], {}] }
    E: { type: object, enum: [{}, []] }
    F: { type: number, enum: [1, 1.5] }`)
    expect(source.notes().map(({ pointer, message }) => [pointer, message])).toEqual([
      ['#/components/schemas/A/enum/2', 'The value 1 can never be: the type is string.'],
      ['#/components/schemas/B/enum/1', 'The value null can never be: nullable: true is missing.'],
      ['#/components/schemas/B/enum/2', 'The value "2" can never be: the type is integer.'],
      ['#/components/schemas/B/enum/3', 'The value 1.5 can never be: the type is integer.'],
      ['#/components/schemas/D/enum/1', 'The value {} can never be: the type is array.'],
      ['#/components/schemas/E/enum/1', 'The value [] can never be: the type is object.'],
    ])
  })

  test('responses by range and default stay', async () => {
    const { document } = await read(
      'paths: { /a: { get: { responses: { "4XX": { description: no }, default: { description: any } } } } }',
    )
    expect(Object.keys(document.paths['/a']?.get?.responses ?? {})).toEqual(['4XX', 'default'])
  })

  test('a parameter gets the style of its place', async () => {
    const { document } = await read(
      `paths: { /a: { get: { ${ok}, parameters: [{ name: a, in: query }, { name: b, in: header, schema: {} }, { name: c, in: cookie, schema: {} }] } } }`,
    )
    expect(modelOf(document).operations[0]?.parameters.map(p => [p.style, p.explode])).toEqual([
      ['form', true],
      ['simple', false],
      ['form', true],
    ])
  })
})

describe('a contradiction, or a path that no router takes, is refused with its place', () => {
  /** Reads a text that has one fault. */
  async function expectFault(text: string, line: number, pointer: string, message: RegExp) {
    const faults = await faultsOf(text)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ file: 'doc.yaml', line, message: expect.stringMatching(message) })
    expect(faults[0]?.pointer).toBe(pointer)
    expect(faults[0]?.column).toBeGreaterThan(0)
  }

  test.each([
    ['Swagger 2.0', 'swagger: "2.0"\n', 1, '#/swagger', /Swagger 2.0/],
    ['OpenAPI 4', 'x-a: 1\nopenapi: 4.0.0\n', 2, '#/openapi', /Only OpenAPI 3.0, 3.1, 3.2/],
    ['a version in two parts', 'openapi: "3.0"\n', 1, '#/openapi', /write `openapi: 3\.0\.3`/],
    ['a version that is a number', 'openapi: 3.0\n', 1, '#/openapi', /write `openapi: 3\.0\.3`/],
    ['a later version that is a number', 'openapi: 3.1\n', 1, '#/openapi', /write `openapi: 3\.1\.0`/],
    ['nothing', '', 1, '#', /no OpenAPI document/],
    ['another kind of document', 'asyncapi: 2.6.0\n', 1, '#', /no field `openapi`: name the file/],
    ['a line without a colon', `${head}paths: {}\ntags\nx-a: 1\n`, 4, '#', /write `name: value`/],
    [
      'a line that is indented further than the one before',
      'openapi: 3.0.3\n   info: { title: a }\n',
      1,
      '#',
      /begin both lines with the same number of spaces/,
    ],
    ['null', 'null', 1, '#', /no OpenAPI document/],
    ['a text', 'Hello', 1, '#', /no OpenAPI document/],
    ['paths of nothing', `${head}paths:\n`, 1, '#', /paths is missing here/],
    [
      'a file of many schemas that is not there',
      `${head}paths: {}\ncomponents: { schemas: { $ref: gone.yaml, A: { $ref: "#/components/schemas/B" } } }`,
      4,
      '#/components/schemas/$ref',
      /can't be read/,
    ],
  ])('%s', (_, text, line, pointer, message) => expectFault(text, line, pointer, message))

  test('broken YAML is refused', async () => {
    expect((await faultsOf('a: [1,\nb: }'))[0]).toMatchObject({ line: 2, pointer: '#' })
  })

  test.each([
    ['a reference that leads nowhere', '{ $ref: "#/components/schemas/B" }', '/$ref', /leads nowhere/],
    ['a reference to the network', '{ $ref: "https://example.org/a.yaml" }', '/$ref', /save it beside/],
    ['a file that is not there', '{ $ref: "gone.yaml" }', '/$ref', /can't be read/],
    ['a reference to itself', '{ $ref: "#/components/schemas/A" }', '/$ref', /only to itself/],
    ['a schema made of itself', '{ allOf: [{ $ref: "#/components/schemas/A" }] }', '', /without end/],
    ['an unknown type', '{ type: text }', '/type', /One of string/],
    ['an unknown type in a list', '{ type: [string, text] }', '/type', /One of string/],
    ['a broken pattern', '{ pattern: "(" }', '/pattern', /regular expression/],
    ['a negative length', '{ maxLength: -1 }', '/maxLength', /from 0/],
    ['a type of another language', '{ type: float }', '/type', /write type: number, format: float\./],
    ['a type in capitals', '{ type: String }', '/type', /write type: string\./],
    ['a type that is a format', '{ type: datetime }', '/type', /write type: string, format: date-time\./],
    ['a number in quotes', '{ maximum: "5" }', '/maximum', /write 5\./],
    ['a length in quotes', '{ maxLength: "10" }', '/maxLength', /write 10\./],
    ['a truth in quotes', '{ exclusiveMinimum: "True" }', '/exclusiveMinimum', /write true\./],
  ])('of a schema: %s', (_, schema, pointer, message) => {
    const text = `${head}paths: {}\ncomponents:\n  schemas:\n    A: ${schema}`
    return expectFault(text, 6, `#/components/schemas/A${pointer}`, message)
  })

  test.each([
    ['Basic', '{ type: http, scheme: basic }'],
    ['openId', '{ type: openIdConnect, openIdConnectUrl: '],
    ['OAuth2', '{ type: oauth2, flows: '],
    ['ApiKeyAuth', '{ type: apiKey, in: header, name: X-API-Key }'],
    ['sessionCookie', '{ type: apiKey, in: cookie, name: session }'],
    ['Token', '{ type: http, scheme: bearer }'],
  ])('a security scheme %s that is not there is told with lines for it', async (name, lines) => {
    const [fault] = await faultsOf(`${head}security: [{ ${name}: [] }]\npaths: {}`)
    expect(fault?.message).toContain(`as in \`${name}: ${lines}`)
  })

  test.each([
    ['a type that there is not', '{ type: basic }', 'type', /write `type: apiKey`/],
    ['a key that is sent nowhere', '{ type: apiKey, name: K }', 'in', /write `in: header`/],
    ['a key that is sent in a body', '{ type: apiKey, name: K, in: body }', 'in', /write `in: header`/],
    ['a key without a name', '{ type: apiKey, in: header }', 'name', /write `name: X-API-Key`/],
    ['a key that no field can hold', '{ type: apiKey, in: header, name: X Key }', 'name', /No header can be/],
    ['a way of HTTP without a name', '{ type: http }', 'scheme', /write `scheme: bearer`/],
    ['a way of HTTP that no field can tell', '{ type: http, scheme: ключ }', 'scheme', /`scheme: bearer`/],
  ])('of a security scheme: %s', (_, scheme, field, message) => {
    const text = `${head}paths: {}\ncomponents: { securitySchemes: { K: ${scheme} } }`
    return expectFault(text, 4, `#/components/securitySchemes/K/${field}`, message)
  })

  const another = 'responses: { "200": { $ref: "#/x-schema" } }'
  const twice = '[{ name: q, in: query }, { name: q, in: query }]'
  test.each([
    ['a reference in the place of responses', 'responses: { $ref: "#/x" }', '/responses/$ref', /./],
    ['a reference to what is not there', another, '/responses/200/$ref', /leads nowhere/],
    ['no response', 'responses: {}', '/responses', /at least one response/],
    ['responses left out', '', '', /responses is missing/],
    ['responses of nothing', 'responses:', '', /responses is missing/],
    ['a status that is none', 'responses: { "2000": { description: x } }', '/responses/2000', /by a status/],
    ['content of nothing', `${ok}, requestBody: { content: }`, '/requestBody', /content is missing/],
    ['the same parameter twice', `${ok}, parameters: ${twice}`, '/parameters/1', /there already/],
    [
      'no such security scheme',
      `${ok}, security: [{ Key: [] }, { Key: [] }]`,
      '/security/0/Key',
      /no security scheme Key, which 2 requirements name: describe it .*, as in `Key: { type: apiKey/,
    ],
    [
      'a name with a colon',
      `${ok}, parameters: [{ in: header, name: "X:Y" }]`,
      '/parameters/0/name',
      /No header/,
    ],
    [
      'a name that is no text',
      `${ok}, parameters: [{ in: header, name: [a] }]`,
      '/parameters/0/name',
      /A text is/,
    ],
    ['no name', `${ok}, parameters: [{ in: header }]`, '/parameters/0', /name is missing/],
  ])('of an operation: %s', (_, operation, pointer, message) =>
    expectFault(`${head}paths:\n  /a: { put: { ${operation} } }`, 4, `#/paths/~1a/put${pointer}`, message),
  )

  const item = (operation = ok) => `{ get: { ${operation} } }`
  test.each([
    [
      'paths that no request can tell apart',
      `/a/{x}: ${item()}\n  /a/{y}: ${item()}`,
      '~1a~1{y}',
      /tell this path/,
    ],
    ['paths that differ in escapes only', `/a%20b: ${item()}\n  /a b: ${item()}`, '~1a b', /No GET can tell/],
    ['no slash', `a: ${item()}`, 'a', /begins with a slash/],
    ['one that clients shorten', `/a/../b: ${item()}`, '~1a~1..~1b', /No client asks for/],
    ['one that clients shorten, escaped', `/%2e/b: ${item()}`, '~1%2e~1b', /No client asks for/],
  ])('of paths: %s', (_, paths, pointer, message) => {
    const line = paths.includes('\n') ? 5 : 4
    return expectFault(`${head}paths:\n  ${paths}`, line, `#/paths/${pointer}`, message)
  })

  test('a reference to a part of another kind is refused', () => {
    const paths = '/a: { get: { responses: { "200": { $ref: "#/components/schemas/A" } } } }'
    return expectFault(
      `${head}paths: { ${paths} }\ncomponents: { schemas: { A: {} } }`,
      3,
      '#/paths/~1a/get/responses/200/$ref',
      /A response is needed/,
    )
  })

  test('a quoted text whose further lines stand no further in than its key is one fault, in a file that is referred to as well', async () => {
    const text = `a:
  title: "one
  two: \\"\\"
  \\"three\\""
  b: { $ref: no }
c:
  - note: 'one

    it''s two' # and a comment
  - 'more
in: here'
d: "goes on
  as it should"
e: [1
`
    await save({ 'part.yaml': text })
    const file = await save({
      'quoted.yaml': `${head}paths: { /a: { $ref: part.yaml }, /b: { $ref: part.yaml } }`,
    })
    const refused: unknown = await readDocument(file).catch(error => error)
    const faults = refused instanceof DocumentRefused ? refused.faults : []
    expect(faults.map(fault => [basename(fault.file), fault.line, fault.column, fault.message])).toEqual([
      [
        ...['part.yaml', 2, 10],
        'The quoted text that begins here goes on in lines 3 to 4, no further in than its key: begin these lines with 3 spaces or more.',
      ],
      [
        ...['part.yaml', 7, 11],
        'The quoted text that begins here goes on in lines 8 to 9, no further in than its key: begin these lines with 5 spaces or more.',
      ],
      [
        ...['part.yaml', 10, 5],
        'The quoted text that begins here goes on in line 11, no further in than its key: begin this line with 3 spaces or more.',
      ],
      [...['part.yaml', 15, 1], expect.stringContaining('Flow sequence')],
    ])
  })

  test('a text without its closing quote is told as that', async () => {
    const faults = await faultsOf(`${head}paths: {}\nx-a: "one\nx-b: "two"\nx-c: 'three'`)
    expect(faults[0]).toMatchObject({ line: 4, message: 'Missing closing "quote' })
  })

  test('a file that is no text is refused', async () => {
    const file = await save({ 'binary.yaml': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]) })
    await expect(readDocument(file)).rejects.toThrow(/binary.yaml:1:1 readable # This is no UTF-8 text/)
  })

  test('a folder and a URL in the place of a file are refused with what to do', async () => {
    await expect(readDocument(directory)).rejects.toThrow(/This is a folder: name the file/)
    await expect(readDocument('https://api.example/openapi.yaml')).rejects.toThrow(
      /save it first, as by `curl -o openapi\.yaml https:\/\/api\.example\/openapi\.yaml`/,
    )
  })

  test('a missing file is refused', async () => {
    await expect(readDocument(join(directory, 'missing.yaml'))).rejects.toThrow(
      /There is no such file: name the one/,
    )
  })

  test.each(['json', 'yaml'])('nesting without end, in %s', async kind => {
    const deep =
      kind === 'json' ? `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}` : `a: ${'['.repeat(30_000)}`
    const faults = await faultsOf(deep)
    expect(faults[0]?.message).toMatch(/nested more than 100 deep/)
  })

  test('all faults come in one run', async () => {
    const faults = await faultsOf(
      `${head}paths:\n  a: { get: { responses: {} } }\ncomponents: { schemas: { A: { type: x }, B: { $ref: "#/no" } } }`,
    )
    expect(faults.map(({ rule }) => rule).sort()).toEqual(['path', 'reference', 'response', 'structure'])
  })
})

test('the author is told that XML is neither read nor written by its schema', async () => {
  const both = `content: { application/json: { schema: { type: object } }, application/xml: { schema: { type: object } } }`
  const { notes } = await read(`paths:
  /a:
    put:
      requestBody: { ${both} }
      responses: { "200": { description: ok, ${both} }, "400": { $ref: "#/components/responses/No" } }
components:
  requestBodies: { Text: { content: { text/xml: { schema: { type: object } } } } }
  responses: { No: { description: no, content: { application/problem+xml: { schema: { type: object } }, text/xml: { schema: { type: string } } } } }`)
  const place = '#/paths/~1a/put'
  const xmlNotes = notes().filter(({ message }) => message.startsWith('XML'))
  expect(xmlNotes.map(({ pointer, message }) => [pointer, message])).toEqual([
    [
      `${place}/requestBody/content/application~1xml`,
      'XML is not read by its schema: the handler gets its bytes, unchecked.',
    ],
    [
      `${place}/responses/200/content/application~1xml`,
      'XML is not written by its schema: the handler gives the text itself.',
    ],
    [
      '#/components/requestBodies/Text/content/text~1xml',
      'XML is not read by its schema: the handler gets its text, unchecked.',
    ],
    [
      '#/components/responses/No/content/application~1problem+xml',
      'XML is not written by its schema: the handler gives the text itself.',
    ],
  ])
})

test('the author is told of schemas that have no value', async () => {
  const { notes } = await read(`paths: {}
components:
  schemas:
    Whole: { type: object, required: [part], properties: { part: { $ref: "#/components/schemas/Part" } } }
    Part: { type: object, required: [whole], properties: { whole: { $ref: "#/components/schemas/Whole" } } }
    Tree: { type: object, properties: { kids: { type: array, items: { $ref: "#/components/schemas/Tree" } } } }`)
  expect(notes().map(({ pointer, message }) => [pointer, message.split(' is ')[0]])).toEqual([
    ['#/components/schemas/Whole', 'No value of Whole'],
    ['#/components/schemas/Part', 'No value of Part'],
  ])
})
