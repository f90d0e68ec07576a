import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrder, addPet, addPets, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
beforeAll(async () => {
  store = await startStore()
})
afterAll(() => store.close())

describe('the ETag of a record', () => {
  test('changes with the record and with nothing else', async () => {
    const path = { petId: await addPet(store.call, 5) }
    const tag = async (id: 'getPet' | 'getInventoryItem') => (await store.call(id, { path })).headers.etag
    const [pet, item] = [await tag('getPet'), await tag('getInventoryItem')]
    expect(pet).toMatch(/^"\d+"$/)
    await addOrder(store.call, path.petId)
    expect(await tag('getPet')).toBe(pet)
    expect(await tag('getInventoryItem')).not.toBe(item)
    const renamed = await store.call('updatePet', { path, body: { name: 'Max' } })
    expect(await tag('getPet')).toBe(renamed.headers.etag)
    expect(renamed.headers.etag).not.toBe(pet)
    await store.call('updateInventory', { path, body: { quantity: 0 } })
    expect(await tag('getPet')).not.toBe(renamed.headers.etag)
  })

  test('lets one of two writers who read the same version win', async () => {
    const writers = [
      {
        read: 'getPet',
        write: 'updatePet',
        path: { petId: await addPet(store.call) },
        bodies: [{ name: 'A' }, { name: 'B' }],
      },
      {
        read: 'getInventoryItem',
        write: 'updateInventory',
        path: { petId: await addPet(store.call) },
        bodies: [{ quantity: 1 }, { quantity: 2 }],
      },
      {
        read: 'getCategory',
        write: 'updateCategory',
        path: { categoryId: (await addPets(store.call)).categoryId },
        bodies: [{ description: 'A' }, { description: 'B' }],
      },
      {
        read: 'getOrder',
        write: 'updateOrder',
        path: { orderId: await addOrder(store.call, await addPet(store.call)) },
        bodies: [{ complete: true }, { shipDate: '2027-01-01T00:00:00Z' }],
      },
    ] as const
    for (const { read, write, path, bodies } of writers) {
      const { etag = '' } = (await store.call(read, { path })).headers
      const headers = { 'if-match': etag }
      const replies = await Promise.all(bodies.map(body => store.call(write, { path, body, headers })))
      expect(replies.map(reply => reply.status).sort(), write).toEqual([200, 412])
    }
  })

  test('guards a deletion', async () => {
    const path = { petId: await addPet(store.call) }
    const { etag = '' } = (await store.call('getPet', { path })).headers
    await store.call('updatePet', { path, body: { name: 'Max' } })
    expect((await store.call('deletePet', { path, headers: { 'if-match': etag } })).status).toBe(412)
    expect((await store.call('deletePet', { path, headers: { 'if-match': '*' } })).status).toBe(204)
    expect((await store.call('deletePet', { path, headers: { 'if-match': '*' } })).status).toBe(404)
  })

  test.each([
    ['*', 200],
    ['"1"', 200],
    ['"7", "1"', 200],
    ['"7", "8"', 412],
    ['W/"1"', 412],
    ['nonsense', 412],
    ['"99999999999999999999"', 412],
  ])('with If-Match: %s a change of version 1 answers %i', async (ifMatch, status) => {
    const path = { petId: await addPet(store.call) }
    const reply = await store.call('updatePet', {
      path,
      body: { name: 'Max' },
      headers: { 'if-match': ifMatch },
    })
    expect(reply.status).toBe(status)
  })

  test.each([
    ['"1"', 304],
    ['W/"1"', 304],
    ['*', 304],
    ['"2", "1"', 304],
    ['"2"', 200],
  ])('with If-None-Match: %s a reader of version 1 gets %i', async (ifNoneMatch, status) => {
    const path = { petId: await addPet(store.call) }
    const reply = await store.call('getPet', { path, headers: { 'if-none-match': ifNoneMatch } })
    expect(reply.status).toBe(status)
    expect(Number(reply.headers['x-ratelimit-remaining'])).toBeGreaterThan(0)
  })
})

test('a list has a weak ETag that changes with its content', async () => {
  const { categoryId } = await addPets(store.call, 'A')
  const list = () => store.call('listPets', { query: { categoryId } })
  const first = (await list()).headers.etag
  expect(first).toMatch(/^W\/"/)
  expect((await list()).headers.etag).toBe(first)
  await store.call('createPet', { body: { name: 'B', categoryId } })
  expect((await list()).headers.etag).not.toBe(first)
})

test('PATCH refuses other media types and names its own', async () => {
  const path = { petId: await addPet(store.call) }
  const headers = { 'content-type': 'application/json-patch+json' }
  const reply = await store.call('updatePet', { path, body: [], headers })
  expect([reply.status, reply.headers['accept-patch']]).toEqual([
    415,
    'application/merge-patch+json, application/json',
  ])
})

test('paging through 5,000 animals while others come and go: every one that stays is seen once', async () => {
  const { categoryId } = await addPets(store.call)
  for (let i = 0; i < 50; i++)
    await store.call('createPets', {
      body: Array.from({ length: 100 }, (_, j) => ({ name: `n${(i * 100 + j) % 977}`, categoryId })),
    })
  const all: { id: number }[] = await store.db
    .selectFrom('pets')
    .select('id')
    .where('category_id', '=', categoryId)
    .execute()
  const leaving = new Set(all.filter((_, index) => index % 10 === 3).map(row => row.id))
  const seen: number[] = []
  const departures = [...leaving]
  let url: string | undefined = `/pets?categoryId=${categoryId}&sort=name&limit=100`
  while (url) {
    const reply = await store.request(url)
    seen.push(...reply.json().map((pet: { id: number }) => pet.id))
    url = /<([^>]+)>; rel="next"/.exec(String(reply.headers.link))?.[1]
    for (const petId of departures.splice(0, 10)) await store.call('deletePet', { path: { petId } })
    await store.call('createPet', { body: { name: `n${seen.length % 977}`, categoryId } })
  }
  expect(new Set(seen).size).toBe(seen.length)
  const stayed = all.map(row => row.id).filter(id => !leaving.has(id))
  expect(stayed.filter(id => !seen.includes(id))).toEqual([])
})
