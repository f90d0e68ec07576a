import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, addPets, startStore } from '../support/store.ts'

const store = shared(() => startStore())

const names = (reply: { body: { name: string }[] }) => reply.body.map(pet => pet.name)

describe('createPet', () => {
  test('answers 201 with the animal and its Location, available by default', async () => {
    const { categoryId } = await addPets(store.call)
    const reply = await store.call('createPet', { body: { name: 'Rex', categoryId } })
    expect(reply).toMatchObject({ status: 201, body: { name: 'Rex', categoryId, status: 'available' } })
    expect(reply.headers.location).toBe(`/pets/${reply.body.id}`)
    const stock = await store.call('getInventoryItem', { path: { petId: reply.body.id } })
    expect(stock.body).toEqual({ petId: reply.body.id, quantity: 1, status: 'available' })
  })
})

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

describe('replacePet and updatePet', () => {
  test('a replacement without status keeps the status, which follows the stock', async () => {
    const petId = await addPet(store.call)
    const { categoryId } = await addPets(store.call)
    await addOrder(store.call, petId)
    const reply = await store.call('replacePet', { path: { petId }, body: { name: 'Max', categoryId } })
    expect(reply.body).toEqual({ id: petId, name: 'Max', categoryId, status: 'pending' })
  })

  test('a patch changes only what it names', async () => {
    const { categoryId, ids } = await addPets(store.call, 'Rex')
    const path = { petId: ids[0] ?? 0 }
    const renamed = await store.call('updatePet', { path, body: { name: 'Max' } })
    expect(renamed.body).toMatchObject({ name: 'Max', categoryId, status: 'available' })
    const held = await store.call('updatePet', { path, body: { status: 'pending' } })
    expect(held.body).toMatchObject({ name: 'Max', categoryId, status: 'pending' })
    const same = await store.call('updatePet', { path, body: {} })
    expect(same.body).toEqual(held.body)
  })
})

describe('deletePet', () => {
  test('removes the animal and its inventory entry', async () => {
    const path = { petId: await addPet(store.call) }
    expect((await store.call('deletePet', { path })).status).toBe(204)
    expect((await store.call('getPet', { path })).status).toBe(404)
    expect((await store.call('getInventoryItem', { path })).status).toBe(404)
  })

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

  test.each([
    ['not base64url', '%%%'],
    ['no JSON', 'AAAA'],
    ['of another form', Buffer.from('["x"]').toString('base64url')],
    ['with a key of a wrong type', Buffer.from('["x","y"]').toString('base64url')],
  ])('refuses a cursor that is %s', async (_, cursor) => {
    const reply = await store.call('listPets', { query: { cursor } })
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: '/query/cursor' }] },
    })
  })

  test('refuses a cursor that belongs to other filters or another order', async () => {
    const { categoryId } = await addPets(store.call, 'A', 'B')
    const page = await store.call('listPets', { query: { categoryId, limit: 1 } })
    const cursor = String(page.headers['x-next-cursor'])
    expect((await store.call('listPets', { query: { categoryId, limit: 5, cursor } })).status).toBe(200)
    expect((await store.call('listPets', { query: { limit: 1, cursor } })).status).toBe(400)
    expect((await store.call('listPets', { query: { categoryId, sort: '-id', cursor } })).status).toBe(400)
  })
})
