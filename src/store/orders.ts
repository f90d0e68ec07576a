import { type Selectable, sql, type Updateable } from 'kysely'
import * as engine from 'spec-served'
import type { OrderPatch } from '../generated/schema.ts'
import { bumpIfStatusBecomes, type PetStatus } from './pets.ts'
import { type Db, finder, joinable, type OrdersTable, prepared } from './tables.ts'

export type OrderRow = Selectable<OrdersTable>

const columns = ['id', 'pet_id', 'quantity', 'ship_date', 'complete'] as const
export type ListedOrder = Pick<OrderRow, (typeof columns)[number]>

/** A page of orders, by identifier: up to `limit` that follow one order. */
export interface OrderPage {
  petId?: number | undefined
  complete?: boolean | undefined
  after: number | undefined
  limit: number
}

type PageValues = { lastId: number; petId: number | undefined; states: readonly boolean[] }

const all = prepared((db, value: engine.Parameter<PageValues>, { size }: { size: engine.PageSize }) =>
  db
    .selectFrom('orders')
    .select(columns)
    .where('id', '>', value('lastId'))
    .orderBy('id')
    .limit(sql.lit(size)),
)

/** Orders of an animal, or all. Open and fulfilled ones are read separately, as an index has them. */
const byState = prepared(
  (db, value: engine.Parameter<PageValues>, { ofPet, size }: { ofPet: boolean; size: engine.PageSize }) => {
    const states = engine.rowsOf<{ complete: boolean }, 'wanted'>('wanted', {
      complete: { type: 'boolean', values: value('states') },
    })
    const equal = {
      ...(ofPet && { pet_id: value('petId') }),
      'orders.complete': sql.ref('wanted.complete'),
    }
    const ofState = db
      .selectFrom('orders')
      .select(columns)
      .where(engine.rowIs('>', { ...equal, id: value('lastId') }))
      .where(engine.rowIs('<=', equal))
      .$if(ofPet, query => query.orderBy('pet_id'))
      .orderBy('complete')
      .orderBy('id')
      .limit(sql.lit(size))
    return db
      .selectFrom(states)
      .crossJoinLateral(ofState.as('order'))
      .select(columns.map(name => `order.${name}` as const))
      .orderBy('order.id')
      .limit(sql.lit(size))
  },
)

/** Reads a page of orders: up to its limit, or some more. */
export function listOrders(db: Db, { petId, complete, after, limit }: OrderPage): Promise<ListedOrder[]> {
  const size = engine.pageSizeFor(limit)
  const states = complete === undefined ? [false, true] : [complete]
  const values = { lastId: after ?? engine.beforeAllIds, petId, states }
  if (petId === undefined && complete === undefined) return all(db, values, { size })
  return byState(db, values, { ofPet: petId !== undefined, size })
}

export const findOrder = finder((db, value) =>
  db
    .selectFrom('orders')
    .select([...columns, 'version'])
    .where('id', '=', engine.anyOf(value('ids'))),
)

export interface NewOrder {
  petId: number
  quantity: number
  shipDate: Date | undefined
}

type Placement = { petId: number; quantity: number; shipDate: Date | null }
const placementOn = (db: Db, value: engine.Parameter<Placement>) =>
  db
    .with('taken', cte =>
      cte
        .updateTable('pets')
        .set(eb => {
          const status = eb
            .case()
            .when('stock', '=', value('quantity'))
            .then<PetStatus>('pending')
            .else(eb.ref('status'))
            .end()
          return {
            stock: eb('stock', '-', value('quantity')),
            open_orders: eb('open_orders', '+', 1),
            stock_version: eb('stock_version', '+', 1),
            status,
            version: bumpIfStatusBecomes(status),
          }
        })
        .where('id', '=', value('petId'))
        .where('status', '=', 'available')
        .where('stock', '>=', value('quantity'))
        .returning('id'),
    )
    .insertInto('orders')
    .columns(['pet_id', 'quantity', 'ship_date'])
    .expression(insert =>
      insert
        .selectFrom('taken')
        .select(({ cast }) => [
          'id',
          cast<number>(value('quantity'), 'integer').as('quantity'),
          cast<Date | null>(value('shipDate'), 'timestamptz').as('ship_date'),
        ]),
    )
    .returningAll()
const placement = prepared(placementOn)

/**
 * Takes orders from the stock of available animals and stores them: all of an animal, or none. Returns a row for each, in
 * their order. Its `id` is null if it was not stored; `others` counts those of the same animal beside it.
 */
