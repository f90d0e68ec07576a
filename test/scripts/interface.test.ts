import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generate } from '../../scripts/document/emit.ts'
import { createTypeCheck } from '../../scripts/mutants/type-check.ts'
import { modelFrom } from '../support/model.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
/** What was asked for is frozen here; later documents keep it, as `npm run check:breaking` holds, and may have more. */
const first = parse(await readFile('spec/released/1.0.0.yaml', 'utf8'))
const { schemas } = first.components

interface Operation {
  operationId: string
  tags: string[]
  deprecated?: boolean
}
const operations = Object.values<Record<string, Operation>>(first.paths).flatMap(item => Object.values(item))

describe('what the interface was asked to be holds in its first release:', () => {
  test('OpenAPI 3.0.3, released as version 1.0.0', () => {
    expect(document.openapi).toBe('3.0.3')
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
      expect(first.tags.map((tag: { name: string }) => tag.name)).toContain(group)
      expect(operations.filter(operation => operation.tags.includes(group))).toEqual([])
    }
  })

  test('getPet is deprecated with a sunset date; listOrders has no try-it panel', () => {
    const getPet = first.paths['/pets/{petId}'].get
    expect(getPet).toMatchObject({
      deprecated: true,
      'x-deprecated-at': '2026-06-05',
      'x-deprecated-sunset': '2030-12-05',
    })
    expect(first.paths['/store/orders'].get['x-hideTryItPanel']).toBe(true)
    expect(operations.filter(operation => operation.deprecated)).toEqual([getPet])
  })

  test('the plans and their numbers', () => {
    expect(first['x-rate-limits'].plans).toEqual({
      Free: { minute: 60, day: 1000 },
      Pro: { minute: 300, day: 10_000 },
      Business: { minute: 1000, day: 100_000 },
      Enterprise: { custom: true },
    })
  })
})

describe('the compiler finds where code and document part', () => {
  const typeError = createTypeCheck()
  const compile = async (changed: typeof document) =>
    typeError(await generate((await modelFrom(changed)).document, 'changed', 'none'))

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
})
