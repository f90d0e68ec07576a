import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

// The database of plain and express, as an ordinary team uses it: a pool and Kysely.

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const db = new Kysely({
  dialect: new PostgresDialect({
    pool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  }),
})

/** An answer that is not the one hoped for. */
export class Refusal extends Error {
  constructor(status, code, message, details) {
    super(message)
    this.status = status
    this.body = { code, message, status, ...(details && { details }) }
  }
}

export const invalid = message => new Refusal(400, 'invalid_request', message)

export async function getPet(id) {
  const pet = await db
    .selectFrom('pets')
    .select(['id', 'name', 'category_id as categoryId', 'status'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!pet) throw new Refusal(404, 'not_found', `There is no animal ${id}.`)
  return pet
}

/** @returns a page, and the cursor of the next one when there is more */
export async function listPets({ limit, cursor, status, categoryId }) {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalid('The cursor is not one of ours.')
  let query = db
    .selectFrom('pets')
    .select(['id', 'name', 'category_id as categoryId', 'status'])
    .orderBy('id')
    .limit(limit + 1)
  if (status !== undefined) query = query.where('status', '=', status)
  if (categoryId !== undefined) query = query.where('category_id', '=', categoryId)
  if (cursor !== undefined) query = query.where('id', '>', Number(cursor))
  const pets = await query.execute()
  if (pets.length <= limit) return { pets }
  pets.pop()
  return { pets, next: String(pets.at(-1).id) }
}

const shown = ['id', 'name', 'category_id as categoryId', 'status']
const toRow = ({ name, categoryId, status = 'available' }) => ({
  name,
  name_key: name.toLowerCase(),
  category_id: categoryId,
  status,
})

export async function createPet(pet) {
  try {
    return await db.insertInto('pets').values(toRow(pet)).returning(shown).executeTakeFirstOrThrow()
  } catch (error) {
    throw refusalOfCategory(error, pet.categoryId)
  }
}

export async function createPets(pets) {
  try {
    return await db.insertInto('pets').values(pets.map(toRow)).returning(shown).execute()
  } catch (error) {
    throw refusalOfCategory(error, 'that an animal names')
  }
}

export async function updatePet(id, { name, categoryId, status }) {
  const changes = {
    ...(name !== undefined && { name, name_key: name.toLowerCase() }),
    ...(categoryId !== undefined && { category_id: categoryId }),
    ...(status !== undefined && { status }),
  }
  const pet = await db
    .updateTable('pets')
    .set(eb => ({ ...changes, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()
    .catch(error => {
      throw refusalOfCategory(error, categoryId)
    })
  if (!pet) throw new Refusal(404, 'not_found', `There is no animal ${id}.`)
  return pet
}

/** A refusal if the error says that there is no such category; else the error itself. */
function refusalOfCategory(error, categoryId) {
  if (error.code !== '23503') return error
  return new Refusal(409, 'category_not_found', `There is no category ${categoryId}.`, [
    { path: '/categoryId', message: 'names no category' },
  ])
}

const takePet = (trx, petId, quantity) =>
  trx
    .updateTable('pets')
    .set(eb => ({
      stock: eb('stock', '-', quantity),
      open_orders: eb('open_orders', '+', 1),
      status: sql`case when stock = ${quantity} then 'pending' else status end`,
    }))
    .where('id', '=', petId)
    .where('status', '=', 'available')
    .where('stock', '>=', quantity)
    .returning('id')

const columns = ['id', 'pet_id', 'quantity', 'ship_date', 'complete']

/** In a transaction, as it is usually written. */
export async function placeOrder({ petId, quantity, shipDate }) {
  const row = { quantity, ship_date: shipDate === undefined ? null : new Date(shipDate) }
  const order = await db.transaction().execute(async trx => {
    if (!(await takePet(trx, petId, quantity).executeTakeFirst())) return undefined
    return trx
      .insertInto('orders')
      .values({ pet_id: petId, ...row })
      .returning(columns)
      .executeTakeFirstOrThrow()
  })
  if (!order) throw await refusalOf(petId, quantity)
  return {
    id: order.id,
    petId: order.pet_id,
    quantity: order.quantity,
    ...(order.ship_date && { shipDate: order.ship_date.toISOString() }),
    complete: order.complete,
  }
}

async function refusalOf(petId, quantity) {
  const pet = await db
    .selectFrom('pets')
    .select(['status', 'stock'])
    .where('id', '=', petId)
    .executeTakeFirst()
  if (!pet) return new Refusal(409, 'pet_not_available', `There is no animal ${petId}.`)
  if (pet.status !== 'available')
    return new Refusal(409, 'pet_not_available', `Animal ${petId} is ${pet.status}.`)
  const message = `Animal ${petId} has ${pet.stock} in stock, ${quantity} were ordered.`
  return new Refusal(409, 'insufficient_stock', message)
}
