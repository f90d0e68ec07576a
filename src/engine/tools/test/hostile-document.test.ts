import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Command } from 'spec-served/internal/command/command'
import { completionOf } from 'spec-served/internal/command/completion'
import { openDatabase } from 'spec-served/internal/database/connect'
import { modelOf } from 'spec-served-document/model'
import { factsOf } from 'spec-served-document/reading/facts'
import { parseDocument } from 'spec-served-document/reading/read'
import { programLine } from 'spec-served-lab/support/command'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { emptyFolder, shell } from 'spec-served-lab/support/package'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { documentWithResource, resourceOf } from '../add/resource.ts'
import { codeOf } from '../add/resource-code.ts'
import { clientPackage } from '../client/package.ts'
import { generate } from '../generate/emit.ts'
import { operationsTable } from '../readme/operations-table.ts'
import { docsTextsOf } from '../texts/texts.ts'

/** A text that ends strings, templates, comments, cells, lists and fences, and runs where it is taken for code. */
const run = '(globalThis.pwned=1)'
const hostile = `\${${run}}\`+${run}+\`\\"+${run}+"'+${run}+'*/${run}/***//${run}//*</script>|';drop table x;--\u2028${run}\r\n${run}\n\`\`\`\n# owned\n$(touch owned)`

/** A document with the text at each place that has a free one. */
function documentWith(text: string, operationId: string) {
  const schema = {
    title: text,
    description: text,
    type: 'object',
    required: [text],
    'x-any': text,
    properties: {
      [text]: { type: 'string', title: text, enum: [text, 'b'], default: text, example: text, format: text },
      constructor: { type: 'string', pattern: '^[`*/$]+$' },
    },
    example: { [text]: text },
  }
  const named = JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }')
  const content = {
    'application/json': { schema, examples: { [text]: { summary: text, value: { [text]: text } } } },
  }
  const header = { description: text, schema: { type: 'string', enum: [text] }, example: text }
  const parameter = (place: string, name: string) => ({
    ...header,
    name,
    in: place,
    required: place === 'path',
  })
  const to = (kind: string, name: string) => ({
    $ref: `#/components/${kind}/${encodeURIComponent(name.replaceAll('/', '~1'))}`,
  })
  return {
    openapi: '3.0.3',
    info: { title: text, version: `1.0.0 ${text}`, description: 'A service.' },
    servers: [
      { url: 'https://{host}/v1', description: text, variables: { host: { default: text, enum: [text] } } },
    ],
    tags: [{ name: text, description: text, 'x-parent': text }],
    security: [{ [text]: [text] }],
    paths: {
      '/a': {
        post: {
          operationId,
          tags: [text],
          summary: text,
          description: 'It does.',
          'x-required-scope': text,
          'x-effects': [{ of: { [text]: `path.${text}` }, becomes: { [text]: text } }],
          parameters: [parameter('query', text), parameter('query', '__proto__')],
          requestBody: { description: 'Sent.', content },
          responses: {
            200: { description: 'ok', 'x-codes': [text], content, headers: { 'X-A': header } },
            400: to('responses', text),
          },
        },
        get: { tags: [text], summary: text, responses: { 200: { description: 'ok', content } } },
      },
    },
    components: {
      schemas: { [text]: schema, ...JSON.parse('{ "__proto__": { "type": "object" } }'), constructor: named },
      responses: { [text]: { description: 'no', content } },
      securitySchemes: { [text]: { type: 'apiKey', in: 'header', name: 'X-Key', description: text } },
    },
  }
}

const directory = sharedOutput()

/** Holds code to what its compiler reads: it has no faults of form. */
function expectParses(name: string, text: string): void {
  const fileName = name.replace('.d.ts', '.ts')
  const { diagnostics = [] } = ts.transpileModule(text, { fileName, reportDiagnostics: true })
  expect(
    diagnostics.map(({ messageText }) => messageText),
    `${name}:\n${text}`,
  ).toEqual([])
}

/** Loads a module; nothing of the document is run. */
async function load(file: string) {
  const module = await import(resolve(file))
  expect(globalThis).not.toHaveProperty('pwned')
  return module
}

