import { type CompiledQuery, sql } from 'kysely'
import type { Parameter } from 'spec-served'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { prepared } from 'spec-served-lab/support/petstore'
import { beforeEach, expect, test, vi } from 'vitest'

const database = shared(freshDatabase)

let built = 0
beforeEach(() => {
  built = 0
})

type Values = { key: string; after: number | undefined }

const categories = () =>
  prepared((db, value: Parameter<Values>, { isNext, size }: { isNext: boolean; size: 1 | 2 }) => {
    built++
    return db
      .selectFrom('categories')
      .select(['id', 'name_key'])
      .where('name_key', '>=', value('key'))
      .$if(isNext, query => query.where('id', '>', value('after')))
      .orderBy('id')
      .limit(sql.lit(size))
  })

test('a statement is built once for each variant, and run with the values of each call', async () => {
  for (const name of ['a', 'b', 'c'])
    await database.db.insertInto('categories').values({ name, name_key: name, description: null }).execute()
  const statement = categories()
  const keysFrom = async (key: string, size: 1 | 2) =>
    (await statement(database.db, { key, after: undefined }, { isNext: false, size })).map(
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
  for (const key of ['one', 'two']) await statement(database.db, { key, after: 7 }, { isNext: true, size: 1 })
  const queries = statements.mock.calls.map(([query]) => query as CompiledQuery) // prepared statements are compiled
  statements.mockRestore()
  expect(new Set(queries.map(query => query.sql)).size).toBe(1)
  expect(queries.map(query => query.parameters)).toEqual([
    ['one', 7],
    ['two', 7],
  ])
})

test('a builder is handed no value, and a parameter without one is refused', async () => {
  let received: unknown
  const statement = prepared((db, value: Parameter<{ key: string }>) => {
    received = value('key')
    // @ts-expect-error because a value must not get into the text of a statement
    void (value('key') satisfies string)
    return db.selectFrom('categories').select('id').where('name_key', '=', value('key'))
  })
  await statement(database.db, { key: 'secret' }, {})
  expect(JSON.stringify(received)).not.toContain('secret')
  await expect(
    categories()(database.db, { key: 'a', after: undefined }, { isNext: true, size: 1 }),
  ).rejects.toThrow('no value for its parameter after')
})

test('equal reads that wait together run once, and each caller gets rows of its own', async () => {
  const statements = vi.spyOn(database.db, 'executeQuery')
  const read = prepared(db => db.selectNoFrom(eb => [eb.cast<string>(eb.val('a'), 'text').as('name')]))
  const calls = Array.from({ length: 3 }, async () => {
    const [row] = await read(database.db, {}, {})
    const { name } = row ?? {}
    if (row) Object.assign(row, { name: 'masked' })
    return name
  })
  expect(await Promise.all(calls)).toEqual(['a', 'a', 'a'])
  expect(statements).toHaveBeenCalledTimes(1)
  statements.mockRestore()
})

test('reads with bigints that wait together are distinguished by each digit', async () => {
  const read = prepared((db, value: Parameter<{ n: bigint }>) =>
    db.selectNoFrom(sql<string>`(${value('n')}::bigint)::text`.as('n')),
  )
  const all = [2n ** 63n - 1n, 2n ** 63n - 2n, 5n, 5n]
  const rows = await Promise.all(all.map(n => read(database.db, { n }, {})))
  expect(rows.map(([row]) => BigInt(row?.n ?? ''))).toEqual(all)
})

test('a statement that is not prepared runs as often as it is asked for', async () => {
  await sql`create sequence tickets`.execute(database.db)
  const next = () =>
    database.db
      .selectNoFrom(sql<number>`nextval('tickets')`.as('ticket'))
      .executeTakeFirstOrThrow()
      .then(({ ticket }) => Number(ticket))
  expect((await Promise.all([next(), next(), next(), next()])).sort()).toEqual([1, 2, 3, 4])
})
