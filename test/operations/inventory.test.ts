import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, addPets, startStore } from '../support/store.ts'

const store = shared(() => startStore())

const setStock = async (petId: number, quantity: number) =>
  (await store.call('updateInventory', { path: { petId }, body: { quantity } })).body

describe('updateInventory', () => {
  test('stock 0 makes an animal sold, or pending while an order is open', async () => {
    const free = await addPet(store.call, 5)
    expect(await setStock(free, 0)).toEqual({ petId: free, quantity: 0, status: 'sold' })
    const held = await addPet(store.call, 5)
    await addOrder(store.call, held)
    expect(await setStock(held, 0)).toEqual({ petId: held, quantity: 0, status: 'pending' })
  })

  test.each(['pending', 'sold'])('stock above 0 makes a %s animal available', async status => {
    const petId = await addPet(store.call)
    await store.call('updatePet', { path: { petId }, body: { status } })
    expect(await setStock(petId, 7)).toEqual({ petId, quantity: 7, status: 'available' })
    expect((await store.call('getPet', { path: { petId } })).body.status).toBe('available')
  })
})

describe('listInventory', () => {
  test('filters by status and by stock, page by page', async () => {
    const { ids } = await addPets(store.call, 'A', 'B', 'C')
    for (const [index, petId] of ids.entries()) await setStock(petId, index * 10)
    const [a, b, c] = ids
    const list = async (query: Record<string, string | number>) =>
      (await store.call('listInventory', { query })).body.map((item: { petId: number }) => item.petId)
    expect(await list({ maxQuantity: 10, status: 'available' })).toContain(b)
    expect(await list({ maxQuantity: 10 })).not.toContain(c)
    expect(await list({ status: 'sold' })).toContain(a)
    expect(await list({ status: 'sold' })).not.toContain(b)
    const first = await store.call('listInventory', { query: { limit: 1 } })
    const cursor = String(first.headers['x-next-cursor'])
    const second = await store.call('listInventory', { query: { limit: 1, cursor } })
    expect(second.body[0]?.petId).toBeGreaterThan(first.body[0]?.petId ?? Number.NaN)
  })
})
