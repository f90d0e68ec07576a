import { symlinkSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { readConfig, tokenSettings } from 'spec-served/internal/process/config'
import { createMock } from 'spec-served-cli/testing'
import { parseDocument } from 'spec-served-document/reading/read'
import { programLine, runScript } from 'spec-served-lab/support/command'
import { emptyFolder, shell } from 'spec-served-lab/support/package'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newDocument } from '../init/new-document.ts'
import { handlerTypes } from '../init/templates.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

/** A folder with files. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = emptyFolder()
  folders.push(folder)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return folder
}

// Whatever runs the tests, `init` is not run by a package manager.
beforeAll(() => void vi.stubEnv('npm_config_user_agent', undefined))
afterAll(() => void vi.unstubAllEnvs())

/** Runs `init` in a folder, with arguments as a shell takes them. */
function init(args: string, folder: string) {
  const words = [...args.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  return runScript('init', words, folder)
}
const namesIn = async (folder: string) => (await readdir(folder)).sort()

const small = `openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /a: { get: { operationId: a, responses: { 200: { description: ok } } } }
`

test('init leaves a folder with other files as it is', async () => {
  const folder = await folderWith({ 'api.yaml': small, 'notes.txt': 'mine' })
  const { code, output } = await init('api.yaml', folder)
  expect(code).toBe(1)
  expect(output).toBe(
    'This folder has notes.txt already: make a project in an empty one. Nothing was written.\n',
  )
  expect(await namesIn(folder)).toEqual(['api.yaml', 'notes.txt'])
})

test('init leaves a document at the project’s own place alone, and writes nothing half', async () => {
  const folder = await folderWith({ 'test/api.yaml': small })
  const { code, output } = await init('test/api.yaml', folder)
  expect([code, output]).toEqual([
    1,
    'The project would write over test: put the document elsewhere. Nothing was written.\n',
  ])
  expect(await namesIn(folder)).toEqual(['test'])
})

test.each([
  ['a document that is refused', 'openapi: 3.0.3\npaths: {}\n', /api\.yaml:\d+:\d+ .*info/],
  ['a document that is none', '- 1\n', /api\.yaml/],
  ['a document that is not there', undefined, /api\.yaml/],
])('init with %s leaves the folder as it is', async (_, text, said) => {
  const folder = await folderWith(text === undefined ? {} : { 'api.yaml': text })
  const before = await namesIn(folder)
  const { code, output } = await init('api.yaml', folder)
  expect(code).not.toBe(0)
  expect(output).toMatch(said)
  expect(output).not.toMatch(/\n +at /)
  expect(await namesIn(folder)).toEqual(before)
})

test('the scripts of a project by Yarn have no word that its shell lacks', async () => {
  const folder = await folderWith({ 'api.yaml': small, 'yarn.lock': '' })
  expect((await init('api.yaml', folder)).code).toBe(0)
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(Object.values(scripts).filter(line => !/^(node|spec-served) /.test(String(line)))).toEqual([])
})

test('init keeps the files of package managers and git, and npm’s entries', async () => {
  const own = {
    name: 'mine',
    dependencies: { 'spec-served': 'file:x.tgz', left: '1' },
    scripts: { mine: 'x' },
  }
  const folder = await folderWith({
    'api.yaml': small,
    'package.json': JSON.stringify(own),
    '.git/HEAD': 'ref: refs/heads/main',
    '.gitignore': 'mine\n',
    'pnpm-lock.yaml': '',
  })
  const { code, output } = await init('api.yaml', folder)
  expect(code, output).toBe(0)
  const made = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(made).toMatchObject(own)
  // Without these a project of pnpm has no compiler, and no types of Node.
  expect(Object.keys(made.devDependencies)).toEqual(['spec-served-cli', '@types/node', 'typescript'])
  expect(made.scripts.dev).toBe('exec spec-served dev')
  const { mine, ...ours } = made.scripts
  const ofEachDay = ['start', 'test', 'dev', 'generate', 'check', 'add', 'release', 'keys']
  expect(Object.keys(ours)).toEqual(ofEachDay)
  expect(Object.values(ours)).toEqual(
    Object.values(ours).map(() => expect.stringMatching(/^(exec )?(node|spec-served) /)),
  )
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toMatch(/^mine\n(.*\n)*node_modules\n/)
})

describe('init --new', () => {
  test('it makes a project with a document of one kind of record, which lint and the check pass', async () => {
    const folder = await folderWith({})
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    // A program of its own each, as in a terminal.
    const { code, output } = await shell(`${programLine} init --new "City Library"`, folder)
    expect(code, output).toBe(0)
    expect(output).toContain('listItems, createItem, getItem, replaceItem, deleteItem: to be written')
    expect(output).toContain('spec/openapi.yaml is a document of five operations on items')
    expect(output).not.toContain('not read any more')
    const text = await readFile(join(folder, 'spec/openapi.yaml'), 'utf8')
    expect(text).toMatch(/^openapi: 3\.0\.3\ninfo:\n {2}title: City Library\n/)
    expect(text.split('\n').length).toBeLessThan(125)
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).name).toBe('city-library')
    for (const step of ['lint', 'generate --check', 'check:routes', 'check:contract', 'check:database']) {
      const ended = await shell(`${programLine} ${step}`, folder)
      expect(ended.code, ended.output).toBe(0)
    }
    const { output: left } = await shell(`${programLine} check:written`, folder)
    expect(left).toContain('5 still to be written')
  })

  test('a mock of the new document keeps items, and refuses what it does not declare', async () => {
    const file = join(await folderWith({ 'api.yaml': newDocument('Any') }), 'api.yaml')
    await using mock = await createMock(file)
    const send = (path: string, method: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      return mock.fetch(`http://localhost${path}`, {
        method,
        ...(body && { headers, body: JSON.stringify(body) }),
      })
    }
    expect(await (await send('/items', 'GET')).json()).toEqual([{ id: 1, name: 'First' }])
    expect(await (await send('/items', 'POST', { name: 'Second' })).json()).toMatchObject({ name: 'Second' })
    expect((await send('/items/1', 'PUT', { name: 'Third' })).status).toBe(200)
    expect((await send('/items/1', 'PUT', { title: 'Third' })).status).toBe(400)
    expect((await send('/items/1', 'DELETE')).status).toBe(204)
    expect((await send('/items/1', 'GET')).status).toBe(404)
  })

  test.each(['Café: "über"', "it's # 1", '- no', '\u{1F4DA}\u001b[31m'])(
    'it takes the title %j as it is',
    async title => {
      const { document } = await parseDocument(newDocument(title), 'api.yaml')
      expect(document.info.title).toBe(title)
    },
  )

  test('with --limits it adds plans and keys to the new document', async () => {
    const folder = await folderWith({})
    const { code, output } = await init('--limits --new Library', folder)
    expect(code, output).toBe(0)
    const text = await readFile(join(folder, 'spec/openapi.yaml'), 'utf8')
    expect(text).toContain('x-rate-limits:')
    expect((await runScript('lint', [], folder)).code).toBe(0)
  })

  test.each([
    ['--new " "', '--new needs the title of the service'],
    ['api.yaml --new Library', 'Name one document, or give --new TITLE: leave one of them out'],
    ['', 'Name the document, as `spec-served init openapi.yaml`, or give --new TITLE for a new document'],
  ])('init %s says what is wrong, and writes nothing', async (args, said) => {
    const folder = await folderWith({ 'api.yaml': small })
    const { code, output } = await init(args, folder)
    expect([code, output]).toEqual([2, expect.stringContaining(said)])
    expect(await namesIn(folder)).toEqual(['api.yaml'])
  })
})

