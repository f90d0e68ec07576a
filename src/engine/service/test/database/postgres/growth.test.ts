import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { type PostgresServer, startPostgres } from 'spec-served-cli/internal/local/postgres'
import { type Own, service } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTest, type TestService } from '../../../testing/start.ts'
import { temporaryDirectory } from '../../../testing/temporary.ts'

/** The number of animals, and of orders. An index on them has some thousand blocks. */
const size = 200_000
/** The most blocks of a statement that reads or writes one record, or a page of 20. */
const most = 250
/** The most blocks of all statements of a request: a page may look at many animals step by step. */
const mostOfAll = 1_500

let server: PostgresServer
let store: TestService<Own>
const directory = temporaryDirectory()
beforeAll(async () => {
  server = await startPostgres(directory)
  await server.execute("alter system set shared_preload_libraries = 'pg_stat_statements'")
  await server.kill()
  await server.restart()
  store = await startTest<Own>(service, {
    DATABASE_URL: `${server.url}/postgres`,
    DATABASE_STATEMENT_TIMEOUT_MS: '300000',
  })
  const { db } = store
  await sql`create extension pg_stat_statements`.execute(db)
  await sql`insert into categories (name, name_key) select i, i from generate_series(1, 50) as i`.execute(db)
  // Names and stocks of the first half differ from those of the second, as if two lists had been added one by one.
  await sql`
    insert into pets (category_id, name, name_key, status, stock, open_orders)
    select
      1 + i % 40,
      'name',
      case when i <= ${size / 2} then 'a' else 'b' end || md5(i::text),
      (array['available', 'pending', 'sold'])[1 + i % 3],
      case when i <= ${size / 2} then 1000 + i % 1000 else i % 100 end,
      (i % 2)::int
    from generate_series(1, ${size}::int) as i`.execute(db)
  await sql`
    insert into orders (pet_id, quantity, complete)
    select i, 1, i % 2 = 0 from generate_series(1, ${size}::int) as i`.execute(db)
  await sql`vacuum (analyze)`.execute(db)
  // Each connection looks up once what a statement refers to. That is no part of a later statement.
  const warm = { petId: 6, quantity: 1 }
  const warming = Array.from({ length: 40 }, () => [
    store.call('createPet', { body: pet }),
    store.call('placeOrder', { body: warm }),
  ])
  await Promise.all(warming.flat())
})
afterAll(async () => {
  await store?.close()
  await server?.stop()
  await rm(directory, { recursive: true, force: true })
})

const half = size / 2

interface Statement {
  blocks: number
  calls: number
  text: string
}

/** Carries something out, and returns the blocks that each statement of it read, in memory or not, by PostgreSQL's count. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  await sql`select pg_stat_statements_reset()`.execute(store.db)
  await work()
  const { rows } = await sql<Statement>`
    select (shared_blks_hit + shared_blks_read) / calls as blocks, calls, query as text from pg_stat_statements
    where query not like '%pg_stat_statements%'`.execute(store.db)
  return rows
}

type Id = Parameters<TestService<Own>['call']>[0]
type Request = NonNullable<Parameters<TestService<Own>['call']>[1]>

/** Each of some values with each of others. */
const pairs = <A extends object, B extends object>(some: readonly A[], others: readonly B[]) =>
  some.flatMap(item => others.map(other => ({ ...item, ...other })))
const queries = (all: readonly Request['query'][]): Request[] => all.map(query => ({ query: query ?? {} }))

const names = [{}, { name: 'a' }, { name: 'b' }, { name: 'b0' }, { name: 'bff0' }, { name: 'c' }]
const sorts = [{}, { sort: '-id' }, { sort: 'name' }, { sort: '-name' }]
const ofPets = pairs(pairs([{}, { status: 'sold' }], [{}, { categoryId: 7 }]), pairs(names, sorts))
const ofInventory = pairs([{}, { status: 'sold' }], [{}, { maxQuantity: 0 }, { maxQuantity: 500 }])
const ofOrders = pairs([{}, { petId: size - 1 }], [{}, { complete: true }, { complete: false }])
const pet = { name: 'Rex', categoryId: 7 }

