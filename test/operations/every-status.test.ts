import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sampler } from '../../scripts/document/samples.ts'
import { isObject } from '../../src/document/pointer.ts'
import { createSchemas } from '../../src/engine/requests/schemas.ts'
import type { operations as Operations } from '../../src/generated/schema.ts'
import type { OperationId } from '../../src/handlers/handler.ts'
import { shownTables } from '../../src/store/shown.ts'
import type { Call, Client, WireReply } from '../support/client.ts'
import { shared } from '../support/fixtures.ts'
import { ownModel } from '../support/model.ts'
import { addOrder, addPet, addPets, startStore } from '../support/store.ts'
import type { Database } from '../support/tables.ts'

/** Statuses that every operation comes to in the same way: `npm run check` shows each of them (scripts/contract/coverage.ts). */
type Common = 304 | 400 | 401 | 403 | 412 | 413 | 414 | 415 | 422 | 429 | 500 | 503 | 410

/** For each operation a way to each status that it declares: one missing does not compile. */
type Ways = {
  [Id in OperationId]: {
    [Status in Exclude<keyof Operations[Id]['responses'], Common>]: (
      call: Client,
      db: Database,
    ) => Promise<WireReply<Id>>
  }
}

const model = await ownModel()
const schemas = createSchemas(model)
const exampleOf = sampler(schemas, { isFull: false, isLikeExamples: true })

const none = 999_999
const inUse = async (call: Client) => ({ categoryId: (await addPets(call, 'Rex')).categoryId })
const newCategory = async (call: Client) => ({ categoryId: (await addPets(call)).categoryId })
const taken = async (call: Client): Promise<string> =>
  (await call('getCategory', { path: await newCategory(call) })).body.name
const order = async (call: Client) => ({ orderId: await addOrder(call, await addPet(call)) })
const fulfilled = async (call: Client) => {
  const path = await order(call)
  await call('updateOrder', { path, body: { complete: true } })
  return path
}
const unique = () => `Kind ${crypto.randomUUID()}`

const keyBody = { name: 'Key', plan: 'Free', scopes: ['read'] }
const newKey = async (call: Client) => ({ keyId: (await call('createApiKey', { body: keyBody })).body.id })

/** Two at once with one Idempotency-Key, while the stored replies are locked: the second finds the first running. */
const inFlight =
  <Id extends OperationId>(id: Id) =>
  async (call: Client, db: Database) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const names = Object.keys(anyCall(id).path ?? {})
    const made = names.map(async name => [name, await record(call, name)] as const)
    const path = Object.fromEntries(await Promise.all(made))
    const release = Promise.withResolvers<void>()
    const holding = db.transaction().execute(async trx => {
      await sql`lock table idempotent_replies`.execute(trx)
      await release.promise
    })
    const first = typical(call, id, path, headers)
    const second = await typical(call, id, path, headers)
    release.resolve()
    await Promise.all([holding, first])
    return second
  }

