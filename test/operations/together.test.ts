import { describe, expect, test, vi } from 'vitest'
import { insertOrderIfInStock, type NewOrder } from '../../src/store/orders.ts'
import { insertPet } from '../../src/store/pets.ts'
import { addPet, addPets, openStore } from '../support/store.ts'

const store = openStore()

const order = (petId: number, more: Partial<NewOrder> = {}): NewOrder => ({
  petId,
  quantity: 1,
  shipDate: undefined,
  ...more,
})
const stockOf = async (petId: number) =>
  (await store.call('getInventoryItem', { path: { petId } })).body.quantity

/** Lets so many statements run; those that follow fail. */
async function whileFailingAfter<T>(count: number, run: () => Promise<T>): Promise<T> {
  const execute = store.db.executeQuery.bind(store.db)
  const statements = vi.spyOn(store.db, 'executeQuery')
  statements.mockRejectedValue(new Error('The line is cut'))
  for (let left = count; left > 0; left--) statements.mockImplementationOnce(execute)
  try {
    return await run()
  } finally {
    statements.mockRestore()
  }
}

describe('animals that are added in the same moment', () => {
  test('are each what was sent, whatever their names hold', async () => {
    const { categoryId } = await addPets(store.call)
    const names = ['Rex', '"', "'", '\\', '{a,b}', 'null', 'NULL', ' , ', '😀é', 'Rex', '$1', '}{']
    const statuses = ['available', 'pending', 'sold', undefined] as const
    const replies = await Promise.all(
      names.map((name, i) =>
        store.call('createPet', { body: { name, categoryId, status: statuses[i % 4] } }),
      ),
    )
    expect(replies.map(({ status, body }) => [status, body.name, body.status])).toEqual(
      names.map((name, i) => [201, name, statuses[i % 4] ?? 'available']),
    )
    for (const { headers, body } of replies) {
      const read = await store.call('getPet', { path: { petId: body.id } })
      expect(read.body).toEqual(body)
      expect(read.headers.etag).toBe(headers.etag)
    }
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(names.length)
  })

  test('do not answer for one of them in a category that there is not', async () => {
    const { categoryId } = await addPets(store.call)
    const categories = [categoryId, 987_654_321, categoryId, 987_654_322]
    const replies = await Promise.all(
      categories.map(id => store.call('createPet', { body: { name: `In ${id}`, categoryId: id } })),
    )
    expect(replies.map(({ status }) => status)).toEqual([201, 409, 201, 409])
    expect(replies[3]?.body).toMatchObject({ message: 'There is no category 987654322.' })
    const { body } = await store.call('listPets', { query: { categoryId, name: 'In ' } })
    expect(body).toHaveLength(2)
  })

  test('fail together where the database can’t be reached, and none of them is there then', async () => {
    const { categoryId } = await addPets(store.call)
    const added = await whileFailingAfter(0, () =>
      Promise.allSettled(['a', 'b'].map(name => insertPet(store.db, { name, categoryId }))),
    )
    expect(added.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await store.call('listPets', { query: { categoryId, name: 'a' } })).body).toEqual([])
  })
})

describe('orders that are placed in the same moment', () => {
  test('are each of their own animal, quantity and date', async () => {
    const pets = await Promise.all([9, 8, 7].map(stock => addPet(store.call, stock)))
    const replies = await Promise.all(
      pets.map((petId, i) =>
        store.call('placeOrder', {
          body: { petId, quantity: i + 1, ...(i > 0 && { shipDate: `2027-01-0${i}T00:00:00Z` }) },
        }),
      ),
    )
    expect(replies.map(({ body }) => body)).toEqual(
      pets.map((petId, i) => ({
        id: expect.any(Number),
        petId,
        quantity: i + 1,
        complete: false,
        ...(i > 0 && { shipDate: `2027-01-0${i}T00:00:00.000Z` }),
      })),
    )
    expect(await Promise.all(pets.map(stockOf))).toEqual([8, 6, 4])
  })

  test('are each an order of its own, also where they are equal', async () => {
    const petId = await addPet(store.call, 30)
    const dates = [undefined, new Date('2027-01-01'), undefined, new Date('2027-01-02')]
    const placed = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        insertOrderIfInStock(store.db, order(petId, { shipDate: dates[i % 4] })),
      ),
    )
    expect(new Set(placed.map(row => row?.id)).size).toBe(24)
    expect(placed.map(row => row?.ship_date ?? undefined)).toEqual(placed.map((_, i) => dates[i % 4]))
    expect(await stockOf(petId)).toBe(6)
    const { body } = await store.call('getInventoryItem', { path: { petId } })
    expect(body.status).toBe('available')
  })

  test('get what is left of an animal, whoever is first, and no more than there is', async () => {
    const [scarce, other, sold] = await Promise.all([3, 5, 1].map(stock => addPet(store.call, stock)))
    if (!scarce || !other || !sold) throw new Error('Three were added')
    await store.call('updatePet', { path: { petId: sold }, body: { status: 'sold' } })
    const asked = [
      order(scarce, { quantity: 2 }),
      order(other),
      order(scarce, { quantity: 2 }),
      order(sold),
      order(scarce),
      order(123_456_789),
    ]
    const placed = await Promise.all(asked.map(item => insertOrderIfInStock(store.db, item)))
    const [one, ofOther, another, ...rest] = placed.map(row => row?.quantity)
    // Three pieces are enough for one of the two orders for two, and for the order for one.
    expect([one, another].filter(Boolean)).toEqual([2])
    expect([ofOther, ...rest]).toEqual([1, undefined, 1, undefined])
    expect(await Promise.all([scarce, other].map(stockOf))).toEqual([0, 4])
  })

  test('are told of as placed when one of them fails after the others', async () => {
    const [first, second] = await Promise.all([2, 2].map(stock => addPet(store.call, stock)))
    if (!first || !second) throw new Error('Two were added')
    const asked = [order(first), order(second), order(first)]
    const placed = await whileFailingAfter(2, () =>
      Promise.allSettled(asked.map(item => insertOrderIfInStock(store.db, item))),
    )
    expect(placed.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(await Promise.all([first, second].map(stockOf))).toEqual([1, 1])
  })
})
