import { expect, test } from 'vitest'
import { openStore } from '../support/store.ts'

// Constraints of which callers are told are shown by `npm run check`.
const store = openStore()

const addOrder = (pet_id: number) =>
  store.db.insertInto('orders').values({ pet_id, quantity: 1, ship_date: null }).execute()
const violates = (constraint: string) => expect.objectContaining({ constraint })

test('an order is for an animal, which stays while the order is open; a fulfilled order outlives it', async () => {
  const { db } = store
  await expect(addOrder(7)).rejects.toEqual(violates('orders_pet_exists'))
  await db.insertInto('categories').values({ name: 'Dogs', name_key: 'dogs' }).execute()
  await db.insertInto('pets').values({ name: 'Rex', name_key: 'rex', category_id: 1 }).execute()
  await addOrder(1)
  const remove = () => db.deleteFrom('pets').execute()
  await expect(remove()).rejects.toEqual(violates('orders_open_has_pet'))
  await db.updateTable('orders').set({ complete: true }).execute()
  await remove()
  const orders = await db.selectFrom('orders').select(['pet_id', 'complete']).execute()
  expect(orders).toEqual([{ pet_id: null, complete: true }])
})

test('names sort byte by byte, whatever the database was created with', async () => {
  const { db } = store
  const keys = ['a', 'B', 'ä', 'z']
  const rows = keys.map(name_key => ({ name: name_key, name_key }))
  await db.insertInto('categories').values(rows).execute()
  const found = await db
    .selectFrom('categories')
    .select('name_key')
    .where('name_key', 'in', keys)
    .orderBy('name_key')
    .execute()
  expect(found.map(row => row.name_key)).toEqual(['B', 'a', 'z', 'ä'])
})
