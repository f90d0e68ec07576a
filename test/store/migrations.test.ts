import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { insertCategory } from '../../src/store/categories.ts'
import { foldName } from '../../src/store/text.ts'
import { type Store, startStore } from '../support/store.ts'

let store: Store
let db: Store['db']
beforeEach(async () => {
  store = await startStore()
  db = store.db
})
afterEach(() => store.close())

const steps = Object.entries(migrations)
/** A migration knows no tables but those that it makes. */
const anyTables = () => db as unknown as Kysely<unknown>

/** Takes back the migrations down to this one. */
async function backTo(name: string): Promise<void> {
  const last = steps.findIndex(([step]) => step === name)
  for (const [, { down }] of steps.slice(last).toReversed()) await down?.(anyTables())
}

/** Runs the migrations from this one to another, or to the last. */
async function upFrom(name: string, end = steps.at(-1)?.[0]): Promise<void> {
  const [first, last] = [name, end].map(item => steps.findIndex(([step]) => step === item))
  for (const [, { up }] of steps.slice(first, Number(last) + 1)) await up(anyTables())
}

/** The columns and indexes of all tables, as the database describes them. */
async function shape(): Promise<unknown[]> {
  const columns = await sql`
    select table_name, column_name, data_type, collation_name, is_nullable, column_default
    from information_schema.columns where table_schema = 'public' order by table_name, column_name
  `.execute(db)
  const indexes = await sql`
    select indexdef from pg_indexes where schemaname = 'public' order by indexname`.execute(db)
  return [columns.rows, indexes.rows]
}

const folding = '0005-names-and-pages'
const old = (name: string) => name.normalize('NFKC').toLowerCase().normalize('NFKC')

test('full case folding computes every key again, and tells apart names that have become the same', async () => {
  await backTo(folding)
  const long = 'ς'.repeat(100)
  const names = ['σοσ', 'Dogs', 'σος', 'ςος (2)', 'Straße', 'STRASSE', 'ςοσ', long, 'σ'.repeat(100), '①']
  for (const name of names)
    await sql`insert into categories (name, name_key) values (${name}, ${old(name)})`.execute(db)
  await sql`
    insert into pets (category_id, name, name_key)
    select 1, 'Straße ' || i, ${old('Straße')} || ' ' || i from generate_series(1, 5001) as i`.execute(db)
  await upFrom(folding)

  const categories = await db.selectFrom('categories').selectAll().orderBy('id').execute()
  expect(categories.map(({ name }) => name)).toEqual([
    'σοσ',
    'Dogs',
    'σος (3)',
    'ςος (2)',
    'Straße',
    'STRASSE (2)',
    'ςοσ (4)',
    long,
    `${'σ'.repeat(96)} (2)`,
    '①',
  ])
  for (const { name, name_key, version, id } of categories) {
    expect(name_key).toBe(foldName(name))
    expect(version).toBe(name === names[id - 1] ? 1 : 2)
  }
  const pets = await db.selectFrom('pets').selectAll().execute()
  expect(pets).toHaveLength(5001)
  for (const { name, name_key, version } of pets) expect([name_key, version]).toEqual([foldName(name), 1])
})

test('full case folding can be taken back, even after names have become the same', async () => {
  for (const name of ['①', '1', 'Straße']) await insertCategory(db, { name })
  await backTo(folding)
  const { rows } = await sql<{ name: string; name_key: string }>`
    select name, name_key from categories order by id`.execute(db)
  expect(rows.map(row => row.name)).toEqual(['①', '1 (2)', 'Straße'])
  for (const { name, name_key } of rows) expect(name_key).toBe(old(name))
})

test('indexes on columns alone end with the same database, whatever was stored before and meanwhile', async () => {
  await insertCategory(db, { name: 'Dogs' })
  const before = await shape()
  const addPets = (count: number) =>
    sql`
      insert into pets (category_id, name, name_key, stock)
      select 1, 'a', 'a', i from generate_series(1, ${count}::int) as i`.execute(db)
  await backTo('0008-stock-levels')
  await addPets(4_500)
  await upFrom('0008-stock-levels', '0008-stock-levels')
  await addPets(1)
  await upFrom('0009-index-on-stock-levels')
  expect(await shape()).toEqual(before)
  const { rows } = await sql<{ count: number }>`select count(*) from pets`.execute(db)
  expect(rows).toEqual([{ count: 4_501 }])
})

test('an index of which only a part was made is made again', async () => {
  const before = await shape()
  await backTo('0011-plain-indexes')
  await sql`create index pets_status_stock_idx on pets (stock)`.execute(db)
  await sql`
    update pg_index set indisvalid = false where indexrelid = 'pets_status_stock_idx'::regclass`.execute(db)
  await upFrom('0011-plain-indexes')
  expect(await shape()).toEqual(before)
})
