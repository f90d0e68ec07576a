import { expect, test } from 'vitest'
import type { Database } from '../../../src/store/tables.ts'
import { shared } from '../../support/fixtures.ts'
import { addPet, startStore } from '../../support/store.ts'

const store = shared(() => startStore())

test('an animal that somebody is changing holds up its own orders and no others', async () => {
  const pets = await Promise.all(Array.from({ length: 6 }, () => addPet(store.call, 5)))
  const [locked = 0, ...others] = pets
  const order = (petId: number) => store.call('placeOrder', { body: { petId, quantity: 1 } })
  let isPlaced = false
  const db: Database = store.db
  const waiting = await db.transaction().execute(async trx => {
    await trx.updateTable('pets').set({ stock: 1 }).where('id', '=', locked).execute()
    const own = order(locked).finally(() => {
      isPlaced = true
    })
    const replies = await Promise.all(others.map(order))
    expect(replies.map(({ status }) => status)).toEqual(others.map(() => 201))
    expect(isPlaced).toBe(false)
    return { own }
  })
  expect(await waiting.own).toMatchObject({ status: 201 })
  const { body } = await store.call('getInventoryItem', { path: { petId: locked } })
  expect(body).toMatchObject({ quantity: 0, status: 'pending' })
})
