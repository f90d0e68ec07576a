import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { connect } from 'spec-served/internal/client/client'
import type { AnyHandler } from 'spec-served/internal/routes/binding'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { misjudged } from 'spec-served-lab/support/compile'
import { serve } from 'spec-served-lab/support/engine'
import { ownDocuments, writeClient } from 'spec-served-lab/support/exchanges'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { clientPackage } from '../client/package.ts'

const document = parse(await readFile(new URL('client-writing.yaml', import.meta.url), 'utf8'))
const directory = resolve(sharedOutput())

/** The last request that the service has read. */
let read: Parameters<AnyHandler<object>>[0]
/** The request that the client has sent last. */
let sent: Request
const kept: AnyHandler<object> = async input => {
  read = input
  return { status: 204 }
}
const answers: Record<string, unknown> = {
  bytes: Buffer.from([0, 255]),
  stream: Readable.from([Buffer.from([1])]),
  text: 'ä',
  json: { a: 1 },
}

type Calls = ReturnType<typeof connect<Record<string, Record<string, object>>>>
type AnyCall = (
  path: string,
  init?: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>
let app: FastifyInstance
let client: Record<keyof Calls, AnyCall>
beforeAll(async () => {
  app = await serve(document, ({ model }) =>
    Object.fromEntries(
      model.operations.map(({ id }) => [
        id,
        id in answers ? async () => ({ status: 200, body: answers[id] }) : kept,
      ]),
    ),
  )
  await writeClient(directory, await modelFrom(document))
  const { createClient } = await import(pathToFileURL(join(directory, 'index.js')).href)
  client = createClient({
    baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }),
    fetch: (request: Request) => {
      sent = request.clone()
      return fetch(request)
    },
  })
})
afterAll(() => app.close())

/** Sends what an operation takes; what the service refuses is an error. */
async function send(call: Promise<{ error?: unknown }>) {
  expect((await call).error).toBeUndefined()
  return read
}

describe('parameters arrive as they were given', () => {
  const [list, object] = [['a b', 'c,d', 'e|f'], { r: 1, 'g h': 2 }]
  const numbers = [3, 4]
  test('parameters in a path arrive as they were given', async () => {
    const path = {
      simple: list,
      simpleObject: object,
      label: numbers,
      labelObject: object,
      matrix: numbers,
      matrixObject: object,
      json: { x: 1 },
      plain: 'a/b;c',
    }
    const template = `/path/${Object.keys(path)
      .map(name => `{${name}}`)
      .join('/')}`
    expect({ ...((await send(client.GET(template, { path }))).path as object) }).toEqual(path)
  })

  test('parameters in a query arrive as they were given', async () => {
    const query = {
      plain: "a&b=c!'()*",
      'odd [name]&': 'x',
      list,
      comma: list,
      pipe: numbers,
      space: numbers,
      object,
      commaObject: object,
      deep: { a: '1', b: { c: ['2', '3'], d: [{ e: '4' }] } },
      json: { x: [1] },
    }
    expect((await send(client.GET('/query', { query }))).query).toEqual(query)
    expect(sent.url).toContain('pipe=3%7C4&space=3%204')
    // Some servers refuse reserved characters as they are.
    expect(sent.url).toContain('plain=a%26b%3Dc%21%27%28%29%2A&')
  })

  test('parameters in header fields and cookies arrive as they were given', async () => {
    const header = { 'X-List': numbers, 'X-Object': object, 'X-Exploded': object, 'X-Json': { x: 1 } }
    const cookie = { plain: 'a;b', list: ['a b', 'c'], object: { r: 1, g: 2 } }
    const { headers, cookie: cookies } = await send(client.GET('/fields', { header, cookie }))
    for (const [name, value] of Object.entries(header)) expect(headers[name.toLowerCase()]).toEqual(value)
    expect(cookies).toEqual(cookie)
  })
})

