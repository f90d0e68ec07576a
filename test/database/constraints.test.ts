import { beforeEach, expect, test } from 'vitest'
import { emptyTables, freshDatabase } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'

const database = shared(freshDatabase)
beforeEach(() => emptyTables(database.db))

const addCategory = (values: { name?: string; name_key?: string; description?: string | null } = {}) =>
  database.db
    .insertInto('categories')
    .values({ name: 'Dogs', name_key: 'dogs', description: null, ...values })
    .returning('id')
    .executeTakeFirstOrThrow()

interface PetValues {
  name?: string
  category_id?: number
  status?: 'available' | 'pending' | 'sold'
  stock?: number
  open_orders?: number
}
const addPet = (values: PetValues = {}) =>
  database.db
    .insertInto('pets')
    .values({ name: 'Rex', name_key: 'rex', category_id: 1, ...values })
    .returning('id')
    .executeTakeFirstOrThrow()

const addOrder = (values: { pet_id?: number | null; quantity?: number; complete?: boolean } = {}) =>
  database.db
    .insertInto('orders')
    .values({ pet_id: 1, quantity: 1, ship_date: null, ...values })
    .returning('id')
    .executeTakeFirstOrThrow()

const violates = (constraint: string) => expect.objectContaining({ constraint })

test('two categories can not have the same folded name', async () => {
  await addCategory()
  await expect(addCategory({ name: 'DOGS' })).rejects.toEqual(violates('categories_name_unique'))
})

test('an animal needs an existing category, which stays while the animal does', async () => {
  await expect(addPet()).rejects.toEqual(violates('pets_category_exists'))
  await emptyTables(database.db)
  await addCategory()
  await addPet()
  const removal = database.db.deleteFrom('categories').execute()
  await expect(removal).rejects.toEqual(violates('pets_category_exists'))
})

test('an order is for an existing animal and at least one piece', async () => {
  await addCategory()
  await addPet()
  await expect(addOrder({ pet_id: 7 })).rejects.toEqual(violates('orders_pet_exists'))
  await expect(addOrder({ quantity: 0 })).rejects.toEqual(violates('orders_quantity_range'))
  await expect(addOrder({ quantity: 1_000_001 })).rejects.toEqual(violates('orders_quantity_range'))
})

test('an animal with an open order stays; a fulfilled order outlives its animal', async () => {
  await addCategory()
  await addPet()
  await addOrder()
  const remove = () => database.db.deleteFrom('pets').execute()
  await expect(remove()).rejects.toEqual(violates('orders_open_has_pet'))
  await database.db.updateTable('orders').set({ complete: true }).execute()
  await remove()
  const orders = await database.db.selectFrom('orders').select(['pet_id', 'complete']).execute()
  expect(orders).toEqual([{ pet_id: null, complete: true }])
})
