import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  built,
  emptyFolder,
  install,
  installByNpm,
  packageNames,
  serving,
  shell,
} from '../support/package.ts'
import { apply, commandsOf, stepsOf } from '../support/petstore.ts'

const steps = stepsOf(await readFile('src/engine/service/GUIDE.md', 'utf8'))
// Each step is a program of its own, and the check eight of them.
const folders: string[] = []
afterAll(() =>
  Promise.all(folders.map(directory => rm(directory, { recursive: true, force: true, maxRetries: 3 }))),
)

async function folder(): Promise<string> {
  const made = emptyFolder()
  folders.push(made)
  return made
}

/** Returns the files that a team owns: all but its document, and those generated, installed and stored. */
async function owned(project: string): Promise<string[]> {
  const files = await readdir(project, { recursive: true, withFileTypes: true })
  return files
    .filter(file => file.isFile())
    .map(file => join(file.parentPath, file.name).slice(project.length + 1))
    .filter(file => !/^(node_modules|data|spec|src\/generated|package-lock)|lending\.yaml$/.test(file))
    .sort()
}

const textsOf = async (project: string) =>
  Object.fromEntries(
    await Promise.all(
      (await owned(project)).map(async file => [file, await readFile(join(project, file), 'utf8')] as const),
    ),
  )

