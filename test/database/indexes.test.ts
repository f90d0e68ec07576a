import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
  const { db } = database
  await sql`insert into categories (name, name_key) select i, i from generate_series(1, 50) as i`.execute(db)
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select 1 + i % 50, 'name', md5(i::text), (array['available', 'pending', 'sold'])[1 + i % 3], i % 100
    from generate_series(1, 5000) as i`.execute(db)
  await sql`
    insert into orders (pet_id, quantity, complete) select 1 + i % 5000, 1, i % 2 = 0
    from generate_series(1, 5000) as i`.execute(db)
  await sql`analyze`.execute(db)
})
afterAll(() => database.close())

async function explain(query: RawBuilder<unknown>): Promise<string> {
  return database.db.connection().execute(async connection => {
    await sql`set enable_seqscan = off`.execute(connection)
    const { rows } = await sql<Record<'QUERY PLAN', string>>`explain ${query}`.execute(connection)
    await sql`reset enable_seqscan`.execute(connection)
    return rows.map(row => row['QUERY PLAN']).join('\n')
  })
}

test.each([
  ['animals by id', sql`select * from pets where id > 100 order by id limit 20`],
  ['animals by id, backwards', sql`select * from pets where id < 100 order by id desc limit 20`],
  ['animals by name', sql`select * from pets where (name_key, id) > ('a', 1) order by name_key, id limit 20`],
  [
    'animals by name, backwards',
    sql`select * from pets where (name_key, id) < ('a', 1) order by name_key desc, id desc limit 20`,
  ],
  [
    'animals whose name begins with',
    sql`select * from pets where name_key like 'ab%' order by name_key, id limit 20`,
  ],
  [
    'animals of a status by id',
    sql`select * from pets where status = 'sold' and id > 100 order by id limit 20`,
  ],
  [
    'animals of a status by name',
    sql`select * from pets where status = 'sold' and (name_key, id) > ('a', 1) order by name_key, id limit 20`,
  ],
  [
    'animals of a category by id',
    sql`select * from pets where category_id = 7 and id > 100 order by id limit 20`,
  ],
  [
    'animals of a category by name',
    sql`select * from pets where category_id = 7 and (name_key, id) > ('a', 1) order by name_key, id limit 20`,
  ],
  ['orders by id', sql`select * from orders where id > 100 order by id limit 20`],
  ['orders of an animal', sql`select * from orders where pet_id = 7 and id > 100 order by id limit 20`],
  ['open orders', sql`select * from orders where complete = false and id > 100 order by id limit 20`],
  ['categories by id', sql`select * from categories where id > 10 order by id limit 20`],
])('a page of %s comes from an index in its order, without sorting', async (_, query) => {
  const plan = await explain(query)
  expect(plan).toMatch(/Index (Only )?Scan/)
  expect(plan).not.toMatch(/Sort|Seq Scan/)
})

test('entries with little stock come from an index', async () => {
  const plan = await explain(sql`select * from pets where stock <= 0 order by id limit 20`)
  expect(plan).toMatch(/Index .*Scan/)
  expect(plan).not.toContain('Seq Scan')
})

test.each([
  ['a category', sql`select 1 from pets where category_id = 7`],
  ['an animal', sql`select 1 from orders where pet_id = 7`],
])('removing %s finds what refers to it by an index', async (_, query) => {
  const plan = await explain(query)
  expect(plan).toMatch(/Index .*Scan/)
  expect(plan).not.toContain('Seq Scan')
})
