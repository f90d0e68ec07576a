import { type Expression, type SqlBool, sql } from 'kysely'
import * as engine from 'spec-served'
import type { PetRow, PetStatus } from './pets.ts'
import { type Db, prepared } from './tables.ts'
import { endOfPrefix, foldName, greatestText } from './text.ts'

/** A page of animals: up to `limit` that follow the row with these sort keys. */
export interface PetPage {
  status?: PetStatus | undefined
  categoryId?: number | undefined
  /** beginning of the name, in any case */
  name?: string | undefined
  ids?: readonly number[] | undefined
  order: { by: 'id' | 'name'; descending: boolean }
  after: readonly [id: number] | readonly [nameKey: string, id: number] | undefined
  limit: number
}

/** A page of the inventory, by the animals' identifiers: up to `limit` entries that follow one animal. */
export interface InventoryPage extends Pick<PetPage, 'status' | 'limit'> {
  maxQuantity?: number | undefined
  after: number | undefined
}

/** The columns that lists show and use. */
const columns = ['id', 'name', 'category_id', 'status', 'name_key', 'stock'] as const
export type ListedPet = Pick<PetRow, (typeof columns)[number]>

/** Reads a page of animals: up to its limit, or some more. */
export async function listPets(db: Db, page: PetPage): Promise<ListedPet[]> {
  const { status, categoryId, name, ids, limit } = page
  const values = { ...valuesOf(page), ids }
  const variant = { ...page.order, category: categoryId !== undefined, size: engine.pageSizeFor(limit) }
  if (ids) return among(db, values, { ...variant, range: 'name', of: 'ids' })
  if (variant.by === 'name') return inIndexOrder(db, values, variant)
  if (name !== undefined) return inRange(db, values, { ...variant, range: 'name' }, limit)
  return status === undefined && categoryId === undefined
    ? all(db, values, variant)
    : inIndexOrder(db, values, variant)
}

/** Reads a page of the inventory: up to its limit, or some more. */
export async function listInventory(db: Db, { maxQuantity, after, ...rest }: InventoryPage) {
  const order = { by: 'id', descending: false } as const
  const page: PetPage = { ...rest, order, after: after === undefined ? undefined : [after] }
  if (maxQuantity === undefined) return listPets(db, page)
  const variant = { ...order, range: 'stock', category: false, size: engine.pageSizeFor(page.limit) } as const
  return inRange(db, { ...valuesOf(page), maxQuantity }, variant, page.limit)
}

const allStatuses: readonly PetStatus[] = ['available', 'pending', 'sold']

/** The values of a page: names from `prefix` up to `end`, after the last row of the previous page. */
interface Values {
  statuses: readonly PetStatus[]
  categoryId: number | undefined
  maxQuantity?: number
  ids?: readonly number[] | undefined
  prefix: string
  end: string
  lastName: string
  lastId: number
}

function valuesOf({ status, categoryId, name = '', order: { by, descending }, after }: PetPage): Values {
  const prefix = foldName(name)
  const end = endOfPrefix(prefix) ?? greatestText
  const first = descending && by === 'id' ? engine.afterAllIds : engine.beforeAllIds
  const [lastName, lastId] = after?.length === 2 ? after : [descending ? end : prefix, after?.[0] ?? first]
  return { statuses: status ? [status] : allStatuses, categoryId, prefix, end, lastName, lastId }
}

type Value = engine.Parameter<Values>

/** The order of a page, whether it is limited to a category, and its size. */
type Listing = { by: 'id' | 'name'; descending: boolean; category: boolean; size: engine.PageSize }
/** Filters whose rows an index finds, but not in the order of their identifiers. */
type Ranged = Listing & { range: 'name' | 'stock' }

const directionOf = ({ descending }: Listing) => (descending ? 'desc' : 'asc')
const sortedBy = ({ by }: Listing) => (by === 'name' ? (['name_key', 'id'] as const) : (['id'] as const))

/** The sort keys of the previous page's last row. */
const lastOf = (value: Value, { by }: Listing) => ({
  ...(by === 'name' && { name_key: value('lastName') }),
  id: value('lastId'),
})
const follows = (value: Value, listing: Listing) =>
  engine.rowIs(listing.descending ? '<' : '>', lastOf(value, listing))

