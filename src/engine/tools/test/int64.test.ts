import { symlinkSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fromSources, programLine } from 'spec-served-lab/support/command'
import { emptyFolder, shell } from 'spec-served-lab/support/package'
import { afterAll, beforeAll, expect, test } from 'vitest'

const document = `
openapi: 3.1.0
info: { title: Counters, version: 1.0.0 }
components:
  schemas:
    Whole: { type: integer, format: int64, minimum: -9223372036854775808, maximum: 9223372036854775807 }
    Counter:
      type: object
      required: [n]
      additionalProperties: false
      properties:
        id: { type: integer, format: int64, readOnly: true }
        n: { $ref: '#/components/schemas/Whole', examples: [9223372036854775807] }
        kind: { type: integer, format: int64, enum: [1, 9007199254740993], default: 9007199254740993 }
        maybe: { type: [integer, 'null'], format: int64 }
paths:
  /counters:
    post:
      operationId: addCounter
      tags: [counters]
      parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Counter' } } } }
      responses: { '201': { description: added, content: { application/json: { schema: { $ref: '#/components/schemas/Counter' } } } } }
  /counters/{n}:
    parameters: [{ name: n, in: path, required: true, schema: { $ref: '#/components/schemas/Whole' } }]
    get:
      operationId: getCounter
      tags: [counters]
      parameters: [{ name: least, in: query, schema: { type: integer, format: int64, default: -9223372036854775808 } }]
      responses:
        '200': { description: found, content: { application/json: { schema: { $ref: '#/components/schemas/Counter' } } } }
        '404': { description: none }
    put:
      operationId: putCounter
      tags: [counters]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Counter' } } } }
      responses: { '200': { description: put, content: { application/json: { schema: { $ref: '#/components/schemas/Counter' } } } } }
`

const files = {
  'migrations/0001-counters.ts': `import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`create table counters (id bigint generated always as identity primary key, n bigint not null)\`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql\`drop table counters\`.execute(db)
}
`,
  'migrations/index.ts': `import type { Migrations } from 'spec-served'
import * as counters from './0001-counters.ts'
export const migrations: Migrations = { '0001-counters': counters }
`,
  'src/store/tables.ts': `import type { ColumnType, GeneratedAlways, Kysely } from 'kysely'
import type { DbOf, ServiceTables } from 'spec-served'

export interface Tables extends ServiceTables {
  counters: { id: GeneratedAlways<string>; n: ColumnType<string, bigint, bigint> }
}
export type Database = Kysely<Tables>
export type Db = DbOf<Tables>
`,
  'src/handlers/counters.ts': `import { sql } from 'kysely'
import type { Handler } from './handler.ts'

const columns = [sql<string>\`id::text\`.as('id'), sql<string>\`n::text\`.as('n')] as const

export const addCounter: Handler<'addCounter'> = async ({ body: { n, kind } }, { db }) => {
  const own: 1n | 9007199254740993n | undefined = kind
  const row = await db.insertInto('counters').values({ n }).returning(columns).executeTakeFirstOrThrow()
  return { status: 201, body: { id: BigInt(row.id), n: BigInt(row.n), ...(own && { kind: own }) } }
}

export const getCounter: Handler<'getCounter'> = async ({ path, query }, { db }) => {
  const least: bigint = query.least
  const found = db.selectFrom('counters').select(columns).where('n', '=', String(path.n))
  const row = await found.where('n', '>=', String(least)).executeTakeFirst()
  return row ? { status: 200, body: { id: BigInt(row.id), n: BigInt(row.n) } } : { status: 404 }
}

export const putCounter: Handler<'putCounter'> = async ({ path, body }) => {
  const { n, kind, maybe }: { n: bigint; kind: bigint; maybe: bigint | null } = body
  return { status: 200, body: { id: path.n, n: n + 1n, kind: kind === 1n ? 1n : 9007199254740993n, maybe } }
}
`,
  'test/service.test.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTest } from 'spec-served/testing'
import type { Own } from '../src/handlers/handler.ts'
import service from '../src/server.ts'

const most = 2n ** 63n - 1n

test('whole numbers are stored and answered exactly', async () => {
  await using own = await startTest<Own>(service)
  for (const n of [most, -(2n ** 63n), 9007199254740993n, 0n]) {
    const request = { body: { n }, headers: { 'idempotency-key': 'key-of-sixteen-or-more-' + n } }
    const { body } = await own.call('addCounter', request)
    const stored: bigint = body.n
    assert.deepEqual([stored, body.kind], [n, 9007199254740993n])
    assert.deepEqual((await own.call('addCounter', request)).body, body)
    assert.equal((await own.call('getCounter', { path: { n }, query: { least: n } })).body.n, n)
    const { payload } = await own.app.inject('/counters/' + n)
    assert.equal(payload, '{"id":' + body.id + ',"n":' + n + '}')
  }
  const { body } = await own.call('putCounter', { path: { n: most }, body: { n: most - 1n } })
  assert.deepEqual(body, { id: most, n: most, kind: 9007199254740993n, maybe: null })
})

test('the handler’s number of more than 64 bits is a 500', async () => {
  await using own = await startTest<Own>(service)
  const { statusCode } = await own.app.inject({
    ...{ method: 'PUT', url: '/counters/1', headers: { 'content-type': 'application/json' } },
    payload: '{"n":' + most + '}',
  })
  assert.equal(statusCode, 500)
})
`,
}

const folder = emptyFolder()
afterAll(() => rm(folder, { recursive: true, force: true }))
const run = (line: string) => shell(line, folder)
const command = (line: string) => run(`${programLine} ${line}`)

async function writeAll(texts: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(texts)) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

async function set(int64: unknown): Promise<void> {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...manifest, 'spec-served': { int64 } }))
}

beforeAll(async () => {
  await writeAll({ 'api.yaml': document })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const { code, output } = await command('init api.yaml')
  expect(code, output).toBe(0)
  await set('bigint')
  expect((await command('generate --check')).code).toBe(1)
  const made = await command('generate')
  expect(made.code, made.output).toBe(0)
  await writeAll(files)
}, 60_000)

test('handlers with bigints compile', async () => {
  expect(await run('tsc -p . --customConditions spec-served-source')).toMatchObject({ code: 0, output: '' })
})

test('the embedded database stores whole numbers of 64 bits, and replies have them exactly', async () => {
  const tests = await run(`node ${fromSources} --test "test/**/*.test.ts"`)
  expect(tests.code, tests.output).toBe(0)
})

test('the project passes its check and the lint', async () => {
  for (const step of ['check:routes', 'check:contract', 'lint'])
    expect(await command(step), step).toMatchObject({ code: 0 })
})

test('another value than bigint is refused, and add writes no resource for numbers', async () => {
  await set('string')
  expect(await command('generate')).toMatchObject({
    code: 1,
    output: expect.stringContaining('package.json, spec-served: int64 must be "bigint", or be left out'),
  })
  await set('bigint')
  expect(await command('add --resource Counter')).toMatchObject({
    code: 2,
    output: expect.stringContaining('int64 in package.json makes them bigints'),
  })
})
