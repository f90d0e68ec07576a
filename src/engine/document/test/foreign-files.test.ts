import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { generate } from 'spec-served-cli/internal/generate/emit'
import { checkDocument } from 'spec-served-cli/internal/lint/lint'
import { runScript } from 'spec-served-lab/support/command'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatFaults } from '../reading/fault.ts'
import { readDocument } from '../reading/read.ts'
import { vendor } from '../reading/vendored.ts'

const asked: string[] = []
const server = createServer(({ url }, response) => {
  asked.push(String(url))
  response.end('{ "description": "ok" }')
})
let origin: string
let folder: string
beforeAll(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  folder = temporaryDirectory()
  await mkdir(join(folder, 'spec'))
  await writeFile(join(folder, 'secret.yaml'), 'password: { description: hunter2 }')
  await symlink('../secret.yaml', join(folder, 'spec/link.yaml'))
  await symlink('/dev/zero', join(folder, 'spec/zero.yaml'))
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

/** Writes a document with parts of an operation, and tells what the lint finds. */
async function faultsOf(operation: object): Promise<string> {
  const get = { operationId: 'a', responses: { 200: { description: 'ok' } }, ...operation }
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, 'x-rate-limits': {} }
  const file = join(folder, 'spec/openapi.json')
  await writeFile(file, JSON.stringify({ ...document, paths: { '/a': { get } } }))
  return formatFaults(await checkDocument(file, 'full'))
}
const responding = (reference: string) => faultsOf({ responses: { 200: { $ref: reference } } })

test.each([
  [
    'a file beside its folder',
    () => '../secret.yaml#/password',
    /secret\.yaml is outside the folder of the document/,
  ],
  ['a file of the system', () => '/etc/passwd', /\/etc\/passwd is outside the folder/],
  ['a link that leads out of the folder', () => 'link.yaml#/password', /link\.yaml is outside the folder/],
  ['a device', () => 'zero.yaml', /zero\.yaml is outside the folder/],
  ['a folder', () => '.', /\. can't be read/],
  ['an address', () => `${origin}/a.json`, /is not on this machine: save it beside the document/],
  [
    'an address without its scheme',
    () => `//${origin.slice(7)}/a.json`,
    /outside the folder|can't be read|not on this/,
  ],
])('the lint reads nothing where a document refers to %s', async (_, reference, message) => {
  const output = await responding(reference())
  expect(output).toMatch(message)
  expect(output).not.toMatch(/hunter2|root:/)
  expect(asked).toEqual([])
})

test('a document whose references go beside its folder is read with --root', async () => {
  await mkdir(join(folder, 'apis/pets'), { recursive: true })
  await mkdir(join(folder, 'apis/common'))
  const spec = join(folder, 'apis/pets/openapi.json')
  const get = { operationId: 'a', responses: { 200: { $ref: '../common/replies.json#/Done' } } }
  await writeFile(join(folder, 'apis/common/replies.json'), '{ "Done": { "description": "Done as well." } }')
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: { '/a': { get } } }
  await writeFile(spec, JSON.stringify(document))
  const out = join(folder, 'client')
  const without = await runScript('client', ['--spec', spec, '--out', out])
  expect([without.code, without.output]).toEqual([
    1,
    expect.stringMatching(/replies\.json is outside the folder of the document.*--root/),
  ])
  const { code } = await runScript('client', ['--spec', spec, '--out', out, '--root', join(folder, 'apis')])
  expect([code, await readFile(join(out, 'schema.d.ts'), 'utf8').catch(() => '')]).toEqual([
    0,
    expect.stringContaining('Done as well.'),
  ])
  const other = await runScript('client', ['--spec', spec, '--out', out, '--root', join(folder, 'apis/pets')])
  expect(other.code).toBe(1)
})

test('the lint and the generator ask no network for what only looks like a reference', async () => {
  const data = { $ref: `${origin}/data.json`, b: { $ref: '../../secret.yaml' } }
  const schema = { type: 'object', default: data, enum: [data], example: data, 'x-of': data }
  const json = { 'application/json': { schema, example: data, examples: { a: { value: data } } } }
  const links = { a: { operationId: 'a', parameters: { b: data }, requestBody: data, 'x-of': data } }
  const response = { description: 'ok', content: json, links, 'x-of': data }
  const callbacks = { back: { '{$url}': { get: { responses: { 200: response } } }, 'x-of': data } }
  await faultsOf({ 'x-of': data, callbacks, responses: { 200: response, 'x-of': data } })
  const { document } = await readDocument(join(folder, 'spec/openapi.json'))
  await generate(document, 'the document', '0')
  expect(asked).toEqual([])
})

