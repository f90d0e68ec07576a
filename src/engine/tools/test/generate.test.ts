import { execFile } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatFaults } from 'spec-served-document/reading/fault'
import { runScript } from 'spec-served-lab/support/command'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { checkDocument } from '../lint/lint.ts'

const run = promisify(execFile)
const directory = sharedOutput()

const generate = (...args: string[]) => runScript('generate', args)

let count = 0
async function write(text: string): Promise<string> {
  const file = join(directory, `${++count}.yaml`)
  await writeFile(file, text)
  return file
}

const own = await readFile('spec/openapi.yaml', 'utf8')

/** The line of a place in a text; counts from 1. */
const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length

describe('faults of a document', () => {
  test.each([
    ['a missing operationId', '      operationId: getPet\n', '', 'has no operationId', -1],
    [
      'a duplicate operationId',
      'operationId: getPet\n',
      'operationId: listPets\n',
      'operationId-unique',
      undefined,
    ],
    [
      'an undeclared path parameter',
      '  /pets/{petId}:',
      '  /pets/{animalId}:',
      'path-parameters-defined',
      undefined,
    ],
    ['a broken reference', '#/components/schemas/PetStatus', '#/components/schemas/Nothing', 'reference', 0],
    ['another version of OpenAPI', 'openapi: 3.0.3', 'openapi: 3.1.0', '', 0],
    ['broken YAML', '  /pets:\n', '  /pets: [\n', '', undefined],
  ])('the lint refuses, with file and line, %s', async (_, before, after, rule, offset) => {
    const at = own.indexOf(before)
    expect(at, `the document has ${before}`).toBeGreaterThanOrEqual(0)
    const file = await write(own.replace(before, after))
    const output = formatFaults(await checkDocument(file, 'full'))
    expect(output).toContain(rule)
    expect(output).toMatch(new RegExp(`^${file}:\\d+:\\d+ `, 'm'))
    if (offset !== undefined) expect(output).toContain(`${file}:${lineOf(own, at) + offset}:`)
  })
})

describe('for the project’s own document', () => {
  test('the generator writes the same bytes each time: those that are committed', async () => {
    const out = join(directory, 'own')
    await generate('--out', out)
    for (const name of ['schema.ts', 'operations.ts']) {
      const text = await readFile(join(out, name), 'utf8')
      expect(await readFile(join('src/generated', name), 'utf8')).toBe(text)
      expect(text).toMatch(
        /^\/\/ Generated from spec\/openapi.yaml \(SHA-256 [0-9a-f]{64}\) by spec-served 1\.\d+\.\d+\.\n\/\/ Do not edit/,
      )
    }
  })

  test('the generator’s --check passes on current files and names the first difference of others', async () => {
    expect(await generate('--check')).toMatchObject({ code: 0, output: '' })
    const out = join(directory, 'edited')
    await cp('src/generated', out, { recursive: true })
    const text = await readFile(join(out, 'operations.ts'), 'utf8')
    await writeFile(join(out, 'operations.ts'), text.replace('method: "GET"', 'method: "PUT"'))
    const { code, output } = await generate('--check', '--out', out)
    expect(code).toBe(1)
    const line = text.slice(0, text.indexOf('method: "GET"')).split('\n').length
    const remedy = 'run `npm run generate`.'
    expect(output).toContain(`${join(out, 'operations.ts')}:${line} is not what the document says: ${remedy}`)
    expect(output.trimEnd().split('\n')).toHaveLength(3)
    await writeFile(join(out, 'operations.ts'), text.replace('SHA-256 ', 'SHA-256 0'))
    expect((await generate('--check', '--out', out)).output).toBe(
      `${join(out, 'operations.ts')} was generated from another text of the document: ${remedy}\n`,
    )
    await rm(join(out, 'operations.ts'))
    expect((await generate('--check', '--out', out)).output).toContain('is missing')
  })

  test('the generator leaves the old files when it refuses', async () => {
    const out = join(directory, 'kept')
    await cp('src/generated', out, { recursive: true })
    const before = await readFile(join(out, 'operations.ts'), 'utf8')
    const broken = await write(own.replace('      x-stability: beta', '      x-stability: alpha'))
    const { code, output } = await generate('--spec', broken, '--out', out)
    expect(code).toBe(1)
    expect(output).toMatch(/\.yaml:\d+:\d+ project\/stability .*\n.*nothing was written/)
    expect(await readFile(join(out, 'operations.ts'), 'utf8')).toBe(before)
    expect(await readdir(out)).toEqual(await readdir('src/generated'))
  })
})

const ok = { 200: { description: 'ok' } }
const body = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const foreign = (paths: object, components: object = {}) => ({
  openapi: '3.0.1',
  info: { title: 'Somebody else’s', version: '7' },
  paths,
  components,
})