/** Requests by operation, all of which succeed one after the other, with records of a turn's own. */
function requestsOf(turn: number): Readonly<Record<string, readonly Request[]>> {
  const path = {
    petId: half - 4 * turn,
    categoryId: 50 - turn,
    orderId: half + 1 + 4 * turn,
    keyId: 2 + turn,
  }
  const of = (body?: object): Request => ({ path, ...(body && { body }) })
  const twice = (body: object): Request[] => {
    const retried = { body, headers: { 'idempotency-key': `key ${turn}` } }
    return [{ body }, retried, retried]
  }
  return {
    listPets: queries([...ofPets, { ids: '7,70000,130000' }]),
    createPet: twice(pet),
    createPets: twice([pet, pet]),
    getPet: [of()],
    replacePet: [of(pet)],
    updatePet: [of({ name: 'Max' })],
    listCategories: [{}],
    createCategory: twice({ name: `Dogs ${turn}` }).slice(1),
    getCategory: [of()],
    replaceCategory: [of({ name: `Cats ${turn}` })],
    updateCategory: [of({ name: `Birds ${turn}` })],
    deleteCategory: [of()],
    listOrders: queries(ofOrders),
    placeOrder: twice({ petId: 3, quantity: 1 }),
    getOrder: [of()],
    updateOrder: [of({ complete: true })],
    cancelOrder: [{ path: { orderId: half + 3 + 4 * turn } }],
    listInventory: queries(ofInventory),
    getInventoryItem: [of()],
    updateInventory: [of({ quantity: 7 })],
    deletePet: [of()],
    listApiKeys: [{}],
    createApiKey: [{ body: { name: 'Rex', plan: 'Free', scopes: ['read'] } }],
    getApiKey: [of()],
    updateApiKey: [of({ name: 'Max' })],
    rotateApiKey: [of({ overlapHours: 24 })],
    revokeApiKey: [of()],
    getUsage: [{}],
    getHealth: [{}],
  }
}

function cursorIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = headers['x-next-cursor']
  return cursor === undefined ? undefined : String(cursor)
}

/** Calls an operation, holds what its statements read, and returns the request of a list's next page. */
async function hold(id: Id, request: Request): Promise<Request | undefined> {
  const what = `${id} ${JSON.stringify(request)}`
  let cursor: string | undefined
  const statements = await statementsOf(async () => {
    const { status, headers } = await store.call(id, request)
    expect(status, what).toBeLessThan(300)
    cursor = cursorIn(headers)
  })
  for (const { blocks, text } of statements) expect.soft(blocks, `${what}: ${text}`).toBeLessThan(most)
  const sum = statements.reduce((total, { blocks, calls }) => total + blocks * calls, 0)
  expect.soft(sum, what).toBeLessThan(mostOfAll)
  return cursor === undefined ? undefined : { ...request, query: { ...request.query, cursor } }
}

// As PostgreSQL plans a statement at first, and from the sixth time on.
test.each([
  ['force_custom_plan', 0],
  ['force_generic_plan', 1],
])('each statement of each operation reads few blocks of a large store: %s', async (mode, turn) => {
  await server.execute(`alter system set plan_cache_mode = ${mode}`)
  await server.execute('select pg_reload_conf()')
  // The names are operations of the document: another one is refused by the call.
  for (const [id, all] of Object.entries(requestsOf(turn)) as [Id, readonly Request[]][])
    for (const request of all) {
      const next = await hold(id, request)
      if (next) await hold(id, next)
    }
})

test('pages without a match among many animals lead on to the first one', async () => {
  const pages: unknown[][] = []
  let cursor: string | undefined
  do {
    const query = { name: 'b', ...(cursor !== undefined && { cursor }) }
    const { status, headers, body } = await store.call('listPets', { query })
    expect(status).toBe(200)
    pages.push(body as unknown[])
    cursor = cursorIn(headers)
  } while (cursor !== undefined && pages.at(-1)?.length === 0)
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.at(-1)?.[0]).toMatchObject({ id: half + 1 })
})
