import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, startStore } from '../support/store.ts'

const store = shared(() => startStore())

const stockOf = async (petId: number) => {
  const { quantity, status } = (await store.call('getInventoryItem', { path: { petId } })).body
  return `${quantity} ${status}`
}

describe('placeOrder', () => {
  test('takes the quantity out of stock; the last piece makes the animal pending', async () => {
    const petId = await addPet(store.call, 3)
    const reply = await store.call('placeOrder', {
      body: { petId, quantity: 2, shipDate: '2026-12-01T10:00:00+01:00' },
    })
    expect(reply).toMatchObject({
      status: 201,
      body: { petId, quantity: 2, shipDate: '2026-12-01T09:00:00.000Z', complete: false },
    })
    expect(reply.headers.location).toBe(`/store/orders/${reply.body.id}`)
    expect(await stockOf(petId)).toBe('1 available')
    await addOrder(store.call, petId)
    expect(await stockOf(petId)).toBe('0 pending')
  })

  test('refuses more than there is, an animal that is not available, and one that does not exist', async () => {
    const petId = await addPet(store.call, 3)
    const order = (id: number, quantity: number) =>
      store.call('placeOrder', { body: { petId: id, quantity } })
    expect(await order(petId, 4)).toMatchObject({ status: 409, body: { code: 'insufficient_stock' } })
    await store.call('updatePet', { path: { petId }, body: { status: 'pending' } })
    expect(await order(petId, 1)).toMatchObject({ status: 409, body: { code: 'pet_not_available' } })
    expect(await order(999999, 1)).toMatchObject({ status: 409, body: { code: 'pet_not_available' } })
    expect(await stockOf(petId)).toBe('3 pending')
  })

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
})

describe('updateOrder', () => {
  test('fulfilling the last open order of an animal without stock makes it sold', async () => {
    const petId = await addPet(store.call, 2)
    const [first, second] = [await addOrder(store.call, petId), await addOrder(store.call, petId)]
    const complete = (orderId: number) =>
      store.call('updateOrder', { path: { orderId }, body: { complete: true } })
    expect((await complete(first)).body.complete).toBe(true)
    expect(await stockOf(petId)).toBe('0 pending')
    await complete(second)
    expect(await stockOf(petId)).toBe('0 sold')
    await complete(second)
    expect(await stockOf(petId)).toBe('0 sold')
  })

  test('fulfilling an order while there is stock leaves the animal available', async () => {
    const petId = await addPet(store.call, 2)
    const orderId = await addOrder(store.call, petId)
    await store.call('updateOrder', { path: { orderId }, body: { complete: true } })
    expect(await stockOf(petId)).toBe('1 available')
  })

  test('sets, keeps and removes the ship date', async () => {
    const path = { orderId: await addOrder(store.call, await addPet(store.call)) }
    const set = await store.call('updateOrder', { path, body: { shipDate: '2027-01-02T03:04:05Z' } })
    expect(set.body.shipDate).toBe('2027-01-02T03:04:05.000Z')
    const kept = await store.call('updateOrder', { path, body: {} })
    expect(kept.body).toEqual(set.body)
    const removed = await store.call('updateOrder', { path, body: { shipDate: null } })
    expect(removed.body).not.toHaveProperty('shipDate')
  })

  test('never reopens a fulfilled order, but still changes its ship date', async () => {
    const path = { orderId: await addOrder(store.call, await addPet(store.call)) }
    await store.call('updateOrder', { path, body: { complete: true } })
    const reply = await store.call('updateOrder', { path, body: { complete: false } })
    expect(reply).toMatchObject({ status: 409, body: { code: 'order_complete' } })
    const moved = await store.call('updateOrder', { path, body: { shipDate: '2027-01-02T03:04:05Z' } })
    expect(moved).toMatchObject({ status: 200, body: { complete: true } })
  })
})

describe('cancelOrder', () => {
  test('puts the quantity back and makes the animal available', async () => {
    const petId = await addPet(store.call, 2)
    const path = { orderId: await addOrder(store.call, petId, 2) }
    expect(await stockOf(petId)).toBe('0 pending')
    expect((await store.call('cancelOrder', { path })).status).toBe(204)
    expect(await stockOf(petId)).toBe('2 available')
    expect((await store.call('cancelOrder', { path })).status).toBe(404)
    expect(await stockOf(petId)).toBe('2 available')
  })

  test('refuses a fulfilled order', async () => {
    const path = { orderId: await addOrder(store.call, await addPet(store.call)) }
    await store.call('updateOrder', { path, body: { complete: true } })
    expect(await store.call('cancelOrder', { path })).toMatchObject({
      status: 409,
      body: { code: 'order_complete' },
    })
  })
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
