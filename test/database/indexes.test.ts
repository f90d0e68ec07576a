import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderPages } from '../../src/store/orders.ts'
import {
  inventoryPages,
  type PetFilter,
  type PetOrder,
  type PetStatus,
  petPages,
} from '../../src/store/pets.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

/** Records of each kind; what walks past a good part of them is seen by the rows it reads. */
const size = 40_000
/** A page, the row one too many, and as many from each of three statuses; what is read beside it is few in comparison. */
const pageRows = 3 * 21 + 10
/** The rows of one block, those read to see whether there are few, and a probe for each block and status. */
const blockRows = 4_096 + 3 * 200 + 4 * 11 + pageRows

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
  const { db } = database
  await sql`insert into categories (name, name_key) select i, i from generate_series(1, 50) as i`.execute(db)
  // What is available was added last, half of all is of category 1, one animal of category 2, and names of animals that
  // were added last begin with an a, so that nothing is where the average of all would have it.
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select
      case when i % 2 = 0 then 1 when i = ${size - 1} then 2 else 3 + i % 48 end,
      'name',
      case when i > ${size * 0.8} then 'a' else 'b' end || md5(i::text),
      case when i % 1000 = 7 then 'pending' when i <= ${size * 0.9} then 'sold' else 'available' end,
      case when i <= ${size * 0.9} then 0 else 1 + i % 100 end
    from generate_series(1, ${size}::int) as i`.execute(db)
  await sql`
    insert into orders (pet_id, quantity, complete)
    select case when i % 2 = 0 then 5 else i end, 1, i < ${size * 0.9}
    from generate_series(1, ${size}::int) as i`.execute(db)
})
afterAll(() => database.close())

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** How many rows a plan has read from tables and indexes, those thrown away too. */
function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
  // A bitmap index scan's rows are read once more by the heap scan above it.
  if (!/^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])) return below
  const perLoop =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return below + perLoop * node['Actual Loops']
}

/** Runs a statement of the store as connections do from its sixth time on: prepared, with a plan for any parameters. */
async function readByPlan({ sql: text, parameters }: CompiledQuery, mode: string): Promise<number> {
  const values = parameters.map(value => (Array.isArray(value) ? `{${value.join()}}` : value))
  const args = values.length > 0 ? sql`(${sql.join(values.map(value => sql.lit(value)))})` : sql``
  return database.db.connection().execute(async connection => {
    await sql`set plan_cache_mode = ${sql.raw(mode)}`.execute(connection)
    await sql`prepare page as ${sql.raw(text)}`.execute(connection)
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
      explain (analyze, format json) execute page ${args}`.execute(connection)
    await sql`deallocate page`.execute(connection)
    await sql`reset plan_cache_mode`.execute(connection)
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    if (!plan) throw new Error('There is no plan')
    return rowsRead(plan)
  })
}

const statuses: (PetStatus | undefined)[] = [undefined, 'available', 'pending', 'sold']
const categories = [undefined, 1, 2, 7]
const ids = Array.from({ length: 100 }, (_, i) => 1 + i * 397)

// A store is young once: the statistics know of nothing then, and PGlite never gathers any by itself.
describe.each([
  ['before statistics are gathered', false],
  ['with statistics', true],
])('%s', (_, analysed) => {
  beforeAll(async () => {
    if (analysed) await sql`analyze`.execute(database.db)
  })

  describe.each(['force_generic_plan', 'force_custom_plan'])('%s', mode => {
    test('each page of animals costs few rows, whatever filters and order', async () => {
      for (const status of statuses)
        for (const categoryId of categories)
          for (const name of [undefined, 'a', 'abc', 'zz'])
            for (const by of ['id', 'name'] as const)
              for (const after of [undefined, by === 'id' ? [size / 2] : [`${name ?? 'a'}8`, size / 2]])
                await costs({ status, categoryId, name }, { by, descending: after !== undefined }, after)

      async function costs(filter: PetFilter, order: PetOrder, after: (string | number)[] | undefined) {
        const read = await readByPlan(
          petPages.compile(database.db, { ...filter, order, after, limit: 21 }),
          mode,
        )
        const inBlocks = order.by === 'id' && (filter.name !== undefined || filter.categoryId !== undefined)
        const most = inBlocks ? blockRows : pageRows
        expect(read, JSON.stringify({ ...filter, ...order, after })).toBeLessThan(most)
      }
    })

    test('those asked for by identifiers cost no more than these', async () => {
      for (const by of ['id', 'name'] as const) {
        const query = petPages.compile(database.db, {
          ids,
          status: 'available',
          name: 'a',
          order: { by, descending: true },
          after: undefined,
          limit: 21,
        })
        expect(await readByPlan(query, mode)).toBeLessThanOrEqual(100)
      }
    })

    test('each page of the inventory costs few rows', async () => {
      for (const status of statuses)
        for (const maxQuantity of [undefined, 0, 5, 1_000_000])
          for (const after of [undefined, size / 2]) {
            const read = await readByPlan(
              inventoryPages.compile(database.db, { status, maxQuantity, after, limit: 21 }),
              mode,
            )
            const most = maxQuantity === undefined ? pageRows : blockRows
            expect(read, JSON.stringify({ status, maxQuantity, after })).toBeLessThan(most)
          }
    })

    test('each page of orders costs few rows', async () => {
      for (const petId of [undefined, 5, 7, size - 1])
        for (const complete of [undefined, true, false])
          for (const after of [undefined, size / 2]) {
            const read = await readByPlan(
              orderPages.compile(database.db, { petId, complete, after, limit: 21 }),
              mode,
            )
            expect(read, JSON.stringify({ petId, complete, after })).toBeLessThan(pageRows)
          }
    })
  })
})