const model = async () =>
  modelOf(
    (await parseDocument(JSON.stringify(documentWith(hostile, `\${${run}}\`'"\\*/|`)), 'api.json')).document,
  )

test('no text of a document leaves its place in the generated code', async () => {
  const { document } = await model()
  for (const [name, text] of await generate(document, hostile, '0')) {
    await writeFile(join(directory, name), text)
    if (!name.endsWith('.json')) expectParses(name, text)
  }
  const { operations } = await load(join(directory, 'operations.ts'))
  expect(Object.values<{ scope: string }>(operations)[0]?.scope).toBe(hostile)
})

test.each(['__proto__', 'constructor', 'valueOf', '__defineGetter__', 'a\nb', 'a*/b', "a'b"])(
  'types are generated for parts of any kind that are named %j',
  async name => {
    const named = (value: unknown) => JSON.parse(`{ ${JSON.stringify(name)}: ${JSON.stringify(value)} }`)
    const to = (kind: string) => ({
      $ref: `#/components/${kind}/${encodeURIComponent(name.replaceAll('/', '~1'))}`,
    })
    const schema = { type: 'object', required: [name], properties: named({ type: 'string' }) }
    const content = { 'application/json': { schema: to('schemas') } }
    const get = {
      operationId: 'a',
      security: [named([])],
      parameters: [to('parameters')],
      responses: {
        200: { description: 'ok', headers: named(to('headers')), links: named(to('links')), content },
        400: to('responses'),
      },
      callbacks: named(to('callbacks')),
    }
    const components = {
      schemas: named(schema),
      parameters: named({ name, in: 'query', schema }),
      headers: named({ schema }),
      responses: named({ description: 'no', content }),
      links: named({ operationId: 'a' }),
      callbacks: named({ '{$url}': { get: { responses: { 200: { description: 'ok' } } } } }),
      securitySchemes: named({ type: 'apiKey', in: 'header', name: 'X-Key' }),
    }
    const text = JSON.stringify({
      ...{ openapi: '3.0.3', info: { title: 'T', version: '1' } },
      ...{ paths: { '/a': { get } }, components },
    })
    const { document } = await parseDocument(text, 'api.json')
    for (const [file, code] of await generate(document, 'the document', '0')) {
      if (file === 'schema.ts') expect(code).toMatch(/= \{\n {4}\S+: string;\n\};/)
      if (file.endsWith('.ts')) expectParses(file, code)
    }
  },
)