test('init puts a document of several files, which refer back to it by its name, in place', async () => {
  const document = `openapi: 3.0.3
info: { title: Several, version: "1" }
paths:
  /a: { $ref: paths/a.json }
components:
  schemas:
    A: { type: object, properties: { kind: { type: string } } }
    B: # of A
      oneOf: [ { $ref: 'api.yaml#/components/schemas/A' } ]
      discriminator: { propertyName: kind, mapping: { a: ./api.yaml#/components/schemas/A } }
`
  const content = { 'application/json': { schema: { $ref: '../api.yaml#/components/schemas/B' } } }
  const item = { get: { operationId: 'a', responses: { 200: { description: 'api.yaml', content } } } }
  const folder = await folderWith({ 'api.yaml': document, 'paths/a.json': JSON.stringify(item) })
  const { code, output } = await init('api.yaml', folder)
  expect(code, output).toBe(0)
  const renamed = document.replaceAll(/'?(\.\/)?api\.yaml(#[\w/]+)'?/g, '"openapi.yaml$2"')
  expect(await readFile(join(folder, 'spec/openapi.yaml'), 'utf8')).toBe(renamed)
  const ofPath = await readFile(join(folder, 'spec/paths/a.json'), 'utf8')
  expect(JSON.stringify(JSON.parse(ofPath))).toBe(
    JSON.stringify(item).replace('../api.yaml', '../openapi.yaml'),
  )
  expect((await runScript('generate', ['--check'], folder)).code).toBe(0)
})

