import { describe, expect, test } from 'vitest'
import { addOrder, addPet, openStore } from '../support/store.ts'

const store = openStore()

const stockOf = async (petId: number) => {
  const { quantity, status } = (await store.call('getInventoryItem', { path: { petId } })).body
  return `${quantity} ${status}`
}

test('of 200 orders at once for the last 50 pieces exactly 50 succeed', async () => {
  const petId = await addPet(store.call, 50)
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => store.call('placeOrder', { body: { petId, quantity: 1 } })),
  )
  const statuses = Map.groupBy(replies, reply => reply.status)
  expect(statuses.get(201)).toHaveLength(50)
  expect(statuses.get(409)).toHaveLength(150)
  expect(await stockOf(petId)).toBe('0 pending')
  const open = await store.call('listOrders', { query: { petId, complete: false, limit: 100 } })
  expect(open.body).toHaveLength(50)
})

test('whatever happens at once, no piece is lost or made: stock plus ordered pieces stay what was put in', async () => {
  const petId = await addPet(store.call, 30)
  const orders: number[] = []
  for (let i = 0; i < 10; i++) orders.push(await addOrder(store.call, petId))
  const work = orders.flatMap(orderId => [
    store.call('cancelOrder', { path: { orderId } }),
    store.call('updateOrder', { path: { orderId }, body: { complete: true } }),
    store.call('placeOrder', { body: { petId, quantity: 3 } }),
    store.call('cancelOrder', { path: { orderId } }),
  ])
  for (const reply of await Promise.all(work)) expect(reply.status).toBeLessThan(500)
  const held = await store.call('listOrders', { query: { petId, limit: 100 } })
  const ordered = held.body.reduce((sum, order) => sum + (order.quantity ?? Number.NaN), 0)
  const { quantity } = (await store.call('getInventoryItem', { path: { petId } })).body
  expect(quantity + ordered).toBe(30)
})

test('of an order and the removal of its animal at once one is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const petId = await addPet(store.call)
    const [order, removal] = await Promise.all([
      store.call('placeOrder', { body: { petId, quantity: 1 } }),
      store.call('deletePet', { path: { petId } }),
    ])
    expect([order.status, removal.status]).toBeOneOf([
      [201, 409],
      [409, 204],
    ])
  }
})

describe('dates', () => {
  test.each([
    '2026-02-30T10:00:00Z',
    '2026-12-01',
    '2026-12-01T10:00:00',
    '0000-01-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
  ])('refuses %s', async shipDate => {
    const reply = await store.call('placeOrder', { body: { petId: 1, quantity: 1, shipDate } })
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: '/shipDate' }] } })
  })

  test('are returned in UTC at both ends of what a date-time can say', async () => {
    const petId = await addPet(store.call, 2)
    for (const shipDate of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      const reply = await store.call('placeOrder', { body: { petId, quantity: 1, shipDate } })
      expect(reply.body.shipDate).toBe(shipDate)
    }
  })
})
