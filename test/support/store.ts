import type { FastifyInstance } from 'fastify'
import { readDocument } from '../../src/contract/document.ts'
import type { Db } from '../../src/database/tables.ts'
import { buildServer, type ServerDependencies } from '../../src/server.ts'
import { type Client, createClient } from './client.ts'
import { freshDatabase } from './database.ts'

/** A whole pet store on a database of its own. */
export interface TestStore {
  app: FastifyInstance
  db: Db
  call: Client
  close(): Promise<void>
  /** Makes the database unreachable, as an outage would. */
  cut(): Promise<void>
}

/** Starts an empty pet store; the caller closes it. */
export async function startStore(options: Partial<ServerDependencies> = {}): Promise<TestStore> {
  const database = await freshDatabase()
  const document = await readDocument()
  const app = await buildServer({ db: database.db, document, checkReplies: true, ...options })
  await app.ready()
  return {
    app,
    db: database.db,
    call: createClient(app, document),
    cut: database.cut,
    async close() {
      await app.close()
      await database.close()
    },
  }
}

/** A category with animals in it, as the API made them. */
export async function addPets(
  call: Client,
  ...names: string[]
): Promise<{ categoryId: number; ids: number[] }> {
  const category = await call('createCategory', { body: { name: `Kind ${crypto.randomUUID()}` } })
  const categoryId: number = category.body.id
  const ids: number[] = []
  for (const name of names) ids.push((await call('createPet', { body: { name, categoryId } })).body.id)
  return { categoryId, ids }
}

/** One animal with the stock given. */
export async function addPet(call: Client, quantity = 1): Promise<number> {
  const { ids } = await addPets(call, 'Rex')
  const petId = ids[0] ?? 0
  if (quantity !== 1) await call('updateInventory', { path: { petId }, body: { quantity } })
  return petId
}

/** An open order for the animal. */
export async function addOrder(call: Client, petId: number, quantity = 1): Promise<number> {
  return (await call('placeOrder', { body: { petId, quantity } })).body.id
}
