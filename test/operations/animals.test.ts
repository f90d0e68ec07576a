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

  test('refuses a category that does not exist with 409 and says which field', async () => {
    const reply = await store.call('createPet', { body: { name: 'Rex', categoryId: 999999 } })
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'category_not_found', details: [{ path: '/categoryId' }] },
    })
  })
})

describe('createPets', () => {
  test('adds all animals in the order given', async () => {
    const { categoryId } = await addPets(store.call)
    const body = Array.from({ length: 100 }, (_, i) => ({ name: `Pup ${i}`, categoryId }))
    const reply = await store.call('createPets', { body })
    expect(reply.status).toBe(201)
    expect(names(reply)).toEqual(body.map(pet => pet.name))
  })

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

describe('getPet', () => {
  test('returns the animal', async () => {
    const petId = await addPet(store.call)
    const reply = await store.call('getPet', { path: { petId } })
    expect(reply).toMatchObject({ status: 200, body: { id: petId, name: 'Rex' } })
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

  test('a patch is also read as application/json', async () => {
    const path = { petId: await addPet(store.call) }
    const headers = { 'content-type': 'application/json' }
    expect((await store.call('updatePet', { path, body: { name: 'Max' }, headers })).status).toBe(200)
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

  test('takes identifiers as repeated parameters too', async () => {
    const { ids } = await addPets(store.call, 'A', 'B', 'C')
    const response = await store.request(`/pets?ids=${ids[0]}&ids=${ids[2]}`)
    expect(response.json()).toMatchObject([{ id: ids[0] }, { id: ids[2] }])
  })

  test.each([
    ['id', ['cat', 'Ant', 'bee', 'ant']],
    ['-id', ['ant', 'bee', 'Ant', 'cat']],
    ['name', ['Ant', 'ant', 'bee', 'cat']],
    ['-name', ['cat', 'bee', 'ant', 'Ant']],
  ])('sorts by %s, page by page, without gap or duplicate', async (sort, expected) => {
    const { categoryId } = await addPets(store.call, 'cat', 'Ant', 'bee', 'ant')
    const seen: string[] = []
    let url = `/pets?categoryId=${categoryId}&sort=${sort}&limit=1`
    for (let pages = 0; url && pages < 10; pages++) {
      const response = await store.request(url)
      seen.push(...names({ body: response.json() }))
      url = /<([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1] ?? ''
      expect(Boolean(response.headers['x-next-cursor'])).toBe(url !== '')
    }
    expect(seen).toEqual(expected)
  })

  test('has 20 animals on a page unless told', async () => {
    const { categoryId } = await addPets(store.call)
    await store.call('createPets', { body: Array.from({ length: 25 }, () => ({ name: 'Pup', categoryId })) })
    expect((await store.call('listPets', { query: { categoryId } })).body).toHaveLength(20)
    expect(
      (await store.call('listPets', { query: { categoryId, limit: 25 } })).headers['x-next-cursor'],
    ).toBeUndefined()
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
