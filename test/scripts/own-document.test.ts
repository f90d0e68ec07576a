import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLine } from '../support/command.ts'
import { copyOfProject, develop, run as runProcess } from '../support/development.ts'
import { apply, commandsOf, stepsOf } from '../support/recipes.ts'

const steps = stepsOf(await readFile('spec/own-document.md', 'utf8'))
const copies: string[] = []

/**
 * Runs a command in a copy: the generator in this process, as each start of another takes longer than what it does; what reads
 * the code of the copy in one of its own.
 */
const run = (command: string, copy: string): Promise<{ code: number; output: string }> =>
  (command.startsWith('npm run generate') ? runLine(command, copy) : undefined) ?? runProcess(command, copy)

/** As a clone is: what is there is committed. */
const commit = (copy: string) =>
  run('git init -q && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm x', copy)

async function newCopy(): Promise<string> {
  const copy = await copyOfProject()
  copies.push(copy)
  return copy
}
afterAll(() => Promise.all(copies.map(copy => rm(copy, { recursive: true, maxRetries: 3 }))))

describe('spec/own-document.md, word by word, with a document of another trade', () => {
  let copy: string
  beforeAll(async () => {
    copy = await newCopy()
    await cp('test/support/lending.yaml', join(copy, 'lending.yaml'))
  })
  const commands = steps.map(step => (step.kind === 'sh' ? commandsOf(step) : step))

  test('it is shown what goes, and nothing is changed that git could not bring back', async () => {
    const [place] = commands
    const [show = '', take = ''] = Array.isArray(place) ? place : []
    expect((await run(show, copy)).output).toContain('This is no git repository')
    await commit(copy)
    const shown = await run(show, copy)
    expect(shown.code, shown.output).toBe(0)
    expect(shown.output).toMatch(/goes {2}src\/handlers +7 files/)
    expect(shown.output).toContain('Nothing was changed: add --write')
    await writeFile(join(copy, 'src/handlers/animals.ts'), '')
    const refused = await run(take, copy)
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(/Commit or stash first.*\n.*animals\.ts/)
    expect((await run('git checkout -q . && git status --porcelain', copy)).output).toBe('')
  })

  test('it is in place, is served at once, and becomes real one step after the other', async () => {
    const [place, handler, checker, check] = commands
    expect(place).toEqual([
      'npm run own -- lending.yaml',
      'npm run own -- lending.yaml --write',
      'npm run dev',
    ])
    expect(check).toEqual(['node scripts/check-written.ts'])
    if (!handler || !checker || Array.isArray(handler) || Array.isArray(checker))
      throw new Error('two changes')

    const taken = await run('npm run own -- lending.yaml --write', copy)
    expect(taken.code, taken.output).toBe(0)
    expect(await readFile(join(copy, 'src/handlers/books.ts'), 'utf8')).toContain(
      '/** List books. */\nexport const',
    )
    expect(await readFile(join(copy, 'README.md'), 'utf8')).toMatch(
      /^# Lending library\n(?:.|\n)*`list-books`/,
    )
    const foreign = await run(`grep -rlE 'pet_live|petstore' src scripts migrations *.*`, copy)
    const own = /^scripts\/(document|limits)\//
    expect(foreign.output.split('\n').filter(file => !own.test(file))).toEqual([''])
    for (const step of [
      'node scripts/generate.ts --check',
      'npm run readme -- --check',
      'npm run check:breaking',
    ]) {
      const { code, output } = await run(step, copy)
      expect([step, code, output]).toEqual([step, 0, expect.anything()])
    }

    const start = await run('npm start', copy)
    expect(start.code).toBe(1)
    expect(start.output).toContain('not written yet: list-books, addBook, delete, getStatus.')
    expect(start.output).toContain('ask for card: hand over a checker of that name')

    const dev = await develop(copy, ['--no-types']) // they are checked below
    try {
      const get = async (path: string, headers = {}) => fetch(`${await dev.url()}/v1${path}`, { headers })
      const mock = await get('/books', { authorization: 'Bearer any' })
      expect(mock.headers.get('x-mock')).toBe('true')
      expect(await mock.json()).toEqual([{ id: 1, title: 'Emma' }])
      expect((await get('/books')).status).toBe(401)
      expect((await get('/status')).status).toBe(200)
      expect(dev.output()).toContain('The document has no x-rate-limits: nobody is limited')

      dev.forget()
      await apply(handler, copy)
      await dev.url()
      const real = await get('/books?author=Austen', { authorization: 'Bearer any' })
      expect(real.headers.get('x-mock')).toBeNull()
      expect(await real.json()).toEqual([{ id: 7, title: 'By Austen' }])

      dev.forget()
      await apply(checker, copy)
      await dev.url()
      expect((await get('/books', { authorization: 'Bearer any' })).status).toBe(401)
      expect((await get('/books', { authorization: 'Bearer secret' })).status).toBe(200)
    } finally {
      await dev.stop()
    }
    expect((await run('tsc -p scripts/dev/tsconfig.json', copy)).output).toBe('')
    const left = await run('node scripts/check-written.ts', copy)
    expect(left.code).toBe(1)
    expect(left.output).toContain('addBook is not written yet')
    expect(left.output).not.toContain('list-books')
    expect(left.output).toContain('3 still to be written')
    const contract = await run('npm run check:contract', copy)
    expect(contract.code, contract.output).toBe(0)
  })

  test('an operation that gets another name is told with the place of its handler', async () => {
    const file = join(copy, 'spec/openapi.yaml')
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('operationId: list-books', 'operationId: findBooks'),
    )
    const { output } = await run('npm run generate', copy)
    expect(output).toMatch(/src\/handlers\/books\.ts:\d+ list-books is called findBooks now/)
  })
})