test('a document that is no regular file, or is too large, is refused unread', async () => {
  await expect(readDocument('/dev/zero')).rejects.toThrow('This is no regular file')
  expect(formatFaults(await checkDocument('/dev/zero', 'full'))).toContain('This is no regular file')
  const large = join(folder, 'large.yaml')
  await writeFile(large, '')
  await truncate(large, 2 ** 27)
  await expect(readDocument(relative('.', large))).rejects.toThrow('The file has more than 64 MiB')
})

test('what a document refers to on the network is saved beside it, from the allowed hosts alone', async () => {
  const files: Record<string, string> = {
    '/a/pet.yaml': 'Pet: { type: object, properties: { tag: { $ref: "tag.yaml#/Tag" } } }',
    '/a/tag.yaml': 'Tag: { type: string, maxLength: 7 }',
    '/large.yaml': 'x'.repeat(9 * 2 ** 20),
  }
  const remote = createServer(({ url = '' }, response) => {
    const text = files[url]
    if (url.startsWith('/moved')) response.writeHead(302, { location: url.slice('/moved'.length) }).end()
    else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (url === '/away') response.writeHead(302, { location: 'http://elsewhere.invalid/' }).end()
    else response.writeHead(text === undefined ? 404 : 200).end(text)
  })
  await new Promise<void>(done => remote.listen(0, '127.0.0.1', done))
  const { port } = remote.address() as AddressInfo // it listens on a port
  const host = `127.0.0.1:${port}`
  const document = join(folder, 'spec/remote.yaml')
  const write = (path: string) =>
    writeFile(
      document,
      `openapi: 3.0.3
info: { title: Remote, version: '1' }
paths: {}
components: { schemas: { Pet: { $ref: 'http://${host}${path}' } } }`,
    )
  await write('/a/pet.yaml#/Pet')
  await expect(readDocument(document)).rejects.toThrow(
    `npx spec-served vendor --spec ${relative('.', document)} --host ${host}`,
  )
  await expect(vendor(document, ['example.org'])).rejects.toThrow(`add --host ${host}`)
  expect((await vendor(document, [host])).length).toBe(2)
  remote.closeAllConnections()
  expect(JSON.stringify((await readDocument(document)).document)).toContain('"maxLength":7')
  await write('/moved/a/tag.yaml#/Tag')
  expect((await vendor(document, [host])).length).toBe(1)
  for (const [path, fault] of [
    ['/large.yaml', 'more than 8 MiB'],
    ['/loop', 'more than 5 times'],
    ['/away', 'elsewhere.invalid, which is not allowed'],
    ['/gone', 'answers 404'],
  ] as const) {
    await write(path)
    await expect(vendor(document, [host]), path).rejects.toThrow(fault)
  }
  remote.close()
})

test.each([
  ['the folder of all copies', 'vendor'],
  ['the folder of a host', 'vendor/HOST'],
  ['a folder below that', 'vendor/HOST/a'],
  ['a file', 'vendor/HOST/a/one.yaml'],
])(
  'what is saved of the network stays beside the document, although %s is a symbolic link',
  async (_, name) => {
    const remote = createServer((_request, response) => response.end('One: { type: string }'))
    await new Promise<void>(done => remote.listen(0, '127.0.0.1', done))
    const { port } = remote.address() as AddressInfo // it listens on a port
    const directory = temporaryDirectory()
    const [outside, beside] = [join(directory, 'outside'), join(directory, 'spec')]
    await mkdir(join(outside, 'a'), { recursive: true })
    await writeFile(join(outside, 'one.yaml'), 'mine')
    const link = join(beside, name.replace('HOST', `127.0.0.1_${port}`))
    await mkdir(join(link, '..'), { recursive: true })
    await symlink(name.endsWith('yaml') ? join(outside, 'one.yaml') : outside, link)
    const document = join(beside, 'openapi.yaml')
    await writeFile(
      document,
      `components: { schemas: { One: { $ref: 'http://127.0.0.1:${port}/a/one.yaml#/One' } } }`,
    )
    const saved = vendor(document, [`127.0.0.1:${port}`])
    if (name.endsWith('yaml')) expect(await saved).toHaveLength(1)
    else await expect(saved).rejects.toThrow(`${link} is a symbolic link`)
    remote.closeAllConnections()
    remote.close()
    expect(await readdir(outside, { recursive: true })).toEqual(['a', 'one.yaml'])
    expect(await readFile(join(outside, 'one.yaml'), 'utf8')).toBe('mine')
    await rm(directory, { recursive: true })
  },
)