describe('the package README, word by word, in an empty folder', () => {
  let project: string
  let first: string
  beforeAll(async () => {
    project = await folder()
    first = await built()
    folders.push(first)
    await installByNpm(first, project)
    await copyFile('src/engine/lab/support/lending.yaml', join(project, 'lending.yaml'))
  })

  test('a project by the package README has few files, and answers at once', async () => {
    expect(commandsOf(steps[0] ?? never())).toEqual([
      'npm install spec-served && npm install --save-dev spec-served-cli',
      'npx spec-served init lending.yaml',
      'npm run dev',
    ])
    const made = await shell('npx spec-served init lending.yaml', project)
    expect(made.code, made.output).toBe(0)
    const files = await owned(project)
    const lines = Object.values(await textsOf(project))
      .join('')
      .split('\n').length
    expect(files.length).toBeLessThanOrEqual(20)
    expect(lines).toBeLessThanOrEqual(500)

    const dev = await serving('npm run dev -- --no-types', project)
    try {
      const mock = await fetch(`${dev.url}/v1/books`, { headers: { authorization: 'Bearer any' } })
      expect(mock.headers.get('x-mock'), dev.output()).toBe('true')
      expect(await mock.json()).toEqual([{ id: 1, title: 'Emma' }])
      expect((await fetch(`${dev.url}/docs/`)).status).toBe(200)
    } finally {
      await dev.stop()
    }
    const tested = await shell('npm test', project)
    expect(tested.code, tested.output).toBe(0)
    const start = await shell('npm start', project)
    expect(start.code).toBe(1)
    expect(start.output).toContain('not written yet: list-books, addBook, delete, getStatus.')
  })

  test('the code of the package README compiles, passes the check, and is served on both databases', async () => {
    for (const step of steps.filter(({ kind }) => kind === 'diff')) await apply(step, project)
    const check = await shell('npm run check', project)
    expect(check.output.match(/^(FAILED|ok) +[\w ]+/gm)?.filter(line => line.startsWith('FAILED'))).toEqual([
      'FAILED  handlers are written ',
    ])
    expect(check.output).toMatch(/default\.ts:\d+ delete is not written yet/)
    expect(check.output).toContain('2 still to be written')

    // The rest, as its reader would.
    const rest = join(project, 'src/handlers/default.ts')
    const text = await readFile(rest, 'utf8')
    await writeFile(
      rest,
      text
        .replace(/stub\('delete'\)/, 'async () => ({ status: 204 })')
        .replace(/stub\('getStatus'\)/, "async () => ({ status: 200, body: 'fine' })")
        .replace(/import \{ stub \}.*\n/, ''),
    )
    const types = await shell('tsc --noEmit', project)
    expect(types, types.output).toMatchObject({ code: 0 })
    const tests = await shell('npm test', project)
    expect(tests, tests.output).toMatchObject({ code: 0 })

    await using postgres = await startPostgres()
    await postgres.execute('create database library')
    for (const env of [{}, { DATABASE_URL: `${postgres.url}/library` }]) {
      const served = await serving('npm start', project, env)
      try {
        const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
        const url = `${served.url}/v1/books`
        const added = await fetch(url, { method: 'POST', headers, body: '{"title":"Emma"}' })
        expect(added.status, served.output()).toBe(201)
        expect(await (await fetch(url, { headers })).json()).toEqual([{ id: 1, title: 'Emma' }])
        expect((await fetch(url, { method: 'POST', headers, body: '{"name":1}' })).status).toBe(400)
        expect((await fetch(url, { headers: { authorization: 'Bearer other' } })).status).toBe(401)
      } finally {
        await served.stop()
      }
    }
  })

  test('the embedded database of a project is copied, and served from the copy', async () => {
    const copied = await shell('npx spec-served backup copy', project)
    expect(copied.code, copied.output).toBe(0)
    const env = { DATA_DIR: 'restored' }
    const restored = await shell('npx spec-served restore copy', project, env)
    expect(restored.code, restored.output).toBe(0)
    const served = await serving('npm start', project, env)
    try {
      const books = await fetch(`${served.url}/v1/books`, { headers: { authorization: 'Bearer secret' } })
      expect(await books.json(), served.output()).toEqual([{ id: 1, title: 'Emma' }])
    } finally {
      await served.stop()
    }
    await rm(join(project, 'copy'), { recursive: true })
    await rm(join(project, 'restored'), { recursive: true })
  })

  test('a status that the document does not declare does not compile', async () => {
    const file = join(project, 'src/handlers/default.ts')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('status: 204', 'status: 205'))
    expect((await shell('tsc --noEmit', project)).output).toContain("'205' is not assignable to type '204'")
    await writeFile(file, text)
  })

  test('a newer package changes no file of the team, and says what it makes otherwise', async () => {
    const before = await textsOf(project)
    const next = await folder()
    await cp(first, next, { recursive: true })
    const edit = async (file: string, from: string, to: string) =>
      writeFile(join(next, file), (await readFile(join(next, file), 'utf8')).replaceAll(from, to))
    for (const part of Object.keys(packageNames)) await edit(`${part}/package.json`, '"1.0.0"', '"1.1.0"')
    await edit(
      'tools/dist/generate/emit.js',
      'export const documentHash',
      'export const more = 1\\nexport const documentHash',
    )
    await installByNpm(next, project)
    expect((await shell('npm run generate -- --check', project)).code).toBe(1)
    const { code, output } = await shell('npm run generate', project)
    expect(code, output).toBe(0)
    expect(output).toContain(
      'spec-served 1.0.0 made src/generated before, 1.1.0 does now: src/generated/operations.ts changed',
    )
    // npm itself writes down which file it has installed.
    expect({ ...(await textsOf(project)), 'package.json': '' }).toEqual({ ...before, 'package.json': '' })
    expect(await readFile(join(project, 'src/generated/schema.ts'), 'utf8')).toContain(
      'by spec-served 1.1.0.',
    )
    expect((await shell('tsc --noEmit', project)).output).toBe('')
  })
})

