import { expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addOrder, addPet, addPets, startStore } from '../support/store.ts'

// The ETag of each operation, If-Match and If-None-Match in each form: scripts/contract/probes/preconditions.ts.
const store = shared(() => startStore())

test('the ETag of a record changes with the record and with nothing else', async () => {
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

test('of two writers who read the same version one wins', async () => {
  const pet = { petId: await addPet(store.call) }
  const order = { orderId: await addOrder(store.call, await addPet(store.call)) }
  const { categoryId } = await addPets(store.call)
  const writers = [
    ['getPet', 'updatePet', pet, [{ name: 'A' }, { name: 'B' }]],
    ['getInventoryItem', 'updateInventory', pet, [{ quantity: 1 }, { quantity: 2 }]],
    ['getCategory', 'updateCategory', { categoryId }, [{ description: 'A' }, { description: 'B' }]],
    ['getOrder', 'updateOrder', order, [{ complete: true }, { shipDate: '2027-01-01T00:00:00Z' }]],
  ] as const
  for (const [read, write, path, bodies] of writers) {
    const headers = { 'if-match': (await store.call(read, { path })).headers.etag ?? '' }
    const replies = await Promise.all(bodies.map(body => store.call(write, { path, body, headers })))
    expect(replies.map(reply => reply.status).sort(), write).toEqual([200, 412])
  }
})

test.each([
  ['"7", "1"', 204],
  ['W/"1"', 412],
  ['nonsense', 412],
  ['"99999999999999999999"', 412],
  ['*', 204],
])('with If-Match: %s the removal of version 1 answers %i', async (ifMatch, status) => {
  const path = { petId: await addPet(store.call) }
  expect((await store.call('deletePet', { path, headers: { 'if-match': ifMatch } })).status).toBe(status)
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

test('paging through 5,000 animals while others come and go: every one that stays is seen once', async () => {
  const { categoryId } = await addPets(store.call)
  const pet = (index: number) => ({ name: `n${index % 977}`, categoryId })
  for (let i = 0; i < 50; i++)
    await store.call('createPets', { body: Array.from({ length: 100 }, (_, j) => pet(i * 100 + j)) })
  const all = await store.db.selectFrom('pets').select('id').where('category_id', '=', categoryId).execute()
  const leaving = new Set(all.filter((_, index) => index % 10 === 3).map(row => row.id))
  const seen: number[] = []
  const departures = [...leaving]
  let url: string | undefined = `/pets?categoryId=${categoryId}&sort=name&limit=100`
  while (url && seen.length < 10_000) {
    const reply = await store.request(url)
    seen.push(...reply.json().map((pet: { id: number }) => pet.id))
    url = /<([^>]+)>; rel="next"/.exec(String(reply.headers.link))?.[1]
    for (const petId of departures.splice(0, 10)) await store.call('deletePet', { path: { petId } })
    await store.call('createPet', { body: pet(seen.length) })
  }
  expect(new Set(seen).size).toBe(seen.length)
  const stayed = all.map(row => row.id).filter(id => !leaving.has(id))
  expect(stayed.filter(id => !seen.includes(id))).toEqual([])
})
