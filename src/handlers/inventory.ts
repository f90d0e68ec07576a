import { etagOf, refusal } from 'spec-served'
import type { InventoryItem } from '../generated/schema.ts'
import { listInventory as readInventory } from '../store/pet-pages.ts'
import * as store from '../store/pets.ts'
import type { Handler } from './handler.ts'
import { preconditionFailed } from './refusals.ts'

type Item = Pick<store.PetRow, 'id' | 'stock' | 'status'>

function toItem(row: Item): InventoryItem {
  return { petId: row.id, quantity: row.stock, status: row.status }
}

const shown = (row: Item & Pick<store.PetRow, 'stock_version'>) =>
  ({ status: 200, headers: { ETag: etagOf(row.stock_version) }, body: toItem(row) }) as const
const noItem = (petId: number) => refusal('not_found', `There is no animal ${petId}.`)

export const listInventory: Handler<'listInventory', 'page'> = async ({ query }, { db, page }) => {
  const [after] = page.after(['number']) ?? []
  const found = await readInventory(db, { ...query, after, limit: query.limit + 1 })
  const { rows, headers } = page.cut(found.rows, row => [row.id], found.end)
  return { status: 200, headers, body: rows.map(toItem) }
}

export const getInventoryItem: Handler<'getInventoryItem'> = async ({ path }, { db }) => {
  const row = await store.findItem(db, path.petId)
  return row ? shown(row) : noItem(path.petId)
}

export const updateInventory: Handler<'updateInventory'> = async ({ path, body, ifMatch }, { db }) => {
  const row = await store.setStock(db, path.petId, body.quantity, ifMatch)
  if (row) return shown(row)
  return (await store.findItem(db, path.petId)) ? preconditionFailed() : noItem(path.petId)
}
