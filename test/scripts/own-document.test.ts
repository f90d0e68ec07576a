import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLine } from '../support/command.ts'
import { copyOfProject, develop, run as runProcess } from '../support/development.ts'
import { apply, commandsOf, stepsOf } from '../support/recipes.ts'

const steps = stepsOf(await readFile('spec/own-document.md', 'utf8'))
const copies: string[] = []

/** Runs a command in a copy: one of ours in this process, as each start of another takes longer than what it does. */
const run = (command: string, copy: string): Promise<{ code: number; output: string }> =>
  runLine(command, copy) ?? runProcess(command, copy)

async function newCopy(): Promise<string> {
  const copy = await copyOfProject()
  copies.push(copy)
  return copy
}
afterAll(() => Promise.all(copies.map(copy => rm(copy, { recursive: true, maxRetries: 3 }))))

describe('spec/own-document.md, word by word, with a document of another trade', { timeout: 240_000 }, () => {
  let copy: string
  beforeAll(async () => {
    copy = await newCopy()
    await cp('test/support/lending.yaml', join(copy, 'lending.yaml'))
  })
  const commands = steps.map(step => (step.kind === 'sh' ? commandsOf(step) : step))

  test('it is in place, is served at once, and becomes real one step after the other', async () => {
    const [place, handler, checker, check] = commands
    expect(place).toEqual(['cp lending.yaml spec/openapi.yaml', 'npm run generate', 'npm run dev'])
    expect(check).toEqual(['node scripts/check-written.ts'])
    if (!handler || !checker || Array.isArray(handler) || Array.isArray(checker))
      throw new Error('two changes')

    expect((await run('cp lending.yaml spec/openapi.yaml', copy)).code).toBe(0)
    const generated = await run('npm run generate', copy)
    expect(generated.code, generated.output).toBe(0)
    expect(generated.output).toContain('src/handlers/books.ts list-books, addBook: to be written')
    expect(generated.output).toMatch(
      /src\/handlers\/animals\.ts listPets \(line \d+\), .*nothing calls these/,
    )
    expect(await readFile(join(copy, 'src/handlers/books.ts'), 'utf8')).toContain(
      '/** List books. */\nexport const',
    )
    expect((await run('npm run generate -- --check', copy)).code).toBe(0)

    const start = await run('npm start', copy)
    expect(start.code).toBe(1)
    expect(start.output).toContain('not written yet: list-books, addBook, delete, getStatus.')
    expect(start.output).toContain('ask for card: hand over a checker of that name')

    const dev = await develop(copy, ['--no-types']) // they are checked below
    try {
      const get = async (path: string, headers = {}) => fetch(`${await dev.url()}${path}`, { headers })
      const mock = await get('/books', { authorization: 'Bearer any' })
      expect(mock.headers.get('x-mock')).toBe('true')
      expect(await mock.json()).toEqual([{ id: 1, title: 'Emma' }])
      expect((await get('/books')).status).toBe(401)
      expect((await get('/status')).status).toBe(200)
      expect(dev.output()).toContain('The document has no x-rate-limits: nobody is limited')

      dev.forget()
      await apply(handler, copy)
      await dev.said(/dev: serves after/)
      const real = await get('/books?author=Austen', { authorization: 'Bearer any' })
      expect(real.headers.get('x-mock')).toBeNull()
      expect(await real.json()).toEqual([{ id: 7, title: 'By Austen' }])

      dev.forget()
      await apply(checker, copy)
      await dev.said(/dev: serves after/)
      expect((await get('/books', { authorization: 'Bearer any' })).status).toBe(401)
      expect((await get('/books', { authorization: 'Bearer secret' })).status).toBe(200)
    } finally {
      await dev.stop()
    }
    const types = await run('tsc -p scripts/dev/tsconfig.json --noUnusedLocals false', copy)
    expect(types.output).toBe('')
    const left = await run('node scripts/check-written.ts', copy)
    expect(left.code).toBe(1)
    expect(left.output).toContain('addBook is not written yet')
    expect(left.output).not.toContain('list-books')
    expect(left.output).toContain('3 still to be written')
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

test('a document of 120 operations is served at once, whatever they are called', {
  timeout: 120_000,
}, async () => {
  const copy = await newCopy()
  const names = ['delete', 'a.b', '1st', 'с/кириллицей', 'a-b', 'aB', '__proto__', "it's", 'default', '*/']
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
    for (const index of [0, 1, 2, 3, 6, 9, 119])
      expect(await (await fetch(`${url}/things/${index}`)).json()).toEqual({ index })
  } finally {
    await dev.stop()
  }
  expect((await run('tsc -p scripts/dev/tsconfig.json', copy)).output).toBe('')
  expect((await run('node scripts/check-written.ts', copy)).output).toContain('120 still to be written')
})