describe('documents of other trades', () => {
  const operation = (id: string) => ({
    operationId: id,
    tags: ['Things'],
    responses: {
      200: {
        description: 'ok',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
      },
    },
  })
  const documents: Record<string, Record<string, unknown>> = {
    'one of OpenAPI 3.1, with an API key': {
      'api.json': {
        openapi: '3.1.0',
        info: { title: 'Things', version: '1.0.0' },
        security: [{ Key: [] }],
        paths: { '/things': { get: operation('getThing') } },
        components: {
          securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
          schemas: {
            Thing: { type: ['object', 'null'], properties: { at: { type: 'string', format: 'date' } } },
          },
        },
      },
    },
    'one of several files': {
      'api.json': {
        openapi: '3.0.3',
        info: { title: 'Several', version: '1' },
        paths: { '/things': { $ref: 'paths/things.json' } },
        components: { schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } } } } },
      },
      'paths/things.json': {
        get: {
          operationId: 'getThing',
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '../api.json#/components/schemas/Thing' } } },
            },
          },
        },
      },
    },
    'one without security': {
      'api.json': {
        openapi: '3.0.3',
        info: { title: 'Open things', version: '1' },
        paths: {
          '/things/{id}': {
            get: {
              ...operation('getThing'),
              parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            },
          },
        },
        components: { schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } } } } },
      },
    },
  }

  test.each([...Object.keys(documents), 'a new one'])(
    '%s: types compile, and the check has nothing but stubs to tell of',
    async name => {
      const project = await folder()
      await install(await built(), project)
      for (const [file, document] of Object.entries(documents[name] ?? {})) {
        await mkdir(join(project, file, '..'), { recursive: true })
        await writeFile(join(project, file), JSON.stringify(document))
      }
      const source = name in documents ? 'api.json' : '--new "City Library"'
      const made = await shell(`npx spec-served init ${source}`, project)
      expect(made.code, made.output).toBe(0)
      expect((await shell('tsc --noEmit', project)).output).toBe('')
      const check = await shell('npm run check', project)
      expect(check.output.match(/^FAILED.*?\(/gm)).toEqual(['FAILED  handlers are written ('])
    },
  )
})

