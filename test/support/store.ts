import { startTest, type TestService } from 'spec-served/testing'
import { afterAll, beforeAll, inject } from 'vitest'
import type { Own } from '../../src/handlers/handler.ts'
import service from '../../src/server.ts'

/** An empty pet store on a database of its own, with a client that checks every reply by the document. */
export type Store = TestService<Own>

/** Starts a pet store on the database that the tests run on this time. */
export function startStore(): Promise<Store> {
  const database = inject('database')
  return startTest<Own>(
    service,
    database.kind === 'postgres' ? { DATABASE_URL: `${database.url}/postgres` } : {},
  )
}

/** A pet store for the tests of a file: it is opened before them, and closed after them. */
export function openStore(): Store {
  const store = {} as Store // filled before the first test
  beforeAll(async () => void Object.assign(store, await startStore()))
  afterAll(() => store.close?.()) // one that could not be opened has none
  return store
}

type Call = Store['call']

/** A category with animals in it, as the API made them. */
export async function addPets(
  call: Call,
  ...names: string[]
): Promise<{ categoryId: number; ids: number[] }> {
  const category = await call('createCategory', { body: { name: `Kind ${crypto.randomUUID()}` } })
  const categoryId: number = category.body.id
  const ids: number[] = []
  for (const name of names) ids.push((await call('createPet', { body: { name, categoryId } })).body.id)
  return { categoryId, ids }
}

/** One animal with the stock given. */
export async function addPet(call: Call, quantity = 1): Promise<number> {
  const { ids } = await addPets(call, 'Rex')
  const petId = ids[0] ?? 0
  if (quantity !== 1) await call('updateInventory', { path: { petId }, body: { quantity } })
  return petId
}

/** An open order for the animal. */
export async function addOrder(call: Call, petId: number, quantity = 1): Promise<number> {
  const { id } = (await call('placeOrder', { body: { petId, quantity } })).body
  if (id === undefined) throw new Error('The order has no identifier')
  return id
}
