import { sql } from 'kysely'
import { closedDatabase } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { addPet, startOn } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { openDatabase, openMigrated } from '../../database/connect.ts'
import type { Db } from '../../database/tables.ts'

const database = renewed(closedDatabase)

/** Gives all sessions that begin from now on another default. */
async function alterDatabase(db: Db, ...settings: string[]): Promise<void> {
  for (const setting of settings)
    await sql`
      do ${sql.lit(`begin execute format('alter database %I set ${setting.replaceAll("'", "''")}', current_database()); end`)}
    `.execute(db)
}

const others = [
  "DateStyle = 'SQL, DMY'",
  "TimeZone = 'Asia/Kolkata'",
  "IntervalStyle = 'iso_8601'",
  "bytea_output = 'escape'",
  'standard_conforming_strings = off',
  'extra_float_digits = -15',
  'array_nulls = off',
  'search_path = pg_catalog',
  'default_transaction_isolation = serializable',
]

test('a database with other defaults is served, and served again, as any other', async () => {
  const first = await openMigrated(database.config, service.migrations)
  await alterDatabase(first.db, ...others)
  await first.close()
  let petId: number | undefined
  for (const shipDate of ['2026-12-01T10:00:00.000Z', '2026-07-31T23:30:00.000Z']) {
    const { db, close } = await openMigrated(database.config, service.migrations)
    const store = await startOn(db)
    petId ??= await addPet(store.call, 5)
    const placed = await store.call('placeOrder', { body: { petId, quantity: 1, shipDate } })
    expect(placed).toMatchObject({ status: 201, body: { shipDate } })
    const listed = await store.call('listOrders', { query: { petId } })
    expect(listed).toMatchObject({ status: 200 })
    expect(listed.body).toContainEqual(expect.objectContaining({ id: placed.body.id, shipDate }))
    const key = await store.call('createApiKey', { body: { name: '\\', plan: 'Free', scopes: ['read'] } })
    expect(key).toMatchObject({ status: 201, body: { name: '\\' } })
    await store.close()
    await close()
  }
})

test('a sequence at its end, and one that has more again', async () => {
  const { db, close } = await openDatabase(database.config)
  const store = await startOn(db)
  const petId = await addPet(store.call, 5)
  const order = () => store.call('placeOrder', { body: { petId, quantity: 1 } })
  for (let id = 1; id <= 2; id++) expect(await order()).toMatchObject({ status: 201 })
  await sql`alter sequence orders_id_seq maxvalue 2`.execute(db)
  expect(await order()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  const other = store.call('placeOrder', {
    body: { petId, quantity: 1 },
    headers: { 'idempotency-key': 'a' },
  })
  expect(await other).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  const { body } = await store.call('getInventoryItem', { path: { petId } })
  expect(body).toMatchObject({ quantity: 3 }) // what was not ordered is still there
  await sql`alter sequence orders_id_seq no maxvalue`.execute(db)
  expect(await order()).toMatchObject({ status: 201 })
  await store.close()
  await close()
})

const largest = Number.MAX_SAFE_INTEGER

test('no record gets an identifier beyond 2^53 − 1: its creation is refused, and all lists can be read', async () => {
  const { db, close } = await openDatabase(database.config)
  const store = await startOn(db)
  const petId = await addPet(store.call, 5)
  const { categoryId } = (await store.call('getPet', { path: { petId } })).body
  const key = { name: 'a', plan: 'Free', scopes: ['read'] } as const
  const creations = {
    categories: () => store.call('createCategory', { body: { name: crypto.randomUUID() } }),
    pets: () => store.call('createPet', { body: { name: 'a', categoryId } }),
    orders: () => store.call('placeOrder', { body: { petId, quantity: 1 } }),
    api_keys: () => store.call('createApiKey', { body: key }),
  }
  for (const [table, create] of Object.entries(creations)) {
    await sql`select setval(${`${table}_id_seq`}, ${largest}, false)`.execute(db)
    const outcomes = [await create(), await create()]
    expect(outcomes, table).toMatchObject([{ status: 201 }, { status: 503, body: { code: 'unavailable' } }])
  }
  for (const list of ['listCategories', 'listPets', 'listOrders', 'listApiKeys', 'listInventory'] as const)
    expect(await store.call(list, {}), list).toMatchObject({ status: 200 })
  await store.close()
  await close()
})

test.each([
  ['for its serialization', '40001'],
  ['for a deadlock', '40P01'],
])('a commit that is refused %s is a declared refusal, and can be repeated', async (_, code) => {
  const { db, close } = await openDatabase(database.config)
  const store = await startOn(db)
  await sql`
    create function refuse() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception 'refused' using errcode = '${code}'; end`)}`.execute(db)
  await sql`
    create constraint trigger refuse after insert on orders deferrable initially deferred
    for each row execute function refuse()`.execute(db)
  const petId = await addPet(store.call, 5)
  const order = () =>
    store.call('placeOrder', { body: { petId, quantity: 1 }, headers: { 'idempotency-key': 'again' } })
  expect(await order()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  await sql`drop trigger refuse on orders`.execute(db)
  expect(await order()).toMatchObject({ status: 201 })
  expect((await store.call('listOrders', { query: { petId } })).body).toHaveLength(1)
  await store.close()
  await close()
})