describe('a path value that leads to another path is refused before anything is sent', () => {
  test.each([
    [''],
    ['.'],
    ['..'],
    ['%2e'],
    ['%2E.'],
    ['%252e%252e'],
    [[]],
    [['']],
    [['..']],
    [{}],
    [undefined],
    [null],
  ])('a path value that leads to another path is refused before anything is sent: %o', async name => {
    const before = sent
    await expect(client.DELETE('/keys/{name}', { path: { name } })).rejects.toThrow(
      /^name is .*, which leads to another path than \S+\/keys\/\{name\}: nothing was sent\. /,
    )
    expect(sent).toBe(before)
  })

  test('a path value is refused if it leads elsewhere with the text beside it', async () => {
    const remove = (values: object) => client.DELETE('/files/{base}{type}/{labels}', { path: values })
    const labels = ['a']
    await expect(remove({ base: '.', type: '.', labels })).rejects.toThrow('base is "."')
    await expect(remove({ base: 'a', type: '', labels })).rejects.toThrow('type is ""')
    await expect(remove({ base: 'a', type: '.txt', labels: [''] })).rejects.toThrow('labels is [""]')
    await expect(remove({ base: 'a', type: '.txt', labels: ['.'] })).rejects.toThrow('labels is ["."]')
    const path = { base: '..', type: '...', labels }
    expect((await send(remove(path))).path).toMatchObject({ labels })
  })
})

describe('bodies arrive as they were given', () => {
  const post = async (path: string, body: unknown, init: object = {}) =>
    (await send(client.POST(path, { body, ...init }))).body

  test('a body of several media types arrives as the first, or as the named one', async () => {
    const body = { n: 1, list: ['a', 'b'], comma: ['a', 'b'], json: { x: 1 } }
    const more = { ...body, objects: [{ x: 1 }, { x: 2 }] }
    expect(await post('/body', more)).toEqual(more)
    expect(await post('/body', body)).toEqual(body)
    expect(sent.headers.get('Content-Type')).toBe('application/x-www-form-urlencoded')
    expect(await sent.text()).toBe('n=1&list=a&list=b&comma=a,b&json=%7B%22x%22%3A1%7D')
    for (const init of [
      { contentType: 'application/json' },
      { headers: { 'content-type': 'application/json' } },
    ]) {
      expect(await post('/body', body, init)).toEqual(body)
      expect(await sent.json()).toEqual(body)
    }
    expect(await post('/body', 'ä', { contentType: 'text/plain' })).toBe('ä')
    expect(await post('/body', new Uint8Array([0, 255]), { contentType: 'image/png' })).toEqual(
      Buffer.from([0, 255]),
    )
    expect(sent.headers.get('Content-Type')).toBe('image/png')
  })

  test('a form of parts arrives as it was given, with files', async () => {
    const [file, other] = [new File(['x'], 'a.txt', { type: 'text/plain' }), new Blob(['y'])]
    const body = {
      n: 1,
      list: [1, 2],
      object: { x: 1 },
      objects: [{ x: 1 }],
      image: other,
      files: [file, other],
    }
    const part = (data: string, type: string, filename: string) => ({
      data: Buffer.from(data),
      type,
      filename,
    })
    expect(await post('/parts', body)).toMatchObject({
      ...body,
      image: part('y', 'image/png', 'blob'),
      files: [part('x', 'text/plain', 'a.txt'), part('y', 'application/octet-stream', 'blob')],
    })
    const form = new FormData()
    form.append('n', '2')
    expect(await post('/parts', form, { headers: { 'Content-Type': 'multipart/form-data' } })).toEqual({
      n: 2,
    })
  })

  test('bytes arrive as they were given, with their own type if the document has a range', async () => {
    expect(await post('/range', new Blob(['x'], { type: 'image/gif' }))).toEqual(Buffer.from('x'))
    expect(sent.headers.get('Content-Type')).toBe('image/gif')
    expect(await post('/patch', { x: 1 })).toEqual({ x: 1 })
    expect(sent.headers.get('Content-Type')).toBe('application/vnd.any+json')
  })
})

