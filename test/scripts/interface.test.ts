import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { generate } from '../../scripts/document/emit.ts'
import { createTypeCheck } from '../../scripts/mutants/type-check.ts'
import { dataDirectory } from '../support/data-directory.ts'
import { modelFrom } from '../support/model.ts'
import { startProcess } from '../support/process.ts'

const run = promisify(execFile)
const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
const { schemas } = document.components

interface Operation {
  operationId: string
  tags: string[]
  deprecated?: boolean
}
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap(item =>
  Object.values(item),
)

describe('what the interface was asked to be holds in the document:', () => {
  test('OpenAPI 3.0.3, released as version 1.0.0', async () => {
    expect(document.openapi).toBe('3.0.3')
    const first = parse(await readFile('spec/released/1.0.0.yaml', 'utf8'))
    expect([first.openapi, first.info.version]).toEqual(['3.0.3', '1.0.0'])
  })

  test.each([
    ['NewPet', ['name', 'categoryId', 'status'], ['name', 'categoryId']],
    ['Pet', ['name', 'categoryId', 'status', 'id'], ['name', 'categoryId', 'id']],
    ['NewCategory', ['name', 'description'], ['name']],
    ['Category', ['name', 'description', 'id'], ['name', 'id']],
    ['Order', ['id', 'petId', 'quantity', 'shipDate', 'complete'], []],
    ['InventoryItem', ['petId', 'quantity', 'status'], ['petId', 'quantity', 'status']],
    ['InventoryUpdate', ['quantity'], ['quantity']],
    ['Error', ['code', 'message', 'status', 'details'], ['code', 'message', 'status']],
  ])('the fields of %s and which are required', (name, fields, required) => {
    expect(Object.keys(schemas[name].properties).sort()).toEqual(fields.sort())
    expect((schemas[name].required ?? []).sort()).toEqual(required.sort())
  })

  test('the states of an animal', () => {
    expect(schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold'])
  })

  test('identifiers are int64', () => {
    expect(schemas.Id).toMatchObject({ type: 'integer', format: 'int64' })
  })

  test('a list of animals is an array', () => {
    expect(schemas.Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
  })

  test('Pets and Store are tags without operations of their own', () => {
    for (const group of ['Pets', 'Store']) {
      expect(document.tags.map((tag: { name: string }) => tag.name)).toContain(group)
      expect(operations.filter(operation => operation.tags.includes(group))).toEqual([])
    }
  })

  test('getPet is deprecated with a sunset date; listOrders has no try-it panel', () => {
    const getPet = document.paths['/pets/{petId}'].get
    expect(getPet).toMatchObject({
      deprecated: true,
      'x-deprecated-at': '2026-06-05',
      'x-deprecated-sunset': '2030-12-05',
    })
    expect(document.paths['/store/orders'].get['x-hideTryItPanel']).toBe(true)
    expect(operations.filter(operation => operation.deprecated)).toEqual([getPet])
  })

  test('the plans and their numbers', () => {
    expect(document['x-rate-limits'].plans).toEqual({
      Free: { minute: 60, day: 1000 },
      Pro: { minute: 300, day: 10_000 },
      Business: { minute: 1000, day: 100_000 },
      Enterprise: { custom: true },
    })
  })
})

describe('the compiler finds where code and document part', () => {
  let copy: string
  beforeAll(async () => {
    await mkdir('test/.output', { recursive: true })
    copy = await mkdtemp('test/.output/changed-')
    for (const name of ['src', 'migrations', 'scripts', 'spec'])
      await cp(name, join(copy, name), { recursive: true })
    await symlink(resolve('node_modules'), join(copy, 'node_modules'))
    await symlink(resolve('package.json'), join(copy, 'package.json'))
  })
  afterAll(() => rm(copy, { recursive: true }))

  const typeError = createTypeCheck()
  const compile = async (changed: typeof document) =>
    typeError(await generate((await modelFrom(changed)).document, 'changed', 'none'))

  /** Starts the server of a changed document. */
  async function serve(changed: typeof document, data: string) {
    await writeFile(join(copy, 'spec/openapi.yaml'), stringify(changed))
    await run(resolve('node_modules/.bin/node'), ['scripts/generate.ts'], { cwd: copy })
    return startProcess({ DATA_DIR: await dataDirectory(resolve(copy, data)) }, copy)
  }

  type Change = (changed: typeof document) => void
  const changes: [string, Change, string][] = [
    [
      'a field is removed',
      ({ components }) => delete components.schemas.Order.properties.shipDate,
      'src/handlers/orders.ts',
    ],
    [
      'a field becomes required',
      ({ components }) => (components.schemas.Order.required = ['shipDate']),
      'src/handlers/orders.ts',
    ],
    [
      'an operation is renamed',
      ({ paths }) => (paths['/store/orders/{orderId}'].get.operationId = 'readOrder'),
      'src/handlers/index.ts',
    ],
    ['an operation is removed', ({ paths }) => delete paths['/store/inventory'], 'src/handlers/index.ts'],
    [
      'an operation is added',
      ({ paths }) =>
        (paths['/store'] = { get: { ...paths['/store/inventory'].get, operationId: 'getStore' } }),
      'src/handlers/index.ts',
    ],
    [
      'a refusal is no longer declared',
      ({ paths }) => delete paths['/store/orders/{orderId}'].get.responses['404'],
      'src/handlers/orders.ts',
    ],
  ]

  test.each(changes)('when %s', async (_, change, where) => {
    const changed = structuredClone(document)
    change(changed)
    expect(await compile(changed)).toContain(where)
  })

  test('a changed plan number changes the server, with no other edit', async () => {
    const changed = structuredClone(document)
    changed['x-rate-limits'].plans.Business = { minute: 7, day: 77 }
    expect(await compile(changed)).toBe(undefined)
    const server = await serve(changed, 'data')
    const headers = { 'x-api-key': (await readFile(join(copy, 'data/api-key'), 'utf8')).trim() }
    const reply = await fetch(`${server.url}/pets`, { headers })
    expect(reply.headers.get('ratelimit-policy')).toBe('"minute";q=7;w=60,"day";q=77;w=86400')
    await server.stop()
  }, 30_000)

  test('a changed stability and sunset change headers and page, with no other edit', async () => {
    const changed = structuredClone(document)
    const operation = changed.paths['/pets/{petId}'].get
    operation['x-deprecated-sunset'] = '2031-01-01'
    changed.paths['/pets'].get['x-stability'] = 'beta'
    expect(await compile(changed)).toBe(undefined)
    const server = await serve(changed, 'data-lifecycle')
    const [pet, pets] = [await fetch(`${server.url}/pets/1`), await fetch(`${server.url}/pets`)]
    expect(pet.headers.get('sunset')).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
    expect(pets.headers.get('x-stability')).toBe('beta')
    const served = await (await fetch(`${server.url}/openapi.json`)).json()
    expect(served).toMatchObject({ paths: { '/pets': { get: { 'x-stability': 'beta' } } } })
    await server.stop()
  }, 30_000)
})
