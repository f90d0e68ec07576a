import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, addPets, startStore } from '../support/store.ts'

// `npm run check` holds each operation, and the cursors of each list, to the document.
const store = shared(() => startStore())

const names = (reply: { body: { name: string }[] }) => reply.body.map(pet => pet.name)

describe('createPets', () => {
  test('adds none when one category is missing, and names each bad item', async () => {
    const { categoryId } = await addPets(store.call)
    const body = [
      { name: 'A', categoryId },
      { name: 'B', categoryId: 999998 },
      { name: 'C', categoryId: 999999 },
    ]
    const reply = await store.call('createPets', { body })
    expect(reply).toMatchObject({ status: 409, body: { code: 'category_not_found' } })
    expect(reply.body.details?.map(detail => detail.path)).toEqual(['/1/categoryId', '/2/categoryId'])
    expect((await store.call('listPets', { query: { categoryId } })).body).toEqual([])
  })
})

describe('deletePet', () => {
  test('is refused while an open order holds the animal, and leaves fulfilled orders without their petId', async () => {
    const path = { petId: await addPet(store.call) }
    const orderId = await addOrder(store.call, path.petId)
    expect(await store.call('deletePet', { path })).toMatchObject({
      status: 409,
      body: { code: 'pet_in_use' },
    })
    const fulfilled = await store.call('updateOrder', { path: { orderId }, body: { complete: true } })
    expect((await store.call('deletePet', { path })).status).toBe(204)
    const order = await store.call('getOrder', { path: { orderId } })
    expect(order.body).toEqual({ id: orderId, quantity: 1, complete: true })
    expect(order.headers.etag, 'another version').not.toBe(fulfilled.headers.etag)
  })
})

describe('listPets', () => {
  test('filters by status, category, identifiers and beginning of the name', async () => {
    const { categoryId, ids } = await addPets(store.call, 'Anna', 'annika', 'Änne', 'Bert', '100% dog')
    const [anna = 0, annika = 0] = ids
    await store.call('updatePet', { path: { petId: anna }, body: { status: 'sold' } })
    const list = async (query: Record<string, string | number>) =>
      names(await store.call('listPets', { query: { categoryId, ...query } }))
    expect(await list({})).toEqual(['Anna', 'annika', 'Änne', 'Bert', '100% dog'])
    expect(await list({ status: 'sold' })).toEqual(['Anna'])
    expect(await list({ name: 'ANN' })).toEqual(['Anna', 'annika'])
    expect(await list({ name: 'ä' })).toEqual(['Änne'])
    expect(await list({ name: '100%' })).toEqual(['100% dog'])
    expect(await list({ name: '%' })).toEqual([])
    expect(await list({ ids: `${anna},${annika},999999` })).toEqual(['Anna', 'annika'])
    expect(await list({ ids: annika, status: 'sold' })).toEqual([])
  })
})