test.each([
  ['a category', sql`select 1 from pets where category_id = 7`],
  ['an animal', sql`select 1 from orders where pet_id = 7`],
])('removing %s finds what refers to it by an index', async (_, query) => {
  expect(await readByPlan(query.compile(database.db), 'force_generic_plan')).toBeLessThan(size / 10)
})

test('identifiers far apart cost no more than near ones', async () => {
  const { db } = database
  await sql`
    insert into pets (id, category_id, name, name_key) overriding system value
    values (9007199254740990, 1, 'far', 'far')`.execute(db)
  for (const descending of [false, true]) {
    const query = petPages.compile(database.db, {
      name: 'far',
      order: { by: 'id', descending },
      after: undefined,
      limit: 21,
    })
    expect(await readByPlan(query, 'force_generic_plan')).toBeLessThan(blockRows)
    expect((await db.executeQuery(query)).rows.map(row => row.id)).toEqual([9_007_199_254_740_990])
  }
  const low = inventoryPages.compile(database.db, { maxQuantity: 1, after: size, limit: 21 })
  expect((await db.executeQuery(low)).rows.map(row => row.id)).toEqual([9_007_199_254_740_990])
})

describe('a page holds the very rows that it should, in their order', () => {
  const ids = (rows: { id: number }[]) => rows.map(row => row.id)
  const page = async (query: CompiledQuery<{ id: number }>) =>
    ids((await database.db.executeQuery(query)).rows)

  test('of animals, whatever filters and order', async () => {
    const all = await database.db.selectFrom('pets').selectAll().orderBy('id').execute()
    const byName = all.toSorted(
      (a, b) => Buffer.compare(Buffer.from(a.name_key), Buffer.from(b.name_key)) || a.id - b.id,
    )
    for (const status of statuses)
      for (const categoryId of categories)
        for (const name of [undefined, 'a', 'abc', 'zz'])
          for (const by of ['id', 'name'] as const)
            for (const descending of [false, true]) {
              const ordered = (by === 'id' ? all : byName).filter(
                pet =>
                  (status === undefined || pet.status === status) &&
                  (categoryId === undefined || pet.category_id === categoryId) &&
                  pet.name_key.startsWith(name ?? ''),
              )
              if (descending) ordered.reverse()
              for (const start of [0, Math.floor(ordered.length * 0.9)]) {
                const last = ordered[start - 1]
                const after = last && (by === 'id' ? [last.id] : [last.name_key, last.id])
                const query = petPages.compile(database.db, {
                  status,
                  categoryId,
                  name,
                  order: { by, descending },
                  after,
                  limit: 30,
                })
                const what = JSON.stringify({ status, categoryId, name, by, descending, after })
                expect(await page(query), what).toEqual(ids(ordered.slice(start, start + 30)))
              }
            }
  })

  test('of the inventory', async () => {
    const all = await database.db.selectFrom('pets').selectAll().orderBy('id').execute()
    for (const status of statuses)
      for (const maxQuantity of [undefined, 0, 5, 14, 15, 16, 97, 2 ** 53 - 1])
        for (const after of [undefined, size / 2]) {
          const due = all.filter(
            pet =>
              pet.id > (after ?? 0) &&
              (status === undefined || pet.status === status) &&
              pet.stock <= (maxQuantity ?? pet.stock),
          )
          expect(
            await page(inventoryPages.compile(database.db, { status, maxQuantity, after, limit: 30 })),
          ).toEqual(ids(due.slice(0, 30)))
        }
  })

  test('of orders', async () => {
    const all = await database.db.selectFrom('orders').selectAll().orderBy('id').execute()
    for (const petId of [undefined, 5, 7])
      for (const complete of [undefined, true, false])
        for (const after of [undefined, size / 2]) {
          const due = all.filter(
            order =>
              order.id > (after ?? 0) &&
              (petId === undefined || order.pet_id === petId) &&
              (complete === undefined || order.complete === complete),
          )
          expect(await page(orderPages.compile(database.db, { petId, complete, after, limit: 30 }))).toEqual(
            ids(due.slice(0, 30)),
          )
        }
  })
})
