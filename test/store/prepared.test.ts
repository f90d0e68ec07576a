import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { prepared } from '../../src/store/prepared.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

let built = 0
beforeEach(() => {
  built = 0
})

const categories = () =>
  prepared<{ key: string; after: number | undefined }>()(
    { isNext: [true, false], size: [1, 2] },
    (db, value, { isNext, size }) => {
      built++
      return db
        .selectFrom('categories')
        .select(['id', 'name_key'])
        .where('name_key', '>=', value('key'))
        .$if(isNext, query => query.where('id', '>', value('after')))
        .orderBy('id')
        .limit(sql.lit(size))
    },
  )

test('a statement is built once for each variant, and run with the values of each call', async () => {
  for (const name of ['a', 'b', 'c'])
    await database.db.insertInto('categories').values({ name, name_key: name, description: null }).execute()
  const statement = categories()
  const keysFrom = async (key: string, size: 1 | 2) =>
    (await statement.rows(database.db, { isNext: false, size }, { key, after: undefined })).map(
      row => row.name_key,
    )
  expect(await keysFrom('a', 2)).toEqual(['a', 'b'])
  expect(await keysFrom('b', 2)).toEqual(['b', 'c'])
  expect(await keysFrom("'; drop table categories --", 2)).toEqual(['a', 'b'])
  expect(built).toBe(1)
  expect(await keysFrom('b', 1)).toEqual(['b'])
  expect(built).toBe(2)
})

test('the text of a statement holds no value, whatever the values are', async () => {
  const statements = vi.spyOn(database.db, 'executeQuery')
  const statement = categories()
  for (const key of ['one', 'two'])
    await statement.rows(database.db, { isNext: true, size: 1 }, { key, after: 7 })
  const queries = statements.mock.calls.map(([query]) => query as CompiledQuery) // prepared statements are compiled
  statements.mockRestore()
  expect(new Set(queries.map(query => query.sql)).size).toBe(1)
  expect(queries.map(query => query.parameters)).toEqual([
    ['one', 7],
    ['two', 7],
  ])
})

test('a builder is handed nothing of a variant but its choices', async () => {
  const seen: unknown[] = []
  let given: unknown
  const statement = prepared<{ key: string }>()({ size: [1, 2] }, (db, value, variant) => {
    seen.push(variant)
    given = value('key')
    // @ts-expect-error A parameter is no text, so none can be made of it.
    void (value('key') satisfies string)
    return db.selectFrom('categories').select('id').where('name_key', '=', value('key'))
  })
  const more = { size: 1, key: 'secret' } as const
  await statement.rows(database.db, more, { key: 'secret' })
  expect(seen).toEqual([{ size: 1 }])
  expect(JSON.stringify(given)).not.toContain('secret')
})

test('a variant that is no choice is refused, and so is a parameter without a value', async () => {
  const statement = categories()
  const values = { key: 'a', after: undefined }
  const three = 3 as 2 // what the types refuse
  await expect(statement.rows(database.db, { isNext: false, size: three }, values)).rejects.toThrow(
    '3 is no choice for size: 1,2',
  )
  await expect(statement.rows(database.db, { isNext: true, size: 1 }, values)).rejects.toThrow(
    'no value for its parameter after',
  )
})