test.each(['', ' --limits'])(
  'init%s: an operation is added, one is ended, and both are mocked',
  async limits => {
    const project = await folder()
    await install(await built(), project)
    await copyFile('src/engine/lab/support/lending.yaml', join(project, 'lending.yaml'))
    for (const line of [
      `npx spec-served init lending.yaml${limits}`,
      "npm run add -- GET '/books/{book}' --tag Books --reply Book --id getBook",
      'npx spec-served deprecate list-books --sunset 2099-01-01 --successor getBook',
    ]) {
      const { code, output } = await shell(line, project)
      expect(code, output).toBe(0)
    }
    expect((await shell('tsc --noEmit', project)).output).toBe('')
    const check = await shell('npm run check', project)
    expect(check.output.match(/^FAILED.*?\(/gm)).toEqual(['FAILED  handlers are written ('])
    const mock = await serving('npx spec-served mock', project)
    try {
      const [book, books] = await Promise.all(
        ['books/1', 'books'].map(path =>
          fetch(`${mock.url}/v1/${path}`, { headers: { authorization: 'Bearer any' } }),
        ),
      )
      expect(await book?.json()).toEqual({ id: 1, title: 'Emma' })
      expect(books?.headers.get('sunset')).toBe('Thu, 01 Jan 2099 00:00:00 GMT')
    } finally {
      await mock.stop()
    }
  },
)

test('the pet store runs on the packed package as it does on the workspace', async () => {
  const project = await folder()
  for (const part of ['spec', 'migrations', 'package.json', 'tsconfig.json'])
    await cp(part, join(project, part), { recursive: true })
  const isOwn = (path: string) => !path.startsWith(join('src', 'engine'))
  await cp('src', join(project, 'src'), { recursive: true, filter: isOwn })
  await install(await built(), project)
  const generated = await shell('npx spec-served generate --check', project)
  expect(generated.code, generated.output).toBe(0)
  expect((await shell('tsc --noEmit', project)).output).toBe('')
  const linted = await shell('npx spec-served lint', project)
  expect(linted.code, linted.output).toBe(0)
  const served = await serving('node src/main.js', project)
  try {
    const key = (await readFile(join(project, 'data/api-key'), 'utf8')).trim()
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const order = JSON.stringify({ petId: 1, quantity: 1 })
    const placed = await fetch(`${served.url}/store/orders`, { method: 'POST', headers, body: order })
    expect(placed.status, served.output()).toBe(201)
    expect(placed.headers.get('ratelimit-policy')).toContain('"minute"')
    expect(await placed.json()).toMatchObject({ petId: 1, quantity: 1, complete: false })
    expect((await fetch(`${served.url}/docs/`)).status).toBe(200)
  } finally {
    await served.stop()
  }
})

test('six commands and one file lead from an empty folder to a stored record, as the README says', async () => {
  const readme = await readFile('src/engine/service/README.md', 'utf8')
  const [, part = ''] = readme.split('## A first real reply\n')
  const blocks = [...(part.split('\n## ')[0]?.matchAll(/```(sh|yaml)\n([\s\S]*?)```/g) ?? [])]
  const [init = '', add = '', develop = '', call = ''] = blocks.flatMap(([, kind, text = '']) =>
    kind === 'sh' ? text.trim().split('\n') : [],
  )
  const project = await folder()
  await install(await built(), project) // two of the six
  for (const line of [init, add]) {
    const { code, output } = await shell(line, project)
    expect(code, output).toBe(0)
    if (line !== init) continue
    const spec = join(project, 'spec/openapi.yaml')
    await writeFile(spec, (await readFile(spec, 'utf8')) + blocks.find(([, kind]) => kind === 'yaml')?.[2])
  }
  expect(await readFile(join(project, 'spec/openapi.yaml'), 'utf8')).not.toMatch(/ [&*]a1\b/)
  const dev = await serving(`${develop} -- --no-types`, project)
  try {
    const reply = await shell(`${call.replace('http://localhost:3000', dev.url)} --silent`, project)
    expect(JSON.parse(reply.output)).toEqual({ id: 1, title: 'Emma' })
    const books = await fetch(`${dev.url}/books`)
    expect([books.headers.get('x-mock'), await books.json()]).toEqual([null, [{ id: 1, title: 'Emma' }]])
  } finally {
    await dev.stop()
  }
})

test('a document of 120 operations is served at once, whatever they are called', async () => {
  const project = await folder()
  await install(await built(), project)
  const long = 'anOperationWithANameThatIsLong'
  const names = [
    ...[long.repeat(2), long.repeat(5), 'delete', 'a.b', '1st', 'с/кириллицей', 'a-b', 'aB', '__proto__'],
    ...["it's", 'default', '*/'],
  ]
  const ids = Array.from({ length: 120 }, (_, index) => names[index] ?? `operation${index}`)
  const paths = Object.fromEntries(
    ids.map((operationId, index) => [
      `/things/${index}`,
      {
        get: {
          operationId,
          tags: [['Things', 'handler', 'Вещи', 'A/B', ''][index % 5]],
          summary: `Gets */ ${index}`,
          responses: { 200: { description: 'ok', content: { 'application/json': { example: { index } } } } },
        },
      },
    ]),
  )
  const document = { openapi: '3.0.3', info: { title: 'Many', version: '1' }, paths }
  await writeFile(join(project, 'api.json'), JSON.stringify(document))
  const made = await shell('npx spec-served init api.json', project)
  expect(made.code, made.output).toBe(0)
  const dev = await serving('npm run dev -- --no-types', project)
  try {
    for (const index of [0, 1, 2, 3, 4, 5, 8, 11, 119])
      expect(await (await fetch(`${dev.url}/things/${index}`)).json()).toEqual({ index })
  } finally {
    await dev.stop()
  }
  expect((await shell('tsc --noEmit', project)).output).toBe('')
  await copyFile('biome.json', join(project, 'biome.json'))
  const handlers = await shell('biome ci src/handlers --vcs-enabled=false', project)
  expect(handlers.output).toContain('No fixes applied')
  expect((await shell('npm run check', project)).output).toContain('120 still to be written')
})

function never(): never {
  throw new Error('README tells nothing')
}
