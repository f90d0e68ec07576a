import { type Handler, refusal } from '../contract/handler.ts'
import { cutPage, readCursor } from '../contract/page.ts'
import type { InventoryItem } from '../generated/schema.ts'
import * as store from '../store/pets.ts'

function toItem(row: store.PetRow): InventoryItem {
  return { petId: row.id, quantity: row.stock, status: row.status }
}

const noItem = (petId: number) => refusal(404, 'not_found', `There is no animal ${petId}.`)

export const listInventory: Handler<'listInventory'> = async ({ query }, { db }) => {
  const [after] = readCursor(query, ['number']) ?? []
  const found = await store.listInventory(db, query, after, query.limit + 1)
  const page = cutPage('listInventory', query, found, row => [row.id])
  return { status: 200, headers: page.headers, body: page.rows.map(toItem) }
}

export const getInventoryItem: Handler<'getInventoryItem'> = async ({ path }, { db }) => {
  const row = await store.findPet(db, path.petId)
  return row ? { status: 200, body: toItem(row) } : noItem(path.petId)
}

export const updateInventory: Handler<'updateInventory'> = async ({ path, body }, { db }) => {
  const row = await store.setStock(db, path.petId, body.quantity)
  return row ? { status: 200, body: toItem(row) } : noItem(path.petId)
}
