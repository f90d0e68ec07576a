import { type Nullable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '../database/tables.ts'
import type { OrdersTable } from '../database/trade-tables.ts'
import type { Versions } from '../engine/replies/etag.ts'
import type { OrderPatch } from '../generated/schema.ts'
import { inBatches } from './batches.ts'
import { finder } from './by-id.ts'
import { type ColumnsOf, changedColumns } from './changes.ts'
import { readRuns, sizeFor } from './pages.ts'
import { bumpIfStatusBecomes, type PetStatus } from './pets.ts'
import { statement } from './statement.ts'
import { isOneOf } from './versions.ts'

export type OrderRow = Selectable<OrdersTable>

export interface OrderFilter {
  petId?: number | undefined
  complete?: boolean | undefined
}

const listed = { table: 'orders', columns: ['id', 'pet_id', 'quantity', 'ship_date', 'complete'] as const }
export type ListedOrder = Pick<OrderRow, (typeof listed.columns)[number]>

/** A page of orders, by identifier: up to `limit` that follow one order. */
export interface OrderPage extends OrderFilter {
  after: number | undefined
  limit: number
}

const shapeOfPage = ({ petId, complete, after, limit }: OrderPage) => ({
  hasPet: petId !== undefined,
  complete,
  isLater: after !== undefined,
  most: sizeFor(limit),
})

/** Pages of orders. */
export const orderPages = statement<OrderPage, ListedOrder, ReturnType<typeof shapeOfPage>>(
  shapeOfPage,
  ({ hasPet, complete, isLater, most }, value) => {
    const id = sql.ref('id')
    const keys = isLater ? [sql`${value(page => page.after)}::bigint`] : undefined
    const size = { limit: value(page => page.limit), most }
    if (!hasPet && complete === undefined)
      return readRuns(listed, [{ columns: [id], equal: [], after: keys }], [id], false, size)
    const [columns, values] = hasPet
      ? [[sql.ref('pet_id')], [sql`${value(page => page.petId)}::bigint`]]
      : [[], []]
    const runs = (complete === undefined ? [false, true] : [complete]).map(state => ({
      columns: [...columns, sql.ref('complete'), id],
      equal: [...values, sql`${state}::boolean`],
      after: keys,
    }))
    return readRuns(listed, runs, [id], false, size)
  },
)

export const findOrder = finder('orders', [...listed.columns, 'version'])

export interface NewOrder {
  petId: number
  quantity: number
  shipDate: Date | undefined
}

/**
 * Takes a quantity out of an available animal's stock and stores the order, in one statement: of two callers after the
 * last piece one gets it. Undefined when the animal is missing, not available or has too little stock.
 */
export const insertOrderIfInStock: (db: Db, order: NewOrder) => Promise<OrderRow | undefined> = inBatches({
  one: insertOrder,
  async many(db, orders) {
    // A statement changes a row once: the second order of an animal comes after the first.
    const firsts = new Map(orders.toReversed().map(order => [order.petId, order]))
    const placed = await insertOrders(db, [...firsts.values()], false)
    return orders.map(order => {
      if (firsts.get(order.petId) !== order) return insertOrderIfInStock(db, order)
      if (placed.has(order.petId)) return placed.get(order.petId)
      // Somebody else is changing this animal. It is waited for on a connection where nobody has to wait with it.
      return db.transaction().execute(trx => insertOrder(trx, order))
    })
  },
})

async function insertOrder(db: Db, order: NewOrder): Promise<OrderRow | undefined> {
  return (await insertOrders(db, [order], true)).get(order.petId)
}

interface Placement {
  /** of different animals */
  orders: readonly NewOrder[]
  waits: boolean
}

const placement = statement<Placement, Nullable<OrderRow> & { wanted_id: number }, { waits: boolean }>(
  ({ waits }) => ({ waits }),
  ({ waits }, value) => {
    const petIds = sql`${value(({ orders }) => orders.map(({ petId }) => petId))}::bigint[]`
    const quantities = value(({ orders }) => orders.map(({ quantity }) => quantity))
    const shipDates = value(({ orders }) => orders.map(({ shipDate }) => shipDate?.toISOString() ?? null))
    const status = sql<PetStatus>`case when stock = quantity then 'pending' else status end`
    return sql`
      with wanted as (
        select unnest(${petIds}) as wanted_id, unnest(${quantities}::integer[]) as quantity,
          unnest(${shipDates}::timestamptz[]) as ship_date
      ), locked as (
        select id as locked_id from pets where id = any(${petIds})
        ${waits ? sql`for update` : sql`for update skip locked`}
      ), taken as (
        update pets set stock = stock - quantity, open_orders = open_orders + 1, stock_version = stock_version + 1,
          status = ${status}, version = ${bumpIfStatusBecomes(status)}
        from wanted join locked on locked_id = wanted_id
        where id = wanted_id and status = 'available' and stock >= quantity
        returning id, quantity, ship_date
      ), placed as (
        insert into ${sql.table('orders')} (pet_id, quantity, ship_date) select * from taken returning *
      )
      select wanted_id, placed.* from wanted left join placed on pet_id = wanted_id
      where wanted_id in (select locked_id from locked)
        or wanted_id not in (select id from pets where id = any(${petIds}))`
  },
  true,
)

/**
 * Places orders of different animals in one statement.
 * @param waits whether it waits for animals that others are changing, or leaves them out
 * @returns what came of each animal's order; nothing of those that were left out
 */
async function insertOrders(
  db: Db,
  orders: readonly NewOrder[],
  waits: boolean,
): Promise<Map<number, OrderRow | undefined>> {
  const rows = await placement.rows(db, { orders, waits })
  const isPlaced = (row: Nullable<OrderRow>): row is OrderRow => row.id !== null
  return new Map(rows.map(({ wanted_id, ...row }) => [wanted_id, isPlaced(row) ? row : undefined]))
}

/** How what changes of an order is stored. */
const changed: ColumnsOf<OrderPatch, Updateable<OrdersTable>> = {
  shipDate: text => ({ ship_date: text === null ? null : new Date(text) }),
  complete: complete => ({ complete }),
}

/**
 * Changes what is given of an order, in one statement; when that fulfils the last open order of an animal without
 * stock, the animal becomes sold. Undefined when there is no such order or it would be reopened.
 */
export function updateOrder(
  db: Db,
  id: number,
  changes: OrderPatch,
  versions: Versions,
): Promise<OrderRow | undefined> {
  const reopens = changes.complete === false
  return db
    .with('before', cte =>
      cte.selectFrom('orders').select(['id', 'complete']).where('id', '=', id).forUpdate(),
    )
    .with('changed', cte =>
      cte
        .updateTable('orders')
        .from('before')
        .set(eb => ({
          ...changedColumns(changed, changes),
          version: eb('orders.version', '+', 1),
        }))
        .whereRef('orders.id', '=', 'before.id')
        .$if(reopens, query => query.where('before.complete', '=', false))
        .$if(versions !== undefined, query => query.where(isOneOf('orders.version', versions)))
        .returningAll('orders')
        .returning('before.complete as was_complete'),
    )
    .with('released', cte =>
      cte
        .updateTable('pets')
        .from('changed')
        .set(eb => {
          const status = sql<PetStatus>`case when stock = 0 and open_orders = 1 then 'sold' else status end`
          const becomesSold = sql<number>`(stock = 0 and open_orders = 1 and status <> 'sold')::int`
          return {
            open_orders: eb('open_orders', '-', 1),
            status,
            stock_version: sql<number>`stock_version + ${becomesSold}`,
            version: sql<number>`pets.version + ${becomesSold}`,
          }
        })
        .whereRef('pets.id', '=', 'changed.pet_id')
        .where('changed.complete', '=', true)
        .where('changed.was_complete', '=', false),
    )
    .selectFrom('changed')
    .select(['id', 'pet_id', 'quantity', 'ship_date', 'complete', 'version'])
    .executeTakeFirst()
}

/** Removes an open order and puts its quantity back, in one statement; false when there is no such open order. */
export async function deleteOpenOrder(db: Db, id: number, versions: Versions): Promise<boolean> {
  const row = await db
    .with('cancelled', cte =>
      cte
        .deleteFrom('orders')
        .where('id', '=', id)
        .where('complete', '=', false)
        .$if(versions !== undefined, query => query.where(isOneOf('version', versions)))
        .returning(['id', 'pet_id', 'quantity']),
    )
    .with('restocked', cte =>
      cte
        .updateTable('pets')
        .from('cancelled')
        .set(eb => ({
          stock: eb('stock', '+', eb.ref('cancelled.quantity')),
          open_orders: eb('open_orders', '-', 1),
          stock_version: eb('stock_version', '+', 1),
          status: 'available' as const,
          version: bumpIfStatusBecomes(eb.val<PetStatus>('available')),
        }))
        .whereRef('pets.id', '=', 'cancelled.pet_id'),
    )
    .selectFrom('cancelled')
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}