const ways: Ways = {
  listPets: { 200: call => call('listPets') },
  createPet: {
    201: async call => call('createPet', { body: { name: 'Rex', ...(await newCategory(call)) } }),
    409: call => call('createPet', { body: { name: 'Rex', categoryId: none } }),
  },
  createPets: {
    201: async call => call('createPets', { body: [{ name: 'Rex', ...(await newCategory(call)) }] }),
    409: call => call('createPets', { body: [{ name: 'Rex', categoryId: none }] }),
  },
  getPet: {
    200: async call => call('getPet', { path: { petId: await addPet(call) } }),
    404: call => call('getPet', { path: { petId: none } }),
  },
  replacePet: {
    200: async call =>
      call('replacePet', {
        path: { petId: await addPet(call) },
        body: { name: 'Max', ...(await newCategory(call)) },
      }),
    404: async call =>
      call('replacePet', { path: { petId: none }, body: { name: 'M', ...(await newCategory(call)) } }),
    409: async call =>
      call('replacePet', { path: { petId: await addPet(call) }, body: { name: 'Max', categoryId: none } }),
  },
  updatePet: {
    200: async call => call('updatePet', { path: { petId: await addPet(call) }, body: { name: 'Max' } }),
    404: call => call('updatePet', { path: { petId: none }, body: { name: 'Max' } }),
    409: async call => call('updatePet', { path: { petId: await addPet(call) }, body: { categoryId: none } }),
  },
  deletePet: {
    204: async call => call('deletePet', { path: { petId: await addPet(call) } }),
    404: call => call('deletePet', { path: { petId: none } }),
    409: async call => {
      const petId = await addPet(call)
      await addOrder(call, petId)
      return call('deletePet', { path: { petId } })
    },
  },
  listCategories: { 200: call => call('listCategories') },
  createCategory: {
    201: call => call('createCategory', { body: { name: unique() } }),
    409: async call => call('createCategory', { body: { name: await taken(call) } }),
  },
  getCategory: {
    200: async call => call('getCategory', { path: await newCategory(call) }),
    404: call => call('getCategory', { path: { categoryId: none } }),
  },
  replaceCategory: {
    200: async call => call('replaceCategory', { path: await newCategory(call), body: { name: unique() } }),
    404: call => call('replaceCategory', { path: { categoryId: none }, body: { name: unique() } }),
    409: async call =>
      call('replaceCategory', { path: await newCategory(call), body: { name: await taken(call) } }),
  },
  updateCategory: {
    200: async call =>
      call('updateCategory', { path: await newCategory(call), body: { description: 'New' } }),
    404: call => call('updateCategory', { path: { categoryId: none }, body: {} }),
    409: async call =>
      call('updateCategory', { path: await newCategory(call), body: { name: await taken(call) } }),
  },
  deleteCategory: {
    204: async call => call('deleteCategory', { path: await newCategory(call) }),
    404: call => call('deleteCategory', { path: { categoryId: none } }),
    409: async call => call('deleteCategory', { path: await inUse(call) }),
  },
  listOrders: { 200: call => call('listOrders') },
  placeOrder: {
    201: async call => call('placeOrder', { body: { petId: await addPet(call), quantity: 1 } }),
    409: call => call('placeOrder', { body: { petId: none, quantity: 1 } }),
  },
  getOrder: {
    200: async call => call('getOrder', { path: await order(call) }),
    404: call => call('getOrder', { path: { orderId: none } }),
  },
  updateOrder: {
    200: async call => call('updateOrder', { path: await order(call), body: { complete: true } }),
    404: call => call('updateOrder', { path: { orderId: none }, body: { complete: true } }),
    409: async call => call('updateOrder', { path: await fulfilled(call), body: { complete: false } }),
  },
  cancelOrder: {
    204: async call => call('cancelOrder', { path: await order(call) }),
    404: call => call('cancelOrder', { path: { orderId: none } }),
    409: async call => call('cancelOrder', { path: await fulfilled(call) }),
  },
  listInventory: { 200: call => call('listInventory') },
  getInventoryItem: {
    200: async call => call('getInventoryItem', { path: { petId: await addPet(call) } }),
    404: call => call('getInventoryItem', { path: { petId: none } }),
  },
  updateInventory: {
    200: async call =>
      call('updateInventory', { path: { petId: await addPet(call) }, body: { quantity: 3 } }),
    404: call => call('updateInventory', { path: { petId: none }, body: { quantity: 3 } }),
  },
  getUsage: { 200: call => call('getUsage') },
  listApiKeys: { 200: call => call('listApiKeys') },
  createApiKey: {
    201: call => call('createApiKey', { body: keyBody }),
    409: inFlight('createApiKey'),
  },
  getApiKey: {
    200: async call => call('getApiKey', { path: await newKey(call) }),
    404: call => call('getApiKey', { path: { keyId: none } }),
  },
  updateApiKey: {
    200: async call => call('updateApiKey', { path: await newKey(call), body: { plan: 'Pro' } }),
    404: call => call('updateApiKey', { path: { keyId: none }, body: { plan: 'Pro' } }),
    409: call => call('updateApiKey', { path: { keyId: 1 }, body: { scopes: ['read'] } }),
  },
  rotateApiKey: {
    200: async call => call('rotateApiKey', { path: await newKey(call), body: { overlapHours: 24 } }),
    404: call => call('rotateApiKey', { path: { keyId: none }, body: { overlapHours: 0 } }),
    409: inFlight('rotateApiKey'),
  },
  revokeApiKey: {
    204: async call => call('revokeApiKey', { path: await newKey(call) }),
    404: call => call('revokeApiKey', { path: { keyId: none } }),
    409: call => call('revokeApiKey', { path: { keyId: 1 } }),
  },
  getHealth: { 200: call => call('getHealth') },
}

