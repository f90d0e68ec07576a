import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addPets, startStore } from '../support/store.ts'

const store = shared(() => startStore())

async function addCategory(name: string, description?: string): Promise<number> {
  const reply = await store.call('createCategory', { body: { name, ...(description && { description }) } })
  expect(reply.status).toBe(201)
  expect(reply.headers.location).toBe(`/categories/${reply.body.id}`)
  return reply.body.id
}

describe('names', () => {
  test('are unique without regard to case, in any script', async () => {
    await addCategory('Vögel')
    const reply = await store.call('createCategory', { body: { name: 'VÖGEL' } })
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'category_name_taken', details: [{ path: '/name' }] },
    })
  })

  test('of two that create the same at once one wins', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => store.call('createCategory', { body: { name: 'Racers' } })),
    )
    expect(replies.map(reply => reply.status).sort()).toEqual([201, ...Array(9).fill(409)])
  })

  test('may be kept on replacement and changed in case', async () => {
    const path = { categoryId: await addCategory('Fish') }
    expect((await store.call('replaceCategory', { path, body: { name: 'FISH' } })).body.name).toBe('FISH')
  })
})

describe('replaceCategory and updateCategory', () => {
  test('a replacement without description removes it', async () => {
    const path = { categoryId: await addCategory('Mice', 'Small') }
    const reply = await store.call('replaceCategory', { path, body: { name: 'Mice' } })
    expect(reply.body).toEqual({ id: path.categoryId, name: 'Mice' })
  })

  test('a patch keeps what it does not name, and null removes the description', async () => {
    const path = { categoryId: await addCategory('Rats', 'Clever') }
    const renamed = await store.call('updateCategory', { path, body: { name: 'Clever rats' } })
    expect(renamed.body).toEqual({ id: path.categoryId, name: 'Clever rats', description: 'Clever' })
    const bare = await store.call('updateCategory', { path, body: { description: null } })
    expect(bare.body).toEqual({ id: path.categoryId, name: 'Clever rats' })
    expect((await store.call('updateCategory', { path, body: { name: null } })).status).toBe(400)
  })

  test.each(['replaceCategory', 'updateCategory'] as const)('%s refuses a name that is taken', async id => {
    await addCategory(`Owls ${id}`)
    const path = { categoryId: await addCategory(`Hawks ${id}`) }
    expect((await store.call(id, { path, body: { name: `owls ${id}` } })).status).toBe(409)
  })
})

describe('deleteCategory', () => {
  test('removes an empty category and refuses one in use', async () => {
    const empty = { categoryId: await addCategory('Dodos') }
    expect((await store.call('deleteCategory', { path: empty })).status).toBe(204)
    expect((await store.call('getCategory', { path: empty })).status).toBe(404)
    const { categoryId } = await addPets(store.call, 'Rex')
    const reply = await store.call('deleteCategory', { path: { categoryId } })
    expect(reply).toMatchObject({ status: 409, body: { code: 'category_in_use' } })
  })
})

describe('listCategories', () => {
  test('pages by identifier', async () => {
    for (const name of ['Newts', 'Olms', 'Pikes', 'Quails']) await addCategory(name)
    const all = await store.call('listCategories', { query: { limit: 100 } })
    const first = await store.call('listCategories', { query: { limit: 2 } })
    const cursor = String(first.headers['x-next-cursor'])
    const second = await store.call('listCategories', { query: { limit: 2, cursor } })
    expect([...first.body, ...second.body]).toEqual(all.body.slice(0, 4))
  })
})
