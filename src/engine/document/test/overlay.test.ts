import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runScript } from 'spec-served-lab/support/command'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { beforeAll, expect, test } from 'vitest'
import { DocumentRefused, formatFaults } from '../reading/fault.ts'
import { readDocument } from '../reading/read.ts'

const directory = sharedOutput()
let spec: string
beforeAll(async () => {
  spec = await write(
    'base.yaml',
    `openapi: 3.0.3
info: { title: Trees, version: "1" }
paths:
  /trees:
    get:
      operationId: listTrees
      tags: [a]
      parameters: &shared
      - { name: limit, in: query, schema: { type: integer } }
      - { name: old, in: query, schema: { type: string } }
      - { name: sort, in: query, schema: { type: string } }
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Tree" } } } } } }
    delete: { operationId: fellTrees, parameters: *shared, responses: { "204": { description: ok } } }
components: { schemas: { Tree: { type: object, properties: { id: { type: integer } } } } }
`,
  )
})

async function write(name: string, text: string): Promise<string> {
  const file = join(directory, name)
  await writeFile(file, text)
  return file
}

const overlayWith = (actions: string) =>
  write('overlay.yaml', `overlay: 1.1.0\ninfo: { title: Ours, version: "1" }\nactions:\n${actions}\n`)

test('overlays change the document before it is read: values, lists, objects, and what several places share', async () => {
  const first = await overlayWith(`
- { target: $.info, update: { title: Our trees, description: Ours } }
- { target: "$.paths['/trees'].get.tags", update: b }
- { target: "$.paths['/trees'].get", update: { tags: [c], x-note: { a: 1 } } }
- { target: "$.paths['/trees'].get.parameters[?@.name == 'old' || @.name == 'limit']", remove: true }
- { target: $.info.version, update: "2" }
- { target: $.components.schemas, update: { Oak: {} } }
- { target: $.components.schemas.Oak, copy: $.components.schemas.Tree }
- { target: $.components.schemas.Oak, update: { properties: { height: { type: number } } } }`)
  const second = await write(
    'second.json',
    '{"overlay":"1.0.0","info":{"title":"t","version":"1"},"actions":[{"target":"$.paths.*.delete","remove":true},{"target":"$.nothing","update":1}]}',
  )
  const read = await readDocument(spec, { overlays: [first, second] })
  const { info, paths, components } = read.document
  expect(info).toMatchObject({ title: 'Our trees', description: 'Ours', version: '2' })
  expect(Object.keys(paths['/trees'] ?? {})).toEqual(['get'])
  expect(paths['/trees']?.get).toMatchObject({ tags: ['a', 'b', 'c'], 'x-note': { a: 1 } })
  expect(paths['/trees']?.get?.parameters).toMatchObject([{ name: 'sort' }])
  expect(components?.schemas).toMatchObject({
    Tree: { properties: { id: { type: 'integer' } } },
    Oak: { properties: { id: { type: 'integer' }, height: { type: 'number' } } },
  })
  expect(components?.schemas?.Tree).not.toHaveProperty('properties.height')
  expect(read.files).toEqual([spec, first, second])
  expect(formatFaults(read.notes())).toContain(
    `${second}:1:111 note #/actions/1/target $.nothing selects nothing in the document`,
  )
})

test('an action that removes changes one place, although the text has it for several', async () => {
  const file = await overlayWith(`- { target: "$.paths['/trees'].get.parameters[1,0,0]", remove: true }`)
  const { document } = await readDocument(spec, { overlays: [file] })
  const { get, delete: fell } = document.paths['/trees'] ?? {}
  expect([get?.parameters, fell?.parameters]).toMatchObject([[{ name: 'sort' }], [{}, {}, {}]])
})

const faultsOf = async (...overlays: string[]) => {
  const error = await readDocument(spec, { overlays }).catch(refusal => refusal)
  return error instanceof DocumentRefused ? error.message.split('\n') : []
}

test('what an overlay brings is told at its line, and all else at the document’s', async () => {
  const file = await overlayWith(`
- target: $.paths
  update:
    /oaks:
      get:
        responses: 7
- { target: "$.paths['/trees'].get.parameters[0,1]", remove: true }
- { target: "$.paths['/trees'].get.parameters[0].schema", update: { type: 9 } }`)
  const faults = await faultsOf(file)
  expect(faults).toEqual([
    expect.stringContaining(`${file}:9:9 structure #/actions/0/update/~1oaks/get/responses `),
    expect.stringContaining(`${file}:11:`),
  ])
  const removed = await overlayWith(
    `- { target: "$.paths['/trees'].get.parameters[0,1]", remove: true }\n- { target: $.components.schemas.Tree, remove: true }`,
  )
  const [missing] = await faultsOf(removed)
  expect(missing).toMatch(new RegExp(`^${spec}:12:\\d+ reference `))
})