/** A request that an operation takes, as far as the database lets it: by the examples of the document. */
function anyCall(id: OperationId): Call {
  const { parameters = [], body } = model.operation(id) ?? {}
  const examples = (place: string) =>
    parameters
      .filter(one => one.in === place && one.required)
      .map(({ name, example, schema = {} }) => [name, example ?? exampleOf(schema)])
  const [media] = Object.values(body?.content ?? {})
  return {
    path: Object.fromEntries(examples('path')),
    query: Object.fromEntries(examples('query')),
    headers: Object.fromEntries(examples('header')),
    ...(media && { body: media.example }),
  }
}

/** The same for records that are there, but for those of the identifiers given. */
async function typical<Id extends OperationId>(
  call: Client,
  id: Id,
  path: Record<string, number> = {},
  headers: Record<string, string> = {},
): Promise<WireReply<Id>> {
  const usual = anyCall(id)
  const names = Object.keys(usual.path ?? {}).filter(name => !(name in path))
  const there = Object.fromEntries(
    await Promise.all(names.map(async name => [name, await record(call, name)] as const)),
  )
  const body = await withRecords(call, usual.body, { ...there, ...path })
  return call(id, {
    ...usual,
    path: { ...usual.path, ...there, ...path },
    headers: { ...usual.headers, ...headers },
    ...(body !== undefined && { body }),
  })
}

/** A body whose identifiers are those of records that are there, and whose names nothing else has. */
async function withRecords(call: Client, body: unknown, there: Record<string, number>): Promise<unknown> {
  if (!isObject(body)) return body
  const filled = Object.entries(body).map(async ([name, value]) => {
    if (name === 'name') return [name, unique()]
    return [name, there[name] ?? (creatorOf(name) ? await record(call, name) : value)]
  })
  return Object.fromEntries(await Promise.all(filled))
}

/** The operation that makes what a path parameter names: the POST at the path that ends before it. */
function creatorOf(parameter: string): OperationId | undefined {
  const collections = model.operations.flatMap(({ path }) =>
    path.endsWith(`/{${parameter}}`) ? [path.slice(0, path.lastIndexOf('/'))] : [],
  )
  const creator = model.operations.find(({ method, path }) => method === 'POST' && collections.includes(path))
  return creator && (creator.id as OperationId) // the model is that of the types
}

/** The identifier of a record that is made now. @param parameter the path parameter that names it */
async function record(call: Client, parameter: string): Promise<number> {
  const creator = creatorOf(parameter)
  if (!creator) throw new Error(`No POST makes what {${parameter}} names: make it in a way of this file`)
  const { status, body }: { status: number; body: unknown } = await call(creator, {
    body: await withRecords(call, anyCall(creator).body, {}),
  })
  if (isObject(body) && typeof body.id === 'number') return body.id
  throw new Error(
    `${creator}, called by its example, made no record for {${parameter}}: ${status} ${JSON.stringify(body)}`,
  )
}

const ids = Object.keys(ways) as OperationId[] // the literal's own keys

const store = shared(() => startStore())

describe.each(ids)('%s answers', id => {
  // The keys of an object literal are texts; each is a status by the type above.
  test.each(Object.entries(ways[id]))('%s', async (status, way) => {
    expect((await way(store.call, store.db)).status).toBe(Number(status))
  })
})

const withDatabase = ids.filter(id => id !== 'getHealth' && id !== 'getUsage')

describe('without the tables that it needs', () => {
  const broken = shared(() => startStore())
  beforeAll(async () => {
    await sql`drop table ${sql.join(Object.keys(shownTables).map(name => sql.table(name)))} cascade`.execute(
      broken.db,
    )
    await broken.call('getUsage') // from now on the key is known, and the table of keys is not asked
    await sql`alter table api_keys rename to keys_elsewhere`.execute(broken.db)
  })

  test.each(withDatabase)('%s answers 500 and tells nothing of its insides', async id => {
    const reply = await broken.call(id, anyCall(id))
    expect(reply).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(JSON.stringify(reply)).not.toMatch(/relation|select|insert|\.ts|node_modules|pets_/i)
  })
})

describe('without its database', () => {
  const cut = shared(() => startStore())
  beforeAll(async () => {
    await cut.call('getUsage') // from now on the key is known
    await cut.cut()
  })

  test.each([...withDatabase, 'getHealth' as const])('%s answers 503', async id => {
    expect(await cut.call(id, anyCall(id))).toMatchObject({ status: 503 })
  })
})
