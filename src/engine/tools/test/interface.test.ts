import { readFile } from 'node:fs/promises'
import { createTypeCheck } from 'spec-served-lab/mutants/type-check'
import { modelFrom } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { generate } from '../generate/emit.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))
describe('code that parts from the document', () => {
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
      'src/generated/handlers.ts',
    ],
    ['an operation is removed', ({ paths }) => delete paths['/store/inventory'], 'src/generated/handlers.ts'],
    [
      'an operation is added',
      ({ paths }) =>
        (paths['/store'] = { get: { ...paths['/store/inventory'].get, operationId: 'getStore' } }),
      'src/generated/handlers.ts',
    ],
    [
      'a refusal is no longer declared',
      ({ paths }) => delete paths['/store/orders/{orderId}'].get.responses['404'],
      'src/handlers/orders.ts',
    ],
  ]

  test.each(changes)('the compiler finds where code and document part when %s', async (_, change, where) => {
    const changed = structuredClone(document)
    change(changed)
    expect(await compile(changed)).toContain(where)
  })
})
