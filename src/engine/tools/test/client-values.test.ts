import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { connect } from 'spec-served/internal/client/client'
import { runScript } from 'spec-served-lab/support/command'
import { misjudged } from 'spec-served-lab/support/compile'
import { writeClient } from 'spec-served-lab/support/exchanges'
import { sharedOutput } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { ValueTypes } from '../generate/value-types.ts'

const document = parse(`
openapi: 3.1.0
info: { title: Values, version: "1" }
paths:
  /trees/{id}:
    put:
      operationId: put
      parameters:
      - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      - { name: since, in: query, schema: { type: string, format: date-time } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Tree" } } } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Tree" } } } }
        default: { description: no, content: { application/json: { schema: { $ref: "#/components/schemas/Fault" } } } }
  /trees:
    get:
      operationId: list
      responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Tree" } } } } } }
  /lines:
    get:
      operationId: lines
      responses: { "200": { description: ok, content: { application/jsonl: { schema: { type: array, items: { $ref: "#/components/schemas/Tree" } } } } } }
components:
  schemas:
    Tree:
      type: object
      required: [id, planted]
      properties:
        id: { type: integer, format: int64 }
        planted: { type: string, format: date-time }
        felled: { type: [string, "null"], format: date-time }
        label: { type: string }
        height: { type: number }
        count: { type: integer }
        children: { type: array, items: { $ref: "#/components/schemas/Tree" } }
        seen: { type: object, additionalProperties: { type: string, format: date-time } }
        owner: { oneOf: [{ type: object, properties: { id: { type: integer, format: int64 } } }, { type: string }] }
    Fault: { type: object, required: [at, tree], properties: { at: { type: string, format: date-time }, tree: { type: integer, format: int64 } } }
`)

const time = '2026-11-28T12:00:00.000Z'
const big = '9007199254740993'
const tree = `{"id":${big},"planted":"${time}","felled":null,"label":"${time}","height":1.5,"count":2,"children":[{"id":1,"planted":"${time}"}],"seen":{"a":"${time}"},"owner":{"id":-${big}}}`

/** The last request. */
let sent = { url: '', body: '' }
let reply = { status: 200, body: tree }
const server = createServer(async (request, response) => {
  sent = { url: request.url ?? '', body: Buffer.concat(await request.toArray()).toString() }
  const type = request.url === '/lines' ? 'application/jsonl' : 'application/json'
  response.writeHead(reply.status, { 'Content-Type': type }).end(reply.body)
})
beforeAll(() => new Promise<void>(listening => server.listen(0, '127.0.0.1', listening)))
afterAll(() => server.close())

type Calls = ReturnType<typeof connect<Record<string, Record<string, object>>>>
type AnyCall = (path: string, init?: object) => Promise<{ data?: unknown; error?: unknown }>
type Streams = (path: string) => AsyncIterable<unknown>

const all = resolve(sharedOutput())

async function clientWith(types: ValueTypes, name: string) {
  const directory = join(all, name)
  await writeClient(directory, await modelFrom(document), name, types)
  const { createClient } = await import(pathToFileURL(join(directory, 'index.js')).href)
  const client: Record<Exclude<keyof Calls, 'stream'>, AnyCall> & { stream: Streams } = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    maxRetries: 0,
  })
  return { client, directory }
}

test.each([
  { int64: 'bigint' as const, id: BigInt(big), one: 1n, owner: -BigInt(big) },
  { int64: 'string' as const, id: big, one: '1', owner: `-${big}` },
])('dates are Dates and whole numbers of 64 bits are exact, wherever they stand: $int64', async types => {
  const { int64, id, one, owner } = types
  const own = await clientWith({ dates: true, int64 }, int64)
  const at = new Date(time)
  const value = {
    ...{ id, planted: at, felled: null, label: time, height: 1.5, count: 2 },
    children: [{ id: one, planted: at }],
    seen: { a: at },
    owner: { id: owner },
  }
  reply = { status: 200, body: tree }
  const init = { path: { id }, query: { since: at }, body: value }
  expect((await own.client.PUT('/trees/{id}', init)).data).toEqual(value)
  expect(sent).toEqual({ url: `/trees/${big}?since=${encodeURIComponent(time)}`, body: tree })
  reply = { status: 200, body: `[${tree}]` }
  expect((await own.client.GET('/trees')).data).toEqual([value])
  reply = { status: 200, body: `${tree}\n${tree}\n` }
  const streamed: unknown[] = []
  for await (const item of own.client.stream('/lines')) streamed.push(item)
  expect(streamed).toEqual([value, value])
  reply = { status: 409, body: `{"at":"${time}","tree":${big}}` }
  expect((await own.client.PUT('/trees/{id}', init)).error).toEqual({ at, tree: id })
})

test('the types of dates and whole numbers are those of their values', async () => {
  const own = await clientWith({ dates: true, int64: 'bigint' }, 'types')
  const use = `import { createClient } from './index.js'
const client = createClient({ baseUrl: '' })
const body = { id: 1n, planted: new Date(), felled: null, children: [{ id: 2n, planted: new Date() }], count: 1 }
const { data, error } = await client.PUT('/trees/{id}', { path: { id: 1n }, query: { since: new Date() }, body })
const id: bigint | undefined = data?.id
const felled: Date | null | undefined = data?.felled
const at: Date | undefined = error?.at
const text: string | undefined = data?.planted // wrong
await client.PUT('/trees/{id}', { path: { id: 1 }, body }) // wrong
export { at, felled, id, text }
`
  expect(await misjudged(own.directory, use)).toEqual([])
})

test('a client has plain values unless asked otherwise, and other types are refused', async () => {
  const own = await clientWith({}, 'plain')
  reply = { status: 200, body: tree }
  expect((await own.client.GET('/trees')).data).toEqual(JSON.parse(tree))
  const { code, output } = await runScript('client', ['--out', own.directory, '--int64', 'float'])
  expect([code, output]).toEqual([2, expect.stringContaining('--int64 must be one of bigint, string')])
})