/** Whether the name begins with the requested text. */
const beginsSo = (value: Value) => sql<SqlBool>`name_key >= ${value('prefix')} and name_key < ${value('end')}`

/** Animals without a filter, by identifier. */
const all = prepared((db, value: Value, listing: Listing) =>
  db
    .selectFrom('pets')
    .select(columns)
    .where(follows(value, listing))
    .orderBy('id', directionOf(listing))
    .limit(sql.lit(listing.size)),
)

/** Animals by identifier, or by the start of a name and by name. Each status is read alone: indexes begin with it. */
const inIndexOrder = prepared((db, value: Value, listing: Listing) => {
  const { by, category, descending, size } = listing
  const direction = directionOf(listing)
  const statuses = engine.rowsOf<{ status: PetStatus }, 'wanted'>('wanted', {
    status: { type: 'text', values: value('statuses') },
  })
  const equal = {
    ...(category && { category_id: value('categoryId') }),
    'pets.status': sql.ref('wanted.status'),
  }
  let query = db.selectFrom('pets').select(columns)
  if (by === 'name' && !category)
    query = query.where(engine.rowIs('=', equal)).where(beginsSo(value)).where(follows(value, listing))
  else {
    // Not `status = wanted`: the primary key has the same order, but with all other animals in between.
    const until =
      by === 'name'
        ? engine.rowIs(descending ? '>=' : '<', { ...equal, name_key: value(descending ? 'prefix' : 'end') })
        : engine.rowIs(descending ? '>=' : '<=', equal)
    query = query
      .where(engine.rowIs(descending ? '<' : '>', { ...equal, ...lastOf(value, listing) }))
      .where(until)
    if (category) query = query.orderBy('category_id', direction)
    query = query.orderBy('status', direction)
  }
  for (const key of sortedBy(listing)) query = query.orderBy(key, direction)
  let page = db
    .selectFrom(statuses)
    .crossJoinLateral(query.limit(sql.lit(size)).as('pet'))
    .select(columns.map(name => `pet.${name}` as const))
  for (const key of sortedBy(listing)) page = page.orderBy(`pet.${key}`, direction)
  return page.limit(sql.lit(size))
})

function matches(value: Value, { category, range }: Ranged): Expression<SqlBool> {
  const ofCategory = category ? sql`category_id = ${value('categoryId')}` : sql`true`
  const isWithin = range === 'name' ? beginsSo(value) : sql`stock <= ${value('maxQuantity')}`
  return sql`status = ${engine.anyOf(value('statuses'))} and ${ofCategory} and ${isWithin}`
}

/** The number of animals that are searched for those in a range. */
const lookedThrough = 5_000

/** The animals that pass the filters, among the next ones by identifier or among given identifiers. */
const among = prepared((db, value: Value, listing: Ranged & { of: 'next' | 'ids' }) => {
  const direction = directionOf(listing)
  let page = db
    .selectFrom(
      db
        .selectFrom('pets')
        .select(columns)
        .where(
          listing.of === 'ids' ? sql<SqlBool>`id = ${engine.anyOf(value('ids'))}` : follows(value, listing),
        )
        .orderBy('id', direction)
        .limit(sql.lit(lookedThrough))
        .as('looked_at'),
    )
    .select(columns)
    .where(matches(value, listing))
    .where(follows(value, listing))
  for (const key of sortedBy(listing)) page = page.orderBy(key, direction)
  return page.limit(sql.lit(listing.size))
})

/** All animals in a range, sorted by identifier. */
const sorted = prepared((db, value: Value, listing: Ranged) => {
  const unindexedId = sql<number>`id + 0` // no index has this order, so PostgreSQL uses the index of the range
  const some = db
    .selectFrom('pets')
    .select('id')
    .where(matches(value, listing))
    .where(unindexedId, listing.descending ? '<' : '>', value('lastId'))
    .orderBy(unindexedId, directionOf(listing))
    .limit(sql.lit(listing.size))
  return db.selectFrom('pets').select(columns).where('id', 'in', some).orderBy('id', directionOf(listing))
})

async function inRange(db: Db, values: Values, listing: Ranged, limit: number): Promise<ListedPet[]> {
  const near = await among(db, values, { ...listing, of: 'next' })
  return near.length >= limit ? near : sorted(db, values, listing)
}
