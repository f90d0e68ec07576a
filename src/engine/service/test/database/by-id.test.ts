import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { type Database, findCategory, insertCategory } from 'spec-served-lab/support/petstore'
import { beforeAll, expect, test, vi } from 'vitest'

const database = shared(freshDatabase)
const ids: number[] = []
beforeAll(async () => {
  for (const name of ['a', 'b', 'c']) {
    const row = await insertCategory(database.db, { name })
    if (row !== 'name taken') ids.push(row.id)
  }
})

async function counting<T>(run: () => Promise<T>): Promise<{ result: T; statements: number }> {
  const execute = vi.spyOn(database.db, 'executeQuery')
  try {
    const result = await run()
    return { result, statements: execute.mock.calls.length }
  } finally {
    execute.mockRestore()
  }
}

test('one statement reads all rows that one turn of the event loop asks for', async () => {
  const asked = [...ids.toReversed(), 987_654, ...ids]
  const { result, statements } = await counting(() =>
    Promise.all(asked.map(id => findCategory(database.db, id))),
  )
  expect(result.map(row => row?.id)).toEqual([...ids.toReversed(), undefined, ...ids])
  expect(statements).toBe(1)
})

test('a bad row fails alone, although others were read with it', async () => {
  const bad = 2 ** 63 // beyond what the database can hold
  const found = await Promise.allSettled([...ids, bad].map(id => findCategory(database.db, id)))
  expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
})

test('a transaction reads what it has written itself', async () => {
  const db: Database = database.db
  const name = await db.transaction().execute(async trx => {
    const row = await insertCategory(trx, { name: 'inside' })
    return row === 'name taken' ? row : (await findCategory(trx, row.id))?.name
  })
  expect(name).toBe('inside')
})