test('a document of several files that refer back to it by its name is in place', async () => {
  const copy = await newCopy()
  const paths = join(copy, 'other/paths')
  await mkdir(paths, { recursive: true })
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
  await writeFile(join(copy, 'other/api.yaml'), document)
  const content = { 'application/json': { schema: { $ref: '../api.yaml#/components/schemas/B' } } }
  const item = { get: { operationId: 'a', responses: { 200: { description: 'api.yaml', content } } } }
  await writeFile(join(paths, 'a.json'), JSON.stringify(item))
  await commit(copy)
  const taken = await run('npm run own -- other/api.yaml --write', copy)
  expect(taken.code, taken.output).toBe(0)
  const renamed = document.replaceAll(/'?(\.\/)?api\.yaml(#[\w/]+)'?/g, '"openapi.yaml$2"')
  expect(await readFile(join(copy, 'spec/openapi.yaml'), 'utf8')).toBe(renamed)
  const ofPath = await readFile(join(copy, 'spec/paths/a.json'), 'utf8')
  expect(JSON.stringify(JSON.parse(ofPath))).toBe(
    JSON.stringify(item).replace('../api.yaml', '../openapi.yaml'),
  )
  expect((await run('npm run generate -- --check', copy)).code).toBe(0)
})

test('a part of a document may not stand where the document goes', async () => {
  const copy = await newCopy()
  await writeFile(join(copy, 'openapi.yaml'), 'A: { description: ok }')
  const paths = '{ /a: { get: { operationId: a, responses: { 200: { $ref: "openapi.yaml#/A" } } } } }'
  await writeFile(
    join(copy, 'api.yaml'),
    `{ openapi: 3.0.3, info: { title: T, version: "1" }, paths: ${paths} }`,
  )
  const { code, output } = await run('npm run own -- api.yaml', copy)
  expect([code, output]).toEqual([1, expect.stringContaining('openapi.yaml would stand where api.yaml goes')])
})

test('a document of 120 operations is served at once, whatever they are called', async () => {
  const copy = await newCopy()
  const long = 'anOperationWithANameThatIsLong'
  const names = [
    long.repeat(2),
    long.repeat(5),
    'delete',
    'a.b',
    '1st',
    'с/кириллицей',
    'a-b',
    'aB',
    '__proto__',
    "it's",
    'default',
    '*/',
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
  await writeFile(join(copy, 'spec/openapi.yaml'), JSON.stringify(document))
  const generated = await run('npm run generate', copy)
  expect(generated.code, generated.output).toBe(0)
  const dev = await develop(copy, ['--no-types'])
  try {
    const url = await dev.url()
    for (const index of [0, 1, 2, 3, 4, 5, 8, 11, 119])
      expect(await (await fetch(`${url}/things/${index}`)).json()).toEqual({ index })
  } finally {
    await dev.stop()
  }
  expect((await run('tsc -p scripts/dev/tsconfig.json', copy)).output).toBe('')
  expect((await run('biome ci src/handlers --vcs-enabled=false', copy)).output).toContain('No fixes applied')
  expect((await run('node scripts/check-written.ts', copy)).output).toContain('120 still to be written')
})