const documents: Record<string, object> = {
  ...parse(`
no components:
  openapi: 3.0.0
  info: { title: t, version: "1" }
  paths: { /: { get: { operationId: root, responses: { "200": { description: ok } } } } }
names that are no identifiers:
  openapi: 3.0.1
  info: { title: Somebody else’s, version: "7" }
  paths:
    /a b/{x}:
      get:
        operationId: get-a.b/v2 "quoted"
        parameters: [ { name: x, in: path, required: true, schema: { type: string } } ]
        responses:
          "200":
            description: ok
            content: { application/json: { schema: { $ref: "#/components/schemas/foo-bar.Baz" } } }
    /odd:
      post: { operationId: __proto__, responses: { "200": { description: ok } } }
      put: { operationId: constructor, responses: { "200": { description: ok } } }
  components:
    schemas:
      foo-bar.Baz:
        type: object
        properties: { x-y: { type: string }, __proto__x: { type: string } }
schema names that meet:
  openapi: 3.0.1
  info: { title: Somebody else’s, version: "7" }
  paths:
    /:
      get:
        operationId: get
        responses:
          "200":
            description: ok
            content: { application/json: { schema: { $ref: "#/components/schemas/foo-bar" } } }
  components:
    schemas:
      foo-bar: { type: object, properties: { foo-bar: { type: string } } }
      FooBar: { type: object, properties: { FooBar: { type: string } } }
      operations: { type: object, properties: { operations: { type: string } } }
      paths: { type: object, properties: { paths: { type: string } } }
      components: { type: object, properties: { components: { type: string } } }
      Error: { type: object, properties: { Error: { type: string } } }
      Record: { type: object, properties: { Record: { type: string } } }
recursive, nullable and composed schemas:
  openapi: 3.0.1
  info: { title: Somebody else’s, version: "7" }
  paths:
    /tree:
      post:
        operationId: plant
        requestBody:
          content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } }
        responses:
          "201":
            description: ok
            content: { application/json: { schema: { $ref: "#/components/schemas/Animal" } } }
  components:
    schemas:
      Node:
        type: object
        properties:
          children: { type: array, items: { $ref: "#/components/schemas/Node" } }
          parent: { nullable: true, allOf: [ { $ref: "#/components/schemas/Node" } ] }
      Cat:
        allOf:
        - { $ref: "#/components/schemas/Base" }
        - type: object
          properties: { lives: { type: integer, minimum: 0, exclusiveMinimum: true } }
      Dog:
        allOf:
        - { $ref: "#/components/schemas/Base" }
        - type: object
          properties: { tricks: { type: array, items: { type: string, nullable: true } } }
      Base:
        type: object
        required: [ kind ]
        properties: { kind: { type: string } }
        example: { kind: Cat }
      Animal:
        oneOf: [ { $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" } ]
        discriminator: { propertyName: kind, mapping: { c: "#/components/schemas/Cat" } }
      Either: { anyOf: [ { type: string }, { type: integer } ], nullable: true }
references everywhere:
  openapi: 3.0.1
  info: { title: Somebody else’s, version: "7" }
  paths:
    /a/{id}:
      get:
        operationId: a
        parameters:
        - { $ref: "#/components/parameters/id" }
        - { $ref: "#/components/parameters/page" }
        requestBody: { $ref: "#/components/requestBodies/b" }
        responses: { "200": { $ref: "#/components/responses/r" } }
  components:
    parameters:
      id: { name: id, in: path, required: true, schema: { $ref: "#/components/schemas/Id" } }
      page: { name: page, in: query, schema: { $ref: "#/components/schemas/Page" } }
    requestBodies:
      b:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Id" } } }
    responses:
      r:
        description: ok
        headers: { H: { $ref: "#/components/headers/h" } }
        content: { application/json: { schema: { $ref: "#/components/schemas/Id" } } }
    headers: { h: { schema: { $ref: "#/components/schemas/Id" } } }
    schemas: { Id: { type: integer }, Page: { type: integer, default: 1 } }
`),
  'odd descriptions and media types': foreign({
    '/': {
      get: {
        operationId: 'odd',
        description: 'ends a comment */ and a `template \u0024{literal}` — ünïcode \u2028 line',
        responses: {
          200: {
            description: '*/',
            content: { 'application/vnd.x+json; v=1': { schema: { type: 'string' } }, 'image/*': {} },
          },
        },
      },
    },
  }),
  '200 operations': foreign(
    Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [
        `/r${i}/{id}`,
        {
          get: {
            operationId: `operation${i}`,
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            responses: { 200: { description: 'ok', ...body(ref('Big')) } },
          },
        },
      ]),
    ),
    {
      schemas: {
        Big: {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 60 }, (_, i) => [`p${i}`, { type: 'string', nullable: i % 2 === 0 }]),
          ),
        },
      },
    },
  ),
}

describe('for other people’s documents', () => {
  test('the generator writes code that compiles under the strictest settings, each operation with its facts', async () => {
    const files: string[] = []
    for (const [name, document] of Object.entries(documents)) {
      const out = join(directory, name.replaceAll(/\W/g, '-'))
      const { code, output } = await generate('--spec', await write(stringify(document)), '--out', out)
      expect(output, name).toContain('rules for documents with limits were not applied')
      expect(code, name).toBe(0)
      files.push(join(out, 'schema.ts'), join(out, 'operations.ts'))
      const { operations } = await import(join(process.cwd(), out, 'operations.ts'))
      const ids = Object.values(parse(stringify(document)).paths).flatMap(item =>
        Object.values(item as Record<string, { operationId: string }>).map(
          operation => operation.operationId,
        ),
      )
      expect(Object.getOwnPropertyNames(operations)).toEqual(ids)
    }
    const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
    const project = join(directory, 'tsconfig.json')
    await writeFile(
      project,
      JSON.stringify({ compilerOptions, files: files.map(file => join(process.cwd(), file)) }),
    )
    const { stdout } = await run('tsc', ['--noEmit', '-p', project]).catch(error => error)
    expect(stdout).toBe('')
  })

  test('the generator follows references into other files', async () => {
    await writeFile(
      join(directory, 'shared.yaml'),
      stringify({ Limit: { name: 'limit', in: 'query', schema: { type: 'integer', default: 5 } } }),
    )
    const document = foreign({
      '/': { get: { operationId: 'list', parameters: [{ $ref: './shared.yaml#/Limit' }], responses: ok } },
    })
    const out = join(directory, 'external')
    expect((await generate('--spec', await write(stringify(document)), '--out', out)).code).toBe(0)
    const { operations } = await import(join(process.cwd(), out, 'operations.ts'))
    expect(operations.list.defaults.query).toEqual({ limit: 5 })
  })
})
