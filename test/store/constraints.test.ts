import { expect, test } from 'vitest'
import { freshDatabase } from '../../src/engine/test/support/database.ts'
import { shared } from '../../src/engine/test/support/fixtures.ts'

// Constraints of which callers are told are shown by `npm run check`.
const database = shared(freshDatabase)

const addOrder = (pet_id: number) =>
  database.db.insertInto('orders').values({ pet_id, quantity: 1, ship_date: null }).execute()
const violates = (constraint: string) => expect.objectContaining({ constraint })

test('an order is for an animal, which stays while the order is open; a fulfilled order outlives it', async () => {
  const { db } = database
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
