import { type RawBuilder, type SqlBool, sql } from 'kysely'
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

/** Rows of a page: up to its limit, or some more. `end`: where the search stopped before it had so many. */
export interface FoundPage {
  rows: ListedPet[]
  end?: readonly [id: number]
}

/** Reads a page of animals. */
export async function listPets(db: Db, page: PetPage): Promise<FoundPage> {
  const { status, categoryId, name, ids, limit } = page
  const values = { ...valuesOf(page), ids }
  const variant = { ...page.order, category: categoryId !== undefined, size: engine.pageSizeFor(limit) }
  if (ids) return { rows: await among(db, values, { ...variant, range: 'name', of: 'ids', isEnd: false }) }
  if (variant.by === 'name') return { rows: await inIndexOrder(db, values, variant) }
  if (name !== undefined) return inRange(db, values, { ...variant, range: 'name' }, limit)
  const read = status === undefined && categoryId === undefined ? all : inIndexOrder
  return { rows: await read(db, values, variant) }
}

/** Reads a page of the inventory. */
export async function listInventory(
  db: Db,
  { maxQuantity, after, ...rest }: InventoryPage,
): Promise<FoundPage> {
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

/** The statuses of a page, as a table. */
const statusesOf = (value: Value) =>
  engine.rowsOf<{ status: PetStatus }, 'wanted'>('wanted', {
    status: { type: 'text', values: value('statuses') },
  })

/** Animals by identifier, or by the start of a name and by name. Each status is read alone: indexes begin with it. */
const inIndexOrder = prepared((db, value: Value, listing: Listing) => {
  const { by, category, descending, size } = listing
  const direction = directionOf(listing)
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
    .selectFrom(statusesOf(value))
    .crossJoinLateral(query.limit(sql.lit(size)).as('pet'))
    .select(columns.map(name => `pet.${name}` as const))
  for (const key of sortedBy(listing)) page = page.orderBy(`pet.${key}`, direction)
  return page.limit(sql.lit(size))
})

function matches(value: Value, { category, range }: Ranged): RawBuilder<SqlBool> {
  const ofCategory = category ? sql`category_id = ${value('categoryId')}` : sql`true`
  const isWithin = range === 'name' ? beginsSo(value) : sql`stock <= ${value('maxQuantity')}`
  return sql`status = ${engine.anyOf(value('statuses'))} and ${ofCategory} and ${isWithin}`
}

/** The most animals that a statement looks at. */
const lookedAt = 5_000
/** The most animals in a range that are all read. */
const few = 2_000
/** How often a page looks at the next ones. */
const mostSteps = 10

/**
 * The animals that pass the filters, among the next ones by identifier or among given identifiers. `isEnd`: of the next ones,
 * the last that may be looked at is found as well, whether it passes or not.
 */
const among = prepared((db, value: Value, listing: Ranged & { of: 'next' | 'ids'; isEnd: boolean }) => {
  const direction = directionOf(listing)
  const passes = sql<boolean>`(${matches(value, listing)} and ${follows(value, listing)})`
  const next = db.selectFrom('pets').where(follows(value, listing)).orderBy('id', direction)
  const end = next
    .select('id')
    .offset(sql.lit(lookedAt - 1))
    .limit(sql.lit(1))
  const chosen = db.selectFrom('pets').where(sql<SqlBool>`id = ${engine.anyOf(value('ids'))}`)
  let page = db
    .selectFrom(
      (listing.of === 'ids' ? chosen : next).select(columns).limit(sql.lit(lookedAt)).as('looked_at'),
    )
    .select([...columns, (listing.isEnd ? passes : sql.lit(true)).as('passes')])
    .where(listing.isEnd ? sql<SqlBool>`(${passes} or id = ${end})` : passes)
  for (const key of sortedBy(listing)) page = page.orderBy(key, direction)
  return page.limit(sql.lit(listing.size))
})

/** The animals in a range that follow, by identifier, and how many are in it in all, counted up to one too many. */
const ofFew = prepared((db, value: Value, listing: Ranged) => {
  const { category, descending, range, size } = listing
  const direction = directionOf(listing)
  const equal = {
    ...(category && { category_id: value('categoryId') }),
    'pets.status': sql.ref('wanted.status'),
  }
  const key = range === 'name' ? 'name_key' : 'stock'
  let ofStatus = db.selectFrom('pets').select('id')
  if (category)
    // Whole rows are compared, as the index of names without categories would serve `category_id = …` by a filter.
    ofStatus = ofStatus
      .where(engine.rowIs('>=', { ...equal, name_key: value('prefix') }))
      .where(engine.rowIs('<', { ...equal, name_key: value('end') }))
      .orderBy('category_id')
      .orderBy('status')
  else
    ofStatus = ofStatus
      .where(engine.rowIs('=', equal))
      .where(range === 'name' ? beginsSo(value) : sql<SqlBool>`stock <= ${value('maxQuantity')}`)
  // For an unknown limit PostgreSQL reads the index in its order, as it expects a tenth of all rows to be asked for.
  const limit = sql<number>`(select ${sql.lit(few + 1)})`
  ofStatus = ofStatus.orderBy(key).orderBy('id').limit(limit)
  return db
    .with('few', cte =>
      cte
        .selectFrom(statusesOf(value))
        .crossJoinLateral(ofStatus.as('pet'))
        .select('pet.id')
        .limit(sql.lit(few + 1)),
    )
    .selectFrom(eb => eb.selectFrom('few').select(eb.fn.countAll<number>().as('matches')).as('counted'))
    .leftJoin(
      eb =>
        eb
          .selectFrom('few')
          .select('id')
          .where('id', descending ? '<' : '>', value('lastId'))
          .orderBy('id', direction)
          .limit(sql.lit(size))
          .as('next'),
      join => join.on('matches', '<=', sql.lit(few)),
    )
    .leftJoin('pets', 'pets.id', 'next.id')
    .select(columns.map(name => `pets.${name}` as const))
    .select('matches')
    .orderBy('pets.id', direction)
})

/** Reads a page at once from few animals in a range, or where many are near; else step by step. */
async function inRange(db: Db, values: Values, listing: Ranged, limit: number): Promise<FoundPage> {
  const near = await among(db, values, { ...listing, of: 'next', isEnd: false })
  if (near.length >= limit) return { rows: near }
  const found = await ofFew(db, values, listing)
  if (found.every(row => row.matches <= few)) return { rows: found.filter(isFound) }
  return inSteps(db, values, listing, limit)
}

const isFound = <Row extends { id: number | null }>(row: Row): row is Row & ListedPet => row.id !== null

/** Each step goes on after the end of the one before, and reads that end with its rows: animals may be removed meanwhile. */
async function inSteps(db: Db, values: Values, listing: Ranged, limit: number): Promise<FoundPage> {
  const rows: ListedPet[] = []
  let { lastId } = values
  for (let step = 1; step <= mostSteps; step++) {
    const seen = await among(db, { ...values, lastId }, { ...listing, of: 'next', isEnd: true })
    rows.push(...seen.filter(({ passes }) => passes))
    const last = seen.at(-1)
    if (rows.length >= limit || last === undefined) return { rows }
    lastId = last.id
  }
  return { rows, end: [lastId] }
}
