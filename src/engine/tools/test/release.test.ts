import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript } from 'spec-served-lab/support/command'
import { renewedDirectory } from 'spec-served-lab/support/fixtures'
import { type Changes, tinyDocument } from 'spec-served-lab/support/pairs'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { release } from '../changes/release.ts'

const directory = renewedDirectory()

const path = (name: string) => join(directory, name)
const read = (name: string) => readFileSync(path(name), 'utf8')
const write = (changes: Changes, version: string) =>
  writeFileSync(path('openapi.yaml'), `# ours\n${stringify(tinyDocument(changes, version))}`)
const order = (day: string, version?: string) => ({
  spec: path('openapi.yaml'),
  directory: path('released'),
  day,
  version,
})
const answers = { responses: { 200: { description: 'ok' } } }
const page = { name: 'page', in: 'query', schema: { type: 'integer' } }

test('the first release freezes the document as it is written', async () => {
  write({}, '1.0.0')
  const files = [path('released/1.0.0.yaml'), path('released/CHANGELOG.md')]
  expect(await release(order('2026-06-15'))).toEqual({ released: '1.0.0', files })
  expect(read('released/1.0.0.yaml')).toBe(read('openapi.yaml'))
  expect(read('released/CHANGELOG.md')).toBe(
    '# Changes of the interface\n\n## 1.0.0 (2026-06-15)\n\nThe first release.\n',
  )
  expect(await release(order('2026-06-16'))).toEqual({ unchanged: '1.0.0' })
})

test('later releases stand above the earlier ones in the changelog, gravest changes first', async () => {
  write({}, '1.0.0')
  await release(order('2026-06-15'))
  write({ 'list.parameters.2': page }, '1.1.0')
  await release(order('2026-06-16'))
  write({ 'list.parameters.0.schema.default': 5, create: undefined, 'paths./more.get': answers }, '2.0.0')
  await release(order('2026-06-17'))
  expect(read('released/CHANGELOG.md')).toBe(`# Changes of the interface

## 2.0.0 (2026-06-17)

### Breaking

- \`GET /things (listThings) query page\`: the parameter is gone (parameter-removed)
- \`POST /things (createThing)\`: POST /things is gone (operation-removed)

### Warnings

- \`GET /things (listThings) query limit\`: the default was none and is 5 (default-changed)

### Additions

- \`GET /more\`: GET /more is new (operation-added)

## 1.1.0 (2026-06-16)

### Additions

- \`GET /things (listThings) query page\`: the parameter is new (parameter-added)

## 1.0.0 (2026-06-15)

The first release.
`)
})

test('a release with too small a version is refused, and nothing is written', async () => {
  write({}, '1.0.0')
  await release(order('2026-06-15'))
  const changelog = read('released/CHANGELOG.md')
  write({ create: undefined }, '1.1.0')
  const refused = 'the changes since 1.0.0 need 2.0.0 (major), but the version is 1.1.0'
  expect(await release(order('2026-06-16'))).toEqual({ refused })
  expect(existsSync(path('released/1.1.0.yaml'))).toBe(false)
  expect(read('released/CHANGELOG.md')).toBe(changelog)
})

test('a released version is never released with other content', async () => {
  write({}, '1.0.0')
  await release(order('2026-06-15'))
  write({ 'list.description': 'All.' }, '1.0.0')
  expect(await release(order('2026-06-16'))).toEqual({
    refused: '1.0.0 is released already with other content, and a release never changes: raise the version',
  })
})

test('a version below the newest release is refused', async () => {
  write({}, '1.10.0')
  await release(order('2026-06-15'))
  write({}, '1.9.0')
  expect(await release(order('2026-06-15'))).toEqual({
    refused: '1.10.0 is released already, and 1.9.0 is lower: give a higher version',
  })
})

test('--version goes into the document, which else stays as it is written', async () => {
  write({ create: undefined }, '1.0.0')
  const before = read('openapi.yaml')
  expect(await release(order('2026-06-15', '2.0.0'))).toMatchObject({ released: '2.0.0' })
  expect(read('openapi.yaml')).toBe(before.replace('version: 1.0.0', 'version: 2.0.0'))
  expect(read('released/2.0.0.yaml')).toBe(read('openapi.yaml'))
  expect(await release(order('2026-06-15', 'two'))).toEqual({
    refused: 'two is no version: give it as MAJOR.MINOR.PATCH, such as 1.1.0',
  })
})

test('a document in several files is frozen as one', async () => {
  mkdirSync(path('parts'))
  writeFileSync(path('parts/reply.yaml'), 'type: string\n')
  write({ reply: { $ref: './parts/reply.yaml' } }, '1.0.0')
  await release(order('2026-06-15'))
  expect(read('released/1.0.0.yaml')).not.toContain('./parts/reply.yaml')
  writeFileSync(path('parts/reply.yaml'), 'type: integer\n')
  expect(await release(order('2026-06-15'))).toHaveProperty('refused')
})

test('an operation without a name has none in a frozen document', async () => {
  mkdirSync(path('parts'))
  writeFileSync(path('parts/reply.yaml'), 'type: string\n')
  write({ reply: { $ref: './parts/reply.yaml' }, 'paths./more/{id}.get': answers }, '1.0.0')
  await release(order('2026-06-15'))
  write({ reply: { $ref: './parts/reply.yaml' }, 'paths./more/{name}.get': answers }, '1.0.1')
  expect(await release(order('2026-06-16'))).toMatchObject({ released: '1.0.1' })
})

test('an example that holds a reference is data, and the text is frozen as it is written', async () => {
  write({ 'components.schemas.Thing.example': { $ref: './name' } }, '1.0.0')
  await release(order('2026-06-15'))
  expect(read('released/1.0.0.yaml')).toBe(read('openapi.yaml'))
})

test('the command says what it wrote, and refuses with exit code 1', async () => {
  write({}, '1.0.0')
  const places = ['--spec', path('openapi.yaml'), '--released', path('released')]
  const run = (...more: string[]) => runScript('release', [...places, '--now', '2026-06-15', ...more])
  const { code, output } = await run()
  expect(output).toMatch(
    /^released 1\.0\.0: wrote .*\nCommit .*\nTag .* v1\.0\.0\nFrom then on .* against 1\.0\.0\.\n$/,
  )
  expect(code).toBe(0)
  expect(parse(read('released/1.0.0.yaml')).info.version).toBe('1.0.0')
  write({ create: undefined }, '1.0.1')
  expect(await run()).toMatchObject({ code: 1 })
  expect(await run('--nope')).toMatchObject({ code: 2 })
  expect((await run('--version', '2.0.0')).output).toMatch(
    /\nRun `npm run generate`: .*\nCommit .*"Release 2\.0\.0"\n/,
  )
})