test.each([
  [
    '- { target: "$.info[", remove: true }',
    '4:5 overlay #/actions/0/target "$.info[" is no JSONPath of RFC 9535',
  ],
  ['- { target: $.info }', '4:3 overlay #/actions/0 The action does nothing: write update, copy, or remove'],
  ['- { update: 1 }', '4:3 overlay #/actions/0 The action has no target'],
  ['- { target: $, remove: true }', '4:5 overlay #/actions/0/target The document itself can’t be removed'],
  [
    '- { target: $.info, updates: {} , remove: true }',
    '4:21 overlay #/actions/0/updates updates is no field',
  ],
  [
    '- { target: $.info, update: text }',
    '4:21 overlay #/actions/0/update An update of an object is an object',
  ],
  ['- { target: $.info, copy: "$.paths.*.*" }', '4:21 overlay #/actions/0/copy $.paths.*.* selects 2 nodes'],
  ['- { target: $.info, remove: 1 }', '4:21 overlay #/actions/0/remove remove is true or false'],
])('a faulty overlay is refused at its line: %s', async (action, fault) => {
  const file = await overlayWith(action)
  expect((await faultsOf(file)).join('\n')).toContain(`${file}:${fault}`)
})

test('patterns of an overlay take a time that grows no faster than the text', async () => {
  const text = 'a'.repeat(40)
  const file = await overlayWith(`
- { target: $.info, update: { x-a: [{ t: ${text}! }, { t: ${text} }, { t: "b\u2028c" }, { t: 7 }] } }
- { target: "$.info.x-a[?search(@.t, '^(a+)+$')]", update: { found: true } }
- { target: "$.info.x-a[?match(@.t, '(a|aa)+')]", update: { whole: true } }
- { target: "$.info.x-a[?match(@.t, 'b.c')]", update: { dot: true } }
- { target: "$.info.x-a[?match(@.t, 'a')]", update: { part: true } }
- { target: "$.info.x-a[?search(@.t, '(a')]", update: { broken: true } }`)
  const { document } = await readDocument(spec, { overlays: [file] })
  expect(Object(document.info)['x-a']).toEqual([
    { t: `${text}!` },
    { t: text, found: true, whole: true },
    { t: 'b\u2028c', dot: true },
    { t: 7 },
  ])
})

test.each([
  ['lists that double', 'x-a: [1]', '$.info.x-a', '$.info', 'add more than 16 MiB'],
  ['objects in each other', 'x-a: { b: { c: 1 } }', '$.info..*', '$.info', 'add more than 16 MiB'],
])('copies that grow without end are refused at their line: %s', async (_, first, target, copy, message) => {
  const copies = Array(45).fill(`- { target: "${target}", copy: "${copy}" }`)
  const file = await overlayWith([`- { target: $.info, update: { ${first} } }`, ...copies].join('\n'))
  expect((await faultsOf(file)).join('\n')).toMatch(new RegExp(`${file}:\\d+:\\d+ overlay .*${message}`))
})

test('queries that look at nodes without end are refused', async () => {
  const deep = `${'{ a: '.repeat(40)}1${' }'.repeat(40)}`
  const file = await overlayWith(`
- { target: $.info, update: { x-deep: ${deep} } }
- { target: "$${'..*'.repeat(12)}[?@.none]", update: {} }`)
  expect((await faultsOf(file)).join('\n')).toMatch(/:6:\d+ overlay .*can’t be looked up \(.* too many nodes/)
})

test('a file that is no overlay is refused', async () => {
  expect(await faultsOf(spec)).toEqual([expect.stringContaining('This is no overlay')])
  const old = await write('old.yaml', 'overlay: 2.0.0\ninfo: {}\nactions: []')
  expect((await faultsOf(old)).join()).toMatch(
    /Only overlays of 1\.0 and 1\.1 are applied.*An overlay has a list/,
  )
})

test('commands apply overlays first: types, clients and the lint', async () => {
  const file = await overlayWith(
    '- { target: $.components.schemas.Tree.properties, update: { height: { type: number } } }',
  )
  const out = join(directory, 'out')
  const options = ['--spec', spec, '--overlay', file, '--out', out]
  expect(await runScript('generate', options)).toMatchObject({ code: 0 })
  expect(await readFile(join(out, 'schema.ts'), 'utf8')).toContain('height?: number')
  expect(await readFile(join(out, 'operations.ts'), 'utf8')).toContain('isOverlaid = true')
  expect(await runScript('client', options)).toMatchObject({ code: 0 })
  expect(await readFile(join(out, 'schema.d.ts'), 'utf8')).toContain('height?: number')
  const wrong = await overlayWith('- { target: $.paths, update: { oaks: {} } }')
  const { code, output } = await runScript('lint', [spec, '--overlay', wrong])
  expect([code, output]).toEqual([1, expect.stringContaining(`${wrong}:4:`)])
})
