import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runScript } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { tinyDocument } from 'spec-served-lab/support/pairs'
import { beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'

const run = promisify(execFile)
const directory = sharedDirectory()

const write = (name: string, content: string) => writeFileSync(join(directory, name), content)

beforeAll(async () => {
  mkdirSync(join(directory, 'spec/released'), { recursive: true })
  write('spec/openapi.yaml', stringify(tinyDocument({})))
  write('spec/released/1.9.0.yaml', stringify(tinyDocument({ 'list.operationId': 'old' }, '1.9.0')))
  write('spec/released/1.10.0.yaml', stringify(tinyDocument({}, '1.10.0')))
  write('gone.yaml', stringify(tinyDocument({ list: undefined }, '2.0.0')))
  write(
    'more.yaml',
    stringify(tinyDocument({ 'paths./more.get': { responses: { 200: { description: 'ok' } } } }, '1.11.0')),
  )
  write('broken.yaml', 'openapi: 3.0.3\ninfo: [')
  write('dangling.yaml', stringify(tinyDocument({ body: { $ref: '#/components/schemas/None' } })))
  const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
  write(
    'nameless.yaml',
    stringify(tinyDocument({ 'list.parameters.0.name': undefined, 'components.schemas': schemas })),
  )
  write('swagger.yaml', 'swagger: "2.0"\ninfo: { title: Old, version: 1.0.0 }\npaths: {}\n')
  const git = (...args: string[]) => run('git', args, { cwd: directory })
  await git('init', '--quiet')
  write('apart.yaml', stringify(tinyDocument({ reply: { $ref: './parts/reply.yaml' } })))
  mkdirSync(join(directory, 'parts'))
  write('parts/reply.yaml', 'type: string\nmaxLength: 5\n')
  await git('add', '.')
  const author = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com']
  await git(...author, 'commit', '--quiet', '--message', 'First')
  await git('tag', 'first')
  write('parts/reply.yaml', 'type: text\n')
  await git(...author, 'commit', '--all', '--quiet', '--message', 'Second')
  await git('tag', 'broken')
  write('parts/reply.yaml', 'type: string\nmaxLength: 9\n')
})

function check(...args: string[]) {
  const day = args.includes('--now') ? [] : ['--now', '2026-06-15']
  return runScript('check:breaking', [...day, ...args], directory)
}

test('an addition with its version passes, against the newest release by number', async () => {
  const { code, output } = await check('--spec', 'more.yaml')
  expect(output).toMatch(
    /^more\.yaml:\d+ info operation-added #\/paths\/~1more\/get \[GET \/more\] GET \/more is new: clients need not use it$/m,
  )
  expect(output).toContain('more.yaml against spec/released/1.10.0.yaml: 0 breaking, 0 warning, 1 info')
  expect(code).toBe(0)
})

test('a break fails, with the line of the base for what is only there', async () => {
  const { code, output } = await check('--base', 'spec/openapi.yaml', '--spec', 'gone.yaml')
  const line = stringify(tinyDocument({})).split('\n').indexOf('    get:') + 1
  expect(output).toContain(
    `spec/openapi.yaml:${line} breaking operation-removed #/paths/~1things/get [GET /things (listThings)] GET /things is gone`,
  )
  expect(code).toBe(1)
})

test('a version that must rise is no break, and fails', async () => {
  write('still.yaml', stringify(tinyDocument({ 'list.description': 'All.' })))
  const { code, output } = await check('--base', 'spec/openapi.yaml', '--spec', 'still.yaml')
  expect(output).toMatch(
    /^still\.yaml:\d+ version version-bump #\/info\/version the changes since 1\.0\.0 need 1\.0\.1 /m,
  )
  expect(output).toContain('still.yaml against spec/openapi.yaml: 0 breaking, 1 version, 0 warning, 0 info')
  expect(code).toBe(1)
})

test('the JSON form is an array of findings', async () => {
  const { code, output } = await check(
    '--base',
    'spec/openapi.yaml',
    '--spec',
    'gone.yaml',
    '--format',
    'json',
  )
  expect(JSON.parse(output)).toEqual([
    {
      severity: 'breaking',
      rule: 'operation-removed',
      places: ['GET /things (listThings)'],
      file: 'spec/openapi.yaml',
      line: expect.any(Number),
      pointer: '/paths/~1things/get',
      what: 'GET /things is gone',
      why: 'clients that call it fail',
    },
  ])
  expect(code).toBe(1)
})

test('without changes, the JSON form is an empty array', async () => {
  expect(await check('--base', 'gone.yaml', '--spec', 'gone.yaml', '--format', 'json')).toMatchObject({
    code: 0,
    output: '[]\n',
  })
})

test('the GitHub form annotates the lines', async () => {
  const { output } = await check('--base', 'spec/openapi.yaml', '--spec', 'gone.yaml', '--format', 'github')
  expect(output).toMatch(
    /^::error file=spec\/openapi\.yaml,line=\d+,title=operation-removed::#\/paths\/~1things\/get \[GET \/things \(listThings\)\] GET \/things is gone: /,
  )
})

test('a base at a git ref is read with the files that it refers to', async () => {
  const { code, output } = await check('--base-ref', 'first', '--spec', 'apart.yaml')
  expect(output).toContain(
    'parts/reply.yaml:2 breaking max-length-widened #/maxLength [GET /things/{id} (getThing) response 200] maxLength was 5 and is 9',
  )
  expect(output).toContain('apart.yaml against first:apart.yaml')
  expect(code).toBe(1)
})

test.each([
  ['an unknown option', ['--nope'], '--help` lists what it takes'],
  ['an unknown format', ['--format', 'xml'], '--format must be one of text, json, github'],
  ['a day that is none', ['--now', '2026-02-30'], '--now is a day'],
  ['two bases', ['--base', 'gone.yaml', '--base-ref', 'first'], 'exclude one another'],
])('%s is wrong use', async (_what, args, message) => {
  const { code, output } = await check(...args)
  expect(output).toMatch(message)
  expect(code).toBe(2)
})

test.each([
  ['a file that is not there', ['--spec', 'nowhere.yaml'], 'nowhere.yaml'],
  ['a ref that is not there', ['--base-ref', 'nowhere'], 'nowhere'],
  ['broken YAML', ['--spec', 'broken.yaml'], 'broken.yaml'],
  ['a reference to nothing', ['--spec', 'dangling.yaml'], 'dangling.yaml'],
  ['a parameter without a name', ['--spec', 'nameless.yaml'], /nameless\.yaml:\d+:\d+ .*name is missing/],
  ['what else is wrong there', ['--spec', 'nameless.yaml'], /nameless\.yaml:\d+:\d+ cycle /],
  ['another kind of document', ['--spec', 'swagger.yaml'], 'swagger.yaml:1:1 version #/swagger'],
  [
    'a base that can’t be read',
    ['--spec', 'apart.yaml', '--base-ref', 'broken'],
    'broken:parts/reply.yaml:1:1 structure #/type',
  ],
])('%s is a failure', async (_what, args, message) => {
  const { code, output } = await check(...args)
  expect(output).toMatch(message)
  expect(code).toBe(1)
})
