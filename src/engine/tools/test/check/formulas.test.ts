import { modelFrom } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { createFormulas } from '../../check/invariants/formulas.ts'
import { readInterface } from '../../records/interface.ts'

const number = { type: 'integer' }

/** Faults of a record that keeps a description, and of one that does not. */
async function faultsOf(description: string, right: object, wrong: object) {
  const properties = {
    ...Object.fromEntries(
      ['net_cents', 'tax_percent', 'discount', 'quantity', 'price'].map(name => [name, number]),
    ),
    lines: { type: 'array', items: { type: 'object', properties: { quantity: number, price: number } } },
    total: { ...number, description },
  }
  const schema = { type: 'object', properties }
  const responses = { 200: { description: 'ok', content: { 'application/json': { schema } } } }
  const paths = { '/bill': { get: { operationId: 'getBill', responses } } }
  const contract = readInterface(
    await modelFrom({ openapi: '3.0.3', info: { title: 'Bills', version: '1' }, paths }),
  )
  const [endpoint] = contract.endpoints
  if (!endpoint) throw new Error('There is no operation')
  const formulas = createFormulas(contract)
  return [wrong, right, wrong].flatMap(body => [...formulas(endpoint, { status: 200, body })])
}

test.each([
  [
    '`net_cents` less `discount`.',
    { net_cents: 9, discount: 2, total: 7 },
    { net_cents: 9, discount: 3, total: 7 },
  ],
  [
    'The sum of `net_cents` and `discount`.',
    { net_cents: 9, discount: 2, total: 11 },
    { net_cents: 9, discount: 2, total: 9 },
  ],
  ['`quantity` × `price`', { quantity: 3, price: 4, total: 12 }, { quantity: 3, price: 4, total: 7 }],
  [
    '`tax_percent` per cent of `net_cents`, rounded once, half up',
    { tax_percent: 10, net_cents: 25, total: 3 },
    { tax_percent: 10, net_cents: 25, total: 2 },
  ],
  ['2.5 % of `net_cents`, rounded down', { net_cents: 79, total: 1 }, { net_cents: 79, total: 2 }],
  [
    'Sum of `quantity` times `price` of all `lines`',
    {
      lines: [
        { quantity: 2, price: 3 },
        { quantity: 1, price: 5 },
      ],
      total: 11,
    },
    { lines: [{ quantity: 2, price: 3 }], total: 5 },
  ],
])('a number that is not what its description says, "%s", is a fault', async (description, right, wrong) => {
  expect(await faultsOf(description, right, right)).toEqual([])
  expect(await faultsOf(description, right, wrong)).toHaveLength(2)
})

test('words that no record keeps mean something else', async () => {
  const wrong = { net_cents: 9, discount: 2, total: 3 }
  expect(await faultsOf('`net_cents` less `discount`', wrong, wrong)).toEqual([])
})

test('words of a rule for some records are no formula', async () => {
  const [right, wrong] = [
    { quantity: 3, price: 4, total: 12 },
    { quantity: 9, price: 4, total: 30 },
  ]
  expect(await faultsOf('`quantity` × `price`, at most 30', right, wrong)).toEqual([])
})
