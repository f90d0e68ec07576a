import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, startStore } from '../support/store.ts'

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