test('no text of a document leaves its place in a client', async () => {
  const out = join(directory, 'client')
  await mkdir(out)
  for (const [name, text] of await clientPackage(await model())) {
    await writeFile(join(out, name), text)
    if (/\.[jt]s$/.test(name)) expectParses(name, text)
  }
  await load(join(out, 'index.js'))
  expect(await readFile(join(out, 'README.md'), 'utf8')).not.toMatch(/^# owned/m)
})

test('no name or short text of a document leaves its place in Markdown', async () => {
  const known = await model()
  const { llms, operations } = docsTextsOf(known, factsOf(known))
  const table = operationsTable(known)
  expect(table.split('\n')).toHaveLength(2 + known.operations.length)
  for (const line of table.split('\n')) expect(line.match(/(?<!\\)\|/g)).toHaveLength(8)
  for (const text of [llms, ...Object.values(operations)]) {
    const prose = text.replace(/^(`{3,})(?:yaml|json|sh|js|python)\n[\s\S]*?\n\1$/gm, '')
    expect(prose).not.toMatch(/^(# owned|```|\(globalThis)/m)
  }
})

test('no text of a document leaves its place in a shell’s completion', async () => {
  const words = {
    type: 'string',
    describe: 'a plan',
    value: 'PLAN',
    choices: [hostile.replaceAll('\n', ' '), 'Free'],
  }
  const commands = { restore: { describe: 'a copy', arguments: [{ name: 'DIRECTORY', isDirectory: true }] } }
  const root = { describe: 'all', commands, options: { plan: words } } as unknown as Command // as much as it reads
  const script = await completionOf('bash', root)
  const folder = emptyFolder()
  const tab =
    'COMP_WORDS=(spec-served --plan ""); COMP_CWORD=2; _spec_served; echo "$' + '{COMPREPLY[@]: -1}"'
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${tab}`], { cwd: folder })
  expect(await readdir(folder)).toEqual([])
  expect(stdout).toBe('Free\n')
  await rm(folder, { recursive: true })
})

test('init makes a project of a hostile document, whose code parses', async () => {
  const folder = emptyFolder()
  await writeFile(join(folder, 'api.json'), JSON.stringify(documentWith(hostile, 'class')))
  const { code, output } = await shell(`${programLine} init api.json`, folder)
  expect(code, output).toBe(0)
  const files = await readdir(folder, { recursive: true })
  for (const file of files.filter(name => name.endsWith('.ts')))
    expectParses(file, await readFile(join(folder, file), 'utf8'))
  expect(files.filter(name => name.includes('owned') || name.startsWith('.init'))).toEqual([])
  expect(await readFile(join(folder, 'README.md'), 'utf8')).not.toMatch(/^# owned/m)
  await rm(folder, { recursive: true })
})

test('an operationId with a line break is a fault before anything is written', async () => {
  const folder = emptyFolder()
  await writeFile(join(folder, 'api.json'), JSON.stringify(documentWith('x', 'a\nb')))
  const { code, output } = await shell(`${programLine} init api.json`, folder)
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(
      /^api\.json:\d+:\d+ name \S+\/operationId An operationId is one line .*: write postA\.\n$/,
    ),
  ])
  expect(await readdir(folder)).toEqual(['api.json'])
  await rm(folder, { recursive: true })
})

const own = await readFile('spec/openapi.yaml', 'utf8')
/** The project's document with the schema of a new supplier. */
const withSupplier = (properties: object) =>
  own.replace(
    /^ {2}schemas:\n/m,
    found =>
      `${found}    NewSupplier: ${JSON.stringify({ type: 'object', description: 'New.', required: ['kind'], properties })}\n`,
  )
const supplierOf = async (properties: object) =>
  resourceOf(
    modelOf((await parseDocument(withSupplier(properties), 'spec/openapi.yaml')).document),
    'Supplier',
  )

test('npm run add -- --resource keeps hostile values in its migration, and nothing of them runs', async () => {
  const kind = { type: 'string', enum: [hostile, 'b'] }
  const note = { type: 'string', default: hostile, maxLength: 900 }
  const resource = await supplierOf({ kind, note, default: { type: 'integer' }, class: { type: 'string' } })
  const code = await codeOf(resource)
  for (const [name, text] of code) expectParses(name, text)
  const document = await documentWithResource(withSupplier({ kind, note }), 'spec/openapi.yaml', resource)
  await expect(parseDocument(document, 'spec/openapi.yaml')).resolves.toBeDefined()
  const [name = '', text = ''] = [...code].find(([candidate]) => /migrations\/\d/.test(candidate)) ?? []
  const file = join(directory, name.replaceAll('/', '-'))
  await writeFile(file, text)
  const { up } = await load(file)
  const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
  await up(db)
  const insert = (value: string) =>
    sql<{ note: string }>`insert into suppliers (kind) values (${value}) returning note`.execute(db)
  expect((await insert(hostile)).rows).toEqual([{ note: hostile }])
  await expect(insert('c')).rejects.toThrow('suppliers_kind_fits')
  // No identifier is beyond 2^53 − 1, which JSON can't carry exactly.
  await sql`select setval('suppliers_id_seq', ${Number.MAX_SAFE_INTEGER})`.execute(db)
  await expect(insert('b')).rejects.toMatchObject({ code: '2200H' })
  await close()
})

test.each([
  ['a-b', {}, 'can’t name a column'],
  ['a"; drop table x; --', {}, 'can’t name a column'],
  ['__proto__', {}, 'can’t name a column'],
  ['id', {}, 'would be a second column id'],
  ['Kind', {}, 'would be a second column _kind'],
  ['nul', { enum: ['a\0'] }, 'no database keeps'],
])(
  'npm run add -- --resource refuses a property %j %j before it writes anything',
  async (name, schema, told) => {
    const properties = Object.fromEntries([
      ['kind', { type: 'string' }],
      ['_kind', { type: 'string' }],
      [name, { type: 'string', ...schema }],
    ])
    await expect(supplierOf(properties)).rejects.toThrow(told)
  },
)