test('init refuses a part of a document at the document’s own place', async () => {
  const paths = '{ /a: { get: { operationId: a, responses: { 200: { $ref: "openapi.yaml#/A" } } } } }'
  const folder = await folderWith({
    'openapi.yaml': 'A: { description: ok }',
    'api.yaml': `{ openapi: 3.0.3, info: { title: T, version: "1" }, paths: ${paths} }`,
  })
  const { code, output } = await init('api.yaml', folder)
  expect([code, output]).toEqual([2, expect.stringContaining('openapi.yaml would stand where api.yaml goes')])
})

test('init --limits adds plans, keys and refusals, and shows each line', async () => {
  const folder = await folderWith({})
  await copyFile('src/engine/lab/support/lending.yaml', join(folder, 'lending.yaml'))
  const { code, output } = await init('lending.yaml --limits', folder)
  expect(code, output).toBe(0)
  expect(output).toMatch(/^spec\/openapi\.yaml:\d+\n(.*\n)* +x-rate-limits:/m)
  const text = await readFile(join(folder, 'spec/openapi.yaml'), 'utf8')
  expect(text).toContain('x-rate-limits:')
  expect(text).toContain('x-required-scope: write')
  expect(await readFile(join(folder, 'lending.yaml'), 'utf8')).not.toContain('x-rate-limits')
})

test('init makes modules of a package by npm init, and names a new one by the words of the title', async () => {
  const ofNpm = { name: 'mine', type: 'commonjs', main: 'index.js', scripts: { test: 'exit 1' } }
  const begun = await folderWith({ 'api.yaml': small, 'package.json': JSON.stringify(ofNpm) })
  expect((await init('api.yaml', begun)).code).toBe(0)
  const packageIn = async (folder: string) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(await packageIn(begun)).toMatchObject({ name: 'mine', type: 'module', main: 'index.js' })
  const empty = await folderWith({ 'api.yaml': small.replace('title: Small', 'title: "City Library (v2)"') })
  expect((await init('api.yaml', empty)).code).toBe(0)
  expect(await packageIn(empty)).toMatchObject({ name: 'city-library-v2', type: 'module' })
})

test('the stub of an operation says how its handler refuses, where no response names codes', async () => {
  const refusals = '404: { description: none, content: { text/plain: {} } }, 409: { description: taken }'
  const text = small.replace('200:', `401: { description: who }, ${refusals}, 200:`)
  const folder = await folderWith({ 'api.yaml': text })
  expect((await init('api.yaml', folder)).code).toBe(0)
  const stubs = await readFile(join(folder, 'src/handlers/default.ts'), 'utf8')
  expect(stubs).toContain('/** GET /a. It refuses by `{ status: 404, body: { … } }`. */')
})

test('the pet store’s types of handlers are those that init writes', async () => {
  expect(await readFile('src/handlers/handler.ts', 'utf8')).toBe(handlerTypes)
})

test.each([
  ['bearer tokens', '{ type: http, scheme: bearer }', 'https://login.example'],
  [
    'OAuth 2',
    '{ type: oauth2, flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: {} } } }',
    'https://id.example',
  ],
  [
    'OpenID Connect',
    '{ type: openIdConnect, openIdConnectUrl: "https://id.example/a/.well-known/openid-configuration" }',
    'https://id.example/a',
  ],
  ['API keys alone', '{ type: apiKey, in: header, name: X-Key }', undefined],
])(
  'init for a document with %s writes the settings by which the server checks tokens, if it takes any',
  async (_, scheme, issuer) => {
    const text = `${small}security: [{ Login: [] }]\nservers: [{ url: "https://shop.example/v1" }]\ncomponents: { securitySchemes: { Login: ${scheme} } }\n`
    const folder = await folderWith({ 'api.yaml': text })
    expect((await init('api.yaml', folder)).output).toContain('wrote spec')
    const settings = await readFile(join(folder, '.env.example'), 'utf8').catch(() => '')
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    expect(/^TOKEN_ISSUER=(.*)$/m.exec(settings)?.[1]).toBe(issuer)
    expect('jose' in dependencies).toBe(issuer !== undefined)
    if (issuer === undefined) return expect(settings).toBe('')
    expect(settings).toContain('TOKEN_AUDIENCE=https://shop.example/v1\n')
    const read = readConfig(parseEnv(settings))
    expect(tokenSettings(read, '/mcp')).toMatchObject({ issuer, scopeClaim: 'scope' })
  },
)