test('replies are bytes, texts and values by their media types', async () => {
  const data = async (id: string, init?: object) => (await client.GET(`/${id}`, init)).data
  const bytes = async (id: string) => Buffer.from(await ((await data(id)) as Blob).arrayBuffer())
  expect(await bytes('bytes')).toEqual(Buffer.from([0, 255]))
  expect(await bytes('stream')).toEqual(Buffer.from([1]))
  expect(await data('text')).toBe('ä')
  expect(await data('json')).toEqual({ a: 1 })
  expect(await data('bytes', { parseAs: 'stream' })).toBeInstanceOf(ReadableStream)
})

test('the types of a client are those of what it sends and gets', async () => {
  const use = `import { createClient } from './index.js'
const client = createClient({ baseUrl: '' })
const { data } = await client.GET('/bytes')
if (data) await data.arrayBuffer()
const text: string | undefined = (await client.GET('/text')).data
const number: number | undefined = (await client.GET('/text')).data // wrong
const files = [new File([], 'a')]
await client.POST('/parts', { body: { n: 1, files, image: new Blob([]) } })
await client.POST('/parts', { body: { image: 'text' } }) // wrong
await client.POST('/parts', {}) // wrong
await client.POST('/body', { body: { n: 1 } })
await client.POST('/body', { body: { n: 1 }, contentType: 'application/json' })
await client.POST('/body', { body: { n: 1 }, contentType: 'text/csv' }) // wrong
await client.POST('/range', { body: new Uint8Array(), contentType: 'image/png' })
await client.POST('/range', { body: new Uint8Array(), contentType: 'text/png' }) // wrong
await client.GET('/fields', { cookie: { plain: 'a' } })
await client.GET('/fields', { cookie: { plain: 1 } }) // wrong
await client.GET('/query', { query: { plain: 'a' }, signal: AbortSignal.timeout(1) })
await client.GET('/query', { query: { plane: 'a' } }) // wrong
await client.GET('/query', { params: { query: { plain: 'a' } } }) // wrong
await client.DELETE('/keys/{name}', {}) // wrong
await client.DELETE('/keys/{name}', { path: { name: 'a' } })
const refused = await client.DELETE('/keys/{name}', { path: { name: 'a' } })
const status: number | undefined = refused.error?.status // of a reply that the document does not describe
const { body } = (await client.GET('/bytes', { parseAs: 'stream' })).response
export { body, number, status, text }
`
  expect(await misjudged(directory, use)).toEqual([])
})

test.each(ownDocuments.slice(0, 2))('the README of a client shows a call that compiles: %s', async file => {
  const folder = join(directory, file.replaceAll(/\W/g, '-'))
  const model = modelOf((await readDocument(file)).document)
  await writeClient(folder, model, 'shown-client')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(await readFile(join(folder, 'README.md'), 'utf8')) ?? []
  const isShown = model.operations.some(
    ({ method, parameters }) =>
      method === 'GET' && parameters.some(parameter => /path|query/.test(parameter.in)),
  )
  expect(/client\.GET\('[^']*', \{ (path|query): \{/.test(code)).toBe(isShown)
  expect(await misjudged(folder, code.replace(`'shown-client'`, `'./index.js'`))).toEqual([])
})

test.each([
  ['1.2.3-beta.4', '1.2.3-beta.4'],
  ['v1', '1.0.0'],
  ['2024-01-01', '2024.1.1'],
  ['1.0', '1.0.0'],
  ['01.2.3', '1.2.3'],
  ['1.2.3.4', '1.2.3'],
  ['latest', '0.0.0'],
])('a document of version %s makes a package of version %s', async (version, expected) => {
  const model = await modelFrom({ openapi: '3.0.3', info: { title: 'T', version }, paths: {} })
  expect(JSON.parse((await clientPackage(model)).get('package.json') ?? '').version).toBe(expected)
})

test('an enumeration that may grow takes other values too, but only for clients', async () => {
  const clients = (await clientPackage(await ownModel())).get('schema.d.ts')
  expect(clients).toContain('type Plan = "Free" | "Pro" | "Business" | "Enterprise" | (string & {});')
  const handlers = await readFile('src/generated/schema.ts', 'utf8')
  expect(handlers).toContain('type Plan = "Free" | "Pro" | "Business" | "Enterprise";')
})
