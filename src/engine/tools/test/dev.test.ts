import { symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { programLine } from 'spec-served-lab/support/command'
import { develop, run } from 'spec-served-lab/support/development'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { afterAll, beforeAll, expect, test } from 'vitest'

const project = sharedDirectory()
const spec = join(project, 'spec/openapi.yaml')
const handlers = join(project, 'src/handlers/books.ts')
const books = `openapi: 3.0.3
info: { title: Books, version: "1" }
paths:
  /books:
    get: { operationId: listBooks, tags: [Books], responses: { 200: { description: ok } } }
    post: { operationId: addBook, tags: [Books], responses: { 204: { description: ok } } }
`
let dev: Awaited<ReturnType<typeof develop>> | undefined

beforeAll(async () => {
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
  await writeFile(join(project, 'books.yaml'), books)
  const made = await run(`${programLine} init books.yaml`, project)
  expect(made.code, made.output).toBe(0)
  dev = await develop(project, ['--no-types'])
  await dev.url()
})
afterAll(() => dev?.stop())

/** Changes a file, and waits until the command says something. */
async function change(file: string, text: string, said: RegExp): Promise<string[]> {
  dev?.forget()
  await writeFile(file, text)
  await dev?.said(said)
  return dev?.output().trimEnd().split('\n') ?? []
}
const restarted = /^dev: restarted .*\n/m

test('dev says in one line which change it restarted for', async () => {
  const text = await readFile(handlers, 'utf8')
  const lines = await change(handlers, `${text}// a change\n`, restarted)
  const line = /^dev: restarted \(src\/handlers\/books\.ts\), \d+\.\d s, at http:\/\/127\.0\.0\.1:\d+$/
  expect(lines).toEqual([expect.stringMatching(line)])
  await change(handlers, text, restarted)
})

test('dev names the file and the line of code that it can not load, without a stack', async () => {
  const text = await readFile(handlers, 'utf8')
  for (const [wrong, said] of [
    [`${text}\nexport cons x = 1\n`, /src\/handlers\/books\.ts:\d+ Expected .*: correct it there\.\n/],
    [
      `${text}\nthrow new Error('no settings')\n`,
      /src\/handlers\/books\.ts:\d+ no settings: correct it there\.\n/,
    ],
  ] as const) {
    const lines = await change(handlers, wrong, said)
    expect(lines.filter(line => !line.startsWith('dev: '))).toEqual([
      expect.stringMatching(/^The service does not start: src\/handlers/),
    ])
    await change(handlers, text, restarted)
  }
})

test('dev in a folder without a project ends with what to do', async () => {
  const empty = join(project, 'empty')
  await mkdir(empty)
  const { code, output } = await run(`${programLine} dev`, empty)
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^This folder has no src\/server\.ts.* init FILE`\.\n$/),
  ])
})

test('dev does not load a document in which two operations get one operationId', async () => {
  const before = await readFile(handlers, 'utf8')
  const twice = books.replace('operationId: addBook', 'operationId: listBooks')
  const lines = await change(spec, twice, /Give it a name of its own\.\n/)
  expect(lines).toEqual([
    'dev: not loaded, and the document before is still served:',
    'spec/openapi.yaml:6:13 operationId-unique #/paths/~1books/post/operationId Another operation is named listBooks: this one is named listBooks_2. Give it a name of its own.',
  ])
  expect(await readFile(handlers, 'utf8')).toBe(before)
  await change(spec, books, restarted)
})

test('dev removes a stub whose operation is gone, unless somebody has changed it', async () => {
  const before = await readFile(handlers, 'utf8')
  const more = `${books}  /shelves:\n    get: { operationId: listShelves, tags: [Books], responses: { 200: { description: ok } } }
    put: { operationId: putShelf, tags: [Shelves], responses: { 204: { description: ok } } }\n`
  await change(spec, more, restarted)
  expect(await readFile(handlers, 'utf8')).toContain("stub('listShelves')")
  const lines = await change(spec, books, restarted)
  expect(lines.slice(0, -1)).toEqual([
    'dev: src/handlers/books.ts listShelves: removed, as the document has no such operation any more and nobody had changed the stub',
    'dev: src/handlers/shelves.ts putShelf: removed, as the document has no such operation any more and nobody had changed the stub',
  ])
  expect(await readFile(handlers, 'utf8')).toBe(before)
  await expect(readFile(join(project, 'src/handlers/shelves.ts'))).rejects.toThrow('ENOENT')

  await change(spec, more, restarted)
  const changed = (await readFile(handlers, 'utf8')).replace('/** GET /shelves. */', '/** Mine. */')
  await change(handlers, changed, restarted)
  expect((await change(spec, books, restarted)).join('\n')).toMatch(
    /listShelves \(line \d+\): no operations of the document any more/,
  )
  expect(await readFile(handlers, 'utf8')).toBe(changed)
})
