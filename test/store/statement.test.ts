import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderPages } from '../../src/store/orders.ts'
import { inventoryPages, petPages } from '../../src/store/pets.ts'
import { type Statement, statement } from '../../src/store/statement.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

interface Page {
  isLater: boolean
  limit: number
}

test('the text of a statement is built from the shape of its arguments alone, which all callers of it share', async () => {
  const pages = statement<Page, { limit: number; most: number }, { isLater: boolean }>(
    ({ isLater }) => ({ isLater }),
    (shape, value) => {
      // @ts-expect-error: what is no part of the shape would be the first caller's for all others
      expect(shape.limit).toBeUndefined()
      expect(shape).toEqual({ isLater: true })
      return sql`select ${value(page => page.limit)}::int as limit, ${sql.lit(7)} as most`
    },
  )
  for (const limit of [1, 2])
    expect(await pages.rows(database.db, { isLater: true, limit })).toEqual([{ limit, most: 7 }])
})

/** Whether two calls with the same filters, and other values of them, have one text and their own values. */
function shareText<Args>({ compile }: Statement<Args, unknown>, first: Args, second: Args): void {
  const [one, other] = [first, second].map(args => compile(database.db, args))
  expect(other?.sql).toBe(one?.sql)
  expect(other?.parameters).not.toEqual(one?.parameters)
  expect(compile(database.db, first)).toEqual(one)
}

test('two callers of a list with the same filters send one text, each with its own values', () => {
  for (const by of ['id', 'name'] as const)
    for (const ids of [undefined, [1, 2]]) {
      const order = { by, descending: false }
      const keys = (id: number) => (by === 'id' ? [id] : [`name ${id}`, id])
      shareText(
        petPages,
        { order, ids, categoryId: 1, name: 'a', after: keys(1), limit: 5 },
        { order, ids: ids && [3], categoryId: 2, name: 'b', after: keys(2), limit: 6 },
      )
    }
  shareText(orderPages, { petId: 1, after: 1, limit: 5 }, { petId: 2, after: 2, limit: 6 })
  shareText(inventoryPages, { maxQuantity: 1, after: 1, limit: 5 }, { maxQuantity: 2, after: 2, limit: 6 })
})