const placementsOn = (db: Db, value: engine.Parameter<engine.Arrays<Placement>>) => {
  const sent = engine.rowsOf<{ pet_id: number; quantity: number; ship_date: Date | null }, 'sent'>('sent', {
    pet_id: { type: 'bigint', values: value('petId') },
    quantity: { type: 'integer', values: value('quantity') },
    ship_date: { type: 'timestamptz', values: value('shipDate') },
  })
  /** numbers rows that are equal but for their identifier */
  const nth = (by: 'place' | 'id') =>
    sql<number>`row_number() over (partition by pet_id, quantity, ship_date order by ${sql.ref(by)})`.as(
      'nth',
    )
  return db
    .with('wanted', cte =>
      cte.selectFrom(sent).selectAll().select(sql<number>`row_number() over ()`.as('place')),
    )
    .with(
      'totals',
      cte =>
        cte
          .selectFrom('wanted')
          .select(({ fn }) => [
            'pet_id',
            fn.sum<number>('quantity').as('total'),
            fn.countAll<number>().as('orders'),
          ])
          .groupBy('pet_id')
          .orderBy('pet_id'), // two statements lock the same animals in the same order
    )
    .with('taken', cte =>
      cte
        .updateTable('pets')
        .from('totals')
        .set(eb => {
          const isLast = eb('stock', '=', eb.ref('total'))
          const status = eb.case().when(isLast).then<PetStatus>('pending').else(eb.ref('status')).end()
          return {
            stock: eb('stock', '-', eb.ref('total')),
            open_orders: sql<number>`open_orders + orders`,
            stock_version: eb('stock_version', '+', 1),
            status,
            version: bumpIfStatusBecomes(status),
          }
        })
        .whereRef('pets.id', '=', 'totals.pet_id')
        .where('status', '=', 'available')
        .whereRef('stock', '>=', 'total')
        .returning('pets.id'),
    )
    .with('placed', cte =>
      cte
        .insertInto('orders')
        .columns(['pet_id', 'quantity', 'ship_date'])
        .expression(insert =>
          insert
            .selectFrom('wanted')
            .innerJoin('taken', 'taken.id', 'wanted.pet_id')
            .select(['wanted.pet_id', 'wanted.quantity', 'wanted.ship_date'])
            .orderBy('place'),
        )
        .returningAll(),
    )
    .with('numbered', cte => cte.selectFrom('wanted').selectAll().select(nth('place')))
    .with('stored', cte => cte.selectFrom('placed').selectAll().select(nth('id')))
    .selectFrom('numbered')
    .innerJoin('totals', 'totals.pet_id', 'numbered.pet_id')
    .leftJoin('stored', join =>
      join
        .onRef('stored.pet_id', '=', 'numbered.pet_id')
        .onRef('stored.quantity', '=', 'numbered.quantity')
        .on('stored.ship_date', 'is not distinct from', eb => eb.ref('numbered.ship_date'))
        .onRef('stored.nth', '=', 'numbered.nth'),
    )
    .selectAll('stored')
    .select(sql<number>`totals.orders - 1`.as('others'))
    .orderBy('place')
}
const placementTogether = joinable(placementOn, placementsOn)

/** Whether a row of several orders is that of one that was stored. */
const isStored = (row: { [Name in keyof OrderRow]: OrderRow[Name] | null }): row is OrderRow =>
  row.id !== null

/** Takes a quantity from an available animal's stock and stores the order; undefined if the stock is too low. */
export async function insertOrderIfInStock(db: Db, order: NewOrder): Promise<OrderRow | undefined> {
  const values = { ...order, shipDate: order.shipDate ?? null }
  const [row] = await placementTogether(db, values)
  if (!row || !('others' in row) || isStored(row)) return row
  // Those of one moment may ask for more than there is, of which this one gets its part.
  const [alone] = row.others > 0 ? await placement(db, values, {}) : []
  return alone
}

const changed: engine.ColumnsOf<OrderPatch, Updateable<OrdersTable>> = {
  shipDate: text => ({ ship_date: text === null ? null : new Date(text) }),
  complete: complete => ({ complete }),
}

/**
 * Changes the given properties of an order, in one statement. If that fulfils the last open order of an animal without
 * stock, the animal becomes sold. Returns undefined when there is no such order or it would be reopened.
 */
export function updateOrder(db: Db, id: number, changes: OrderPatch, versions: engine.Versions) {
  const reopens = changes.complete === false
  return db
    .with('before', cte =>
      cte.selectFrom('orders').select(['id', 'complete']).where('id', '=', id).forUpdate(),
    )
    .with('changed', cte =>
      cte
        .updateTable('orders')
        .from('before')
        .set(eb => ({ ...engine.changedColumns(changed, changes), version: eb('orders.version', '+', 1) }))
        .whereRef('orders.id', '=', 'before.id')
        .$if(reopens, query => query.where('before.complete', '=', false))
        .where(engine.isAccepted('orders.version', versions))
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

/** Removes an open order and returns its quantity to the stock, in one statement; false without such an order. */
export async function deleteOpenOrder(db: Db, id: number, versions: engine.Versions): Promise<boolean> {
  const row = await db
    .with('cancelled', cte =>
      cte
        .deleteFrom('orders')
        .where('id', '=', id)
        .where('complete', '=', false)
        .where(engine.isAccepted('version', versions))
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
