import { describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { startStore } from '../support/store.ts'

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
})
