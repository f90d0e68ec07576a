import { type CompiledQuery, sql } from 'kysely'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { listOrders } from '../../src/store/orders.ts'
import { type FoundPage, listInventory, listPets, type PetPage } from '../../src/store/pet-pages.ts'
import type { PetRow, PetStatus } from '../../src/store/pets.ts'
import { openStore } from '../support/store.ts'

/** Records of each kind; what walks past a good part of them is seen by the rows it reads. */
const size = 80_000
/** A page, the row one too many, and as many from each of three statuses. Few other rows are read. */
const pageRows = 5 * 21
/** The rows that a statement looks at for those in a range, and how many statements do so at most. */
const lookedAt = 5_000
const mostSteps = 10
/** The most rows in a range that are all read. */
const few = 2_000

const store = openStore()
beforeAll(async () => {
  const { db } = store
  await sql`insert into categories (name, name_key) select i, i from generate_series(1, 50) as i`.execute(db)
  // The available animals were added last. Half of all are of category 1, and one is of category 2. Names of animals
  // that were added last begin with an a. So nothing is where the average of all would have it.
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

/** The statements that are run meanwhile. */
async function statementsOf(run: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const statements = vi.spyOn(store.db, 'executeQuery')
  await run()
  const queries = statements.mock.calls.map(([query]) => query as CompiledQuery) // the store compiles its pages itself
  statements.mockRestore()
  return queries
}

/** The rows that each statement reads with a plan for any parameters, as connections do from the sixth time on. */
async function readByPlans(mode: string, queries: readonly CompiledQuery[]): Promise<number[]> {
  const rows: number[] = []
  for (const query of queries) rows.push(await readByPlan(query, mode))
  return rows
}

/**
 * Holds the rows that the statements of a page in a range read. No index has them in the order of identifiers: the next ones
 * are looked at, then all if they are few, else the next ones step by step.
 */
function holdRange(reads: readonly number[], matches: number, more: number, what: string): void {
  const [near = 0, counted = 0, ...steps] = reads
  expect(near, what).toBeLessThanOrEqual(lookedAt)
  expect(counted, what).toBeLessThan(Math.min(matches, few + 1) + pageRows + more)
  expect(steps.length, what).toBeLessThanOrEqual(matches > few ? mostSteps : 0)
  // It finds its end first, by the primary key.
  for (const step of steps) expect(step, what).toBeLessThanOrEqual(2 * lookedAt)
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

async function readByPlan({ sql: text, parameters }: CompiledQuery, mode: string): Promise<number> {
  const values = parameters.map(value => (Array.isArray(value) ? `{${value.join()}}` : value))
  const args = values.length > 0 ? sql`(${sql.join(values.map(value => sql.lit(value)))})` : sql``
  return store.db.connection().execute(async connection => {
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

/** How many animals meet conditions. */
async function countMatches({ status, categoryId, name = '' }: Omit<PetPage, 'order' | 'after' | 'limit'>) {
  const { matches } = await store.db
    .selectFrom('pets')
    .select(eb => eb.fn.countAll<number>().as('matches'))
    .where('name_key', 'like', `${name}%`)
    .$if(status !== undefined, query => query.where('status', '=', status as PetStatus))
    .$if(categoryId !== undefined, query => query.where('category_id', '=', Number(categoryId)))
    .executeTakeFirstOrThrow()
  return matches
}

const statuses: (PetStatus | undefined)[] = [undefined, 'available', 'pending', 'sold']
const categories = [undefined, 1, 2, 7]
const ids = Array.from({ length: 100 }, (_, i) => 1 + i * 397)

// A store is young once: the statistics know of nothing then, and PGlite never gathers any by itself.
describe.each([
  ['before statistics are gathered', false],
  ['with statistics', true],
])('%s', (_, isAnalysed) => {
  beforeAll(async () => {
    if (isAnalysed) await sql`analyze`.execute(store.db)
  })

  describe.each(['force_generic_plan', 'force_custom_plan'])('%s', mode => {
    test('each page of animals reads few rows, whatever filters and order', async () => {
      for (const status of statuses)
        for (const categoryId of categories)
          for (const name of [undefined, 'a', 'abc', 'zz'])
            for (const by of ['id', 'name'] as const)
              for (const isNext of [false, true]) {
                const last = by === 'id' ? ([size / 2] as const) : ([`${name ?? 'a'}8`, size / 2] as const)
                const order = { by, descending: isNext }
                await costs({ status, categoryId, name, order, after: isNext ? last : undefined, limit: 21 })
              }

      async function costs(page: PetPage) {
        const reads = await readByPlans(mode, await statementsOf(() => listPets(store.db, page)))
        const what = JSON.stringify(page)
        // Without statistics each category seems small: PostgreSQL may read one of its statuses whole and sort it.
        const { status, categoryId } = page
        const mayReadWhole = !isAnalysed && categoryId !== undefined
        const more = mayReadWhole ? await countMatches({ status, categoryId }) : 0
        if (page.order.by === 'id' && page.name !== undefined)
          holdRange(reads, await countMatches(page), more, what)
        else expect(sumOf(reads), what).toBeLessThan(pageRows + more)
      }
    })

    test('a query for animals by identifiers reads only their rows', async () => {
      for (const by of ['id', 'name'] as const) {
        const order = { by, descending: true }
        const page = { ids, status: 'available', name: 'a', order, after: undefined, limit: 21 } as const
        const queries = await statementsOf(() => listPets(store.db, page))
        expect(sumOf(await readByPlans(mode, queries))).toBeLessThanOrEqual(100)
      }
    })

    test('each page of the inventory reads few rows', async () => {
      for (const status of statuses)
        for (const maxQuantity of [undefined, 0, 5, 1_000_000])
          for (const after of [undefined, size / 2]) {
            const page = { status, maxQuantity, after, limit: 21 }
            const reads = await readByPlans(mode, await statementsOf(() => listInventory(store.db, page)))
            if (maxQuantity === undefined) expect(sumOf(reads), JSON.stringify(page)).toBeLessThan(pageRows)
            else holdRange(reads, size, 0, JSON.stringify(page))
          }
    })

    test('each page of orders reads few rows', async () => {
      for (const petId of [undefined, 5, 7, size - 1])
        for (const complete of [undefined, true, false])
          for (const after of [undefined, size / 2]) {
            const page = { petId, complete, after, limit: 21 }
            const reads = await readByPlans(mode, await statementsOf(() => listOrders(store.db, page)))
            expect(sumOf(reads), JSON.stringify(page)).toBeLessThan(pageRows)
          }
    })
  })
})

test('pages in a range have together all animals in it, in order, if some are short', async () => {
  const all = await store.db.selectFrom('pets').selectAll().orderBy('id').execute()
  let short = 0

  async function walk(read: (after: number | undefined) => Promise<FoundPage>, due: PetRow[], what: string) {
    const found: number[] = []
    for (let after: number | undefined, isLast = false; !isLast; ) {
      const { rows, end } = await read(after)
      const page = rows.slice(0, 1_000)
      found.push(...page.map(({ id }) => id))
      isLast = rows.length === page.length && end === undefined
      if (rows.length === page.length) after = end?.[0]
      else after = page.at(-1)?.id
      if (!isLast && page.length < 1_000) short += 1
    }
    expect(found, what).toEqual(due.map(({ id }) => id))
  }

  for (const status of statuses)
    for (const categoryId of categories)
      for (const name of ['a', 'a00', 'bf', 'zz'])
        for (const descending of [false, true]) {
          const due = all.filter(
            pet =>
              pet.name_key.startsWith(name) &&
              (status ?? pet.status) === pet.status &&
              (categoryId ?? pet.category_id) === pet.category_id,
          )
          if (descending) due.reverse()
          const filters = { status, categoryId, name, order: { by: 'id', descending } } as const
          const read = (after: number | undefined) =>
            listPets(store.db, {
              ...filters,
              after: after === undefined ? after : [after],
              limit: 1_001,
            })
          await walk(read, due, JSON.stringify(filters))
        }
  for (const status of statuses)
    for (const maxQuantity of [0, 5, 1_000_000]) {
      const due = all.filter(pet => pet.stock <= maxQuantity && (status ?? pet.status) === pet.status)
      const read = (after: number | undefined) =>
        listInventory(store.db, { status, maxQuantity, after, limit: 1_001 })
      await walk(read, due, JSON.stringify({ status, maxQuantity }))
    }
  expect(short).toBeGreaterThan(0)
})

test.each([
  ['a category', sql`select 1 from pets where category_id = 7`],
  ['an animal', sql`select 1 from orders where pet_id = 7`],
])('removing %s finds the rows that refer to it by an index', async (_, query) => {
  expect(await readByPlan(query.compile(store.db), 'force_generic_plan')).toBeLessThan(size / 10)
})

test('identifiers far apart are found as fast as near ones', async () => {
  const { db } = store
  const far = 9_007_199_254_740_990
  await sql`
    insert into pets (id, category_id, name, name_key) overriding system value
    values (${far}, 1, 'far', 'far')`.execute(db)
  for (const descending of [false, true]) {
    const order = { by: 'id', descending } as const
    const { rows } = await listPets(db, { name: 'far', order, after: undefined, limit: 21 })
    expect(rows.map(row => row.id)).toEqual([far])
  }
  const low = await listInventory(db, { maxQuantity: 1, after: size, limit: 21 })
  expect(low.rows.map(row => row.id)).toEqual([far])
})
