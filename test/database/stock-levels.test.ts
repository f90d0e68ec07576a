import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { migrateDown, migrateToLatest } from '../../src/database/migrate.ts'
import type { Db } from '../../src/database/tables.ts'
import { insertOrderIfInStock } from '../../src/store/orders.ts'
import { setStock } from '../../src/store/pets.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await freshDatabase()
  await sql`insert into categories (name, name_key) values ('c', 'c')`.execute(database.db)
})
afterEach(() => database.close())

async function insertAnimals(stocks: readonly number[]): Promise<void> {
  await sql`
    insert into pets (category_id, name, name_key, stock)
    select 1, 'a', 'a', stock from unnest(${stocks}::bigint[]) as stock`.execute(database.db)
}

async function levels(): Promise<{ stock: number; level: number | null; due: number }[]> {
  const { rows } = await sql<{ stock: number; level: number | null; due: number }>`
    select stock, stock_level as level, level_of_stock(stock) as due from pets order by id`.execute(
    database.db,
  )
  return rows
}

test('a greater stock never has a lower level, and small ones have each their own', async () => {
  const { rows } = await sql<{ level: number }>`
    select level_of_stock(stock) as level from (
      select generate_series(0, 10000)::bigint as stock
      union select (2::numeric ^ power + difference)::bigint
        from generate_series(14, 62) as power, generate_series(-1, 1) as difference
      union select 9007199254740991
    ) as stocks order by stock`.execute(database.db)
  const all = rows.map(({ level }) => level)
  expect(all).toEqual(all.toSorted((a, b) => a - b))
  expect(new Set(all.slice(0, 15)).size).toBe(15)
})

describe('an animal’s indexes', () => {
  /** How many animals a write has changed, and how many of these without an entry in an index. */
  async function changes(write: (db: Db) => Promise<unknown>): Promise<{ all: number; inPlace: number }> {
    return database.db.transaction().execute(async trx => {
      const before = await counted(trx)
      await write(trx)
      const { all, inPlace } = await counted(trx)
      return { all: all - before.all, inPlace: inPlace - before.inPlace }
    })
  }

  /** The same of a session, those that it has told already left out. */
  async function counted(db: Db): Promise<{ all: number; inPlace: number }> {
    const { rows } = await sql<{ all: number; inPlace: number }>`
      select pg_stat_get_xact_tuples_updated('pets'::regclass)::int as all,
        pg_stat_get_xact_tuples_hot_updated('pets'::regclass)::int as "inPlace"`.execute(db)
    return rows[0] ?? { all: 0, inPlace: 0 }
  }

  beforeEach(() => insertAnimals([1_000, 2]))

  test('stay as they are when it is ordered, or its stock is counted anew', async () => {
    const order = { petId: 1, quantity: 1, shipDate: undefined }
    expect(await changes(trx => insertOrderIfInStock(trx, order))).toEqual({ all: 1, inPlace: 1 })
    expect(await changes(trx => setStock(trx, 1, 990, undefined))).toEqual({ all: 1, inPlace: 1 })
  })

  test('follow when its stock becomes another one by far', async () => {
    expect(await changes(trx => setStock(trx, 1, 400, undefined))).toEqual({ all: 1, inPlace: 0 })
    const order = { petId: 2, quantity: 1, shipDate: undefined }
    expect(await changes(trx => insertOrderIfInStock(trx, order))).toEqual({ all: 1, inPlace: 0 })
    for (const { level, due } of await levels()) expect(level).toBe(due)
  })
})

test('whoever changes a stock changes its level', async () => {
  await insertAnimals([5, 70])
  await sql`insert into pets (category_id, name, name_key) values (1, 'b', 'b')`.execute(database.db)
  await sql`update pets set stock = stock * 100 where id < 3`.execute(database.db)
  const all = await levels()
  expect(all.map(({ stock }) => stock)).toEqual([500, 7_000, 1])
  for (const { level, due } of all) expect(level).toBe(due)
})

describe('the steps to levels', () => {
  const names = Object.keys(migrations)
  const count = names.length - names.indexOf('0008-stock-levels')

  test('give each animal its own, more than are changed at once, and animals that come meanwhile', async () => {
    await migrateDown(database.db, count)
    await insertAnimals(Array.from({ length: 4_500 }, (_, i) => i % 200))
    const upTo = (name: string) =>
      Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf(name) + 1))
    await migrateToLatest(database.db, upTo('0008-stock-levels'))
    await insertAnimals([44])
    await migrateToLatest(database.db)
    const all = await levels()
    expect(all).toHaveLength(4_501)
    for (const { level, due } of all) expect(level).toBe(due)
  })

  test('make the index anew of which only a part was made', async () => {
    const before = names.length - names.indexOf('0009-index-on-stock-levels')
    await migrateDown(database.db, before)
    await sql`create index pets_block_stock_level_idx on pets (stock_level)`.execute(database.db)
    await sql`
      update pg_index set indisvalid = false where indexrelid = 'pets_block_stock_level_idx'::regclass`.execute(
      database.db,
    )
    await migrateToLatest(database.db)
    const { rows } = await sql<{ name: string; valid: boolean; text: string }>`
      select indexrelid::regclass::text as name, indisvalid as valid, pg_get_indexdef(indexrelid) as text
      from pg_index where indrelid = 'pets'::regclass and indexrelid::regclass::text like '%stock%'`.execute(
      database.db,
    )
    expect(rows).toEqual([
      {
        name: 'pets_block_stock_level_idx',
        valid: true,
        text: expect.stringContaining('((id / 4096)), stock_level, id)'),
      },
    ])
  })
})
