import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, OrdersTable } from '../database/tables.ts'
import type { Versions } from '../engine/replies/etag.ts'
import { finder } from './by-id.ts'
import { readRuns } from './pages.ts'
import { bumpIfStatusBecomes, type PetStatus } from './pets.ts'
import { isOneOf } from './versions.ts'

export type OrderRow = Selectable<OrdersTable>

export interface OrderFilter {
  petId?: number | undefined
  complete?: boolean | undefined
}

/** Reads up to `limit` orders that follow the one given, by identifier. */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  after: number | undefined,
  limit: number,
): Promise<OrderRow[]> {
  return (await pageOfOrders(filter, after, limit).execute(db)).rows
}

/** The statement of `listOrders`. */
export function pageOfOrders(
  { petId, complete }: OrderFilter,
  after: number | undefined,
  limit: number,
): RawBuilder<OrderRow> {
  const id = sql.ref('id')
  const keys = after === undefined ? undefined : [sql`${after}::bigint`]
  if (petId === undefined && complete === undefined)
    return readRuns('orders', [{ columns: [id], equal: [], after: keys }], [id], false, limit)
  const [columns, values] = petId === undefined ? [[], []] : [[sql.ref('pet_id')], [sql`${petId}::bigint`]]
  const runs = (complete === undefined ? [false, true] : [complete]).map(state => ({
    columns: [...columns, sql.ref('complete'), id],
    equal: [...values, sql`${state}::boolean`],
    after: keys,
  }))
  return readRuns('orders', runs, [id], false, limit)
}

export const findOrder = finder<OrderRow>('orders')

/**
 * Takes a quantity out of an available animal's stock and stores the order, in one statement: of two callers after
 * the last piece one gets it. Undefined when the animal is missing, not available or has too little stock.
 */
export function insertOrderIfInStock(
  db: Db,
  petId: number,
  quantity: number,
  shipDate: Date | undefined,
): Promise<OrderRow | undefined> {
  return db
    .with('taken', cte =>
      cte
        .updateTable('pets')
        .set(eb => {
          const status = sql<PetStatus>`case when stock = ${quantity} then 'pending' else status end`
          return {
            stock: eb('stock', '-', quantity),
            open_orders: eb('open_orders', '+', 1),
            stock_version: eb('stock_version', '+', 1),
            status,
            version: bumpIfStatusBecomes(status),
          }
        })
        .where('id', '=', petId)
        .where('status', '=', 'available')
        .where('stock', '>=', quantity)
        .returning('id'),
    )
    .insertInto('orders')
    .columns(['pet_id', 'quantity', 'ship_date'])
    .expression(eb =>
      eb
        .selectFrom('taken')
        .select([
          'id',
          sql<number>`${quantity}::integer`.as('quantity'),
          sql<Date | null>`${shipDate ?? null}::timestamptz`.as('ship_date'),
        ]),
    )
    .returningAll()
    .executeTakeFirst()
}

export interface OrderChanges {
  /** null removes it */
  shipDate?: Date | null | undefined
  complete?: boolean | undefined
}

/**
 * Changes what is given of an order, in one statement; when that fulfils the last open order of an animal without
 * stock, the animal becomes sold. Undefined when there is no such order or it would be reopened.
 */
export function updateOrder(
  db: Db,
  id: number,
  { shipDate, complete }: OrderChanges,
  versions: Versions,
): Promise<OrderRow | undefined> {
  const reopens = complete === false
  return db
    .with('before', cte =>
      cte.selectFrom('orders').select(['id', 'complete']).where('id', '=', id).forUpdate(),
    )
    .with('changed', cte =>
      cte
        .updateTable('orders')
        .from('before')
        .set(eb => ({
          ...(shipDate !== undefined && { ship_date: shipDate }),
          ...(complete !== undefined && { complete }),
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
