import { etagOf, inOneStatement, refusal, type Versions } from 'spec-served'
import type { Order } from '../generated/schema.ts'
import * as store from '../store/orders.ts'
import { findItem } from '../store/pets.ts'
import type { Db } from '../store/tables.ts'
import { toDate } from './dates.ts'
import type { Handler } from './handler.ts'
import { preconditionFailed } from './refusals.ts'

// Optional fields are assigned one by one. A spread would also copy a field that the document no longer has.
function toOrder(row: store.ListedOrder): Order {
  const order: Order = { id: row.id, quantity: row.quantity, complete: row.complete }
  if (row.pet_id !== null) order.petId = row.pet_id
  if (row.ship_date !== null) order.shipDate = row.ship_date.toISOString()
  return order
}

const shown = (row: store.ListedOrder & { version: number }) =>
  ({ status: 200, headers: { ETag: etagOf(row.version) }, body: toOrder(row) }) as const
const noOrder = (id: number) => refusal('not_found', `There is no order ${id}.`)

export const listOrders: Handler<'listOrders', 'page'> = async ({ query }, { db, page }) => {
  const [after] = page.after(['number']) ?? []
  const found = await store.listOrders(db, { ...query, after, limit: query.limit + 1 })
  const { rows, headers } = page.cut(found, row => [row.id])
  return { status: 200, headers, body: rows.map(toOrder) }
}

/** Takes an animal out of stock. The loser of a race for the last one gets the conflict. */
export const placeOrder: Handler<'placeOrder'> = inOneStatement(
  async ({ body: { petId, quantity, shipDate } }, { db }) => {
    const order = await store.insertOrderIfInStock(db, { petId, quantity, shipDate: toDate(shipDate) })
    return order
      ? {
          status: 201,
          headers: { Location: `/store/orders/${order.id}`, ETag: etagOf(order.version) },
          body: toOrder(order),
        }
      : explainRefusal(db, petId, quantity)
  },
)

async function explainRefusal(db: Db, petId: number, quantity: number) {
  const pet = await findItem(db, petId)
  if (!pet) return refusal('pet_not_available', `There is no animal ${petId}.`)
  if (pet.status !== 'available') return refusal('pet_not_available', `Animal ${petId} is ${pet.status}.`)
  return refusal('insufficient_stock', `Animal ${petId} has ${pet.stock} in stock, ${quantity} were ordered.`)
}

export const getOrder: Handler<'getOrder'> = async ({ path }, { db }) => {
  const order = await store.findOrder(db, path.orderId)
  return order ? shown(order) : noOrder(path.orderId)
}

export const updateOrder: Handler<'updateOrder'> = async ({ path, body, ifMatch }, { db }) => {
  const order = await store.updateOrder(db, path.orderId, body, ifMatch)
  return order ? shown(order) : refuseChange(db, path.orderId, ifMatch)
}

export const cancelOrder: Handler<'cancelOrder'> = async ({ path, ifMatch }, { db }) =>
  (await store.deleteOpenOrder(db, path.orderId, ifMatch))
    ? { status: 204 }
    : refuseChange(db, path.orderId, ifMatch)

async function refuseChange(db: Db, id: number, ifMatch: Versions) {
  const order = await store.findOrder(db, id)
  if (!order) return noOrder(id)
  if (ifMatch && !ifMatch.includes(order.version)) return preconditionFailed()
  return refusal('order_complete', `Order ${id} is fulfilled and stays so.`)
}
