import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Tables } from '../database/tables.ts'
import { afterAllIds, anyOf, beforeAllIds, type PageSize, pageSizeFor, pageSizes, tableOf } from './pages.ts'
import type { PetRow, PetStatus } from './pets.ts'
import { type Parameter, prepared } from './prepared.ts'
import { endOfPrefix, foldName, greatestText } from './text.ts'

export interface PetFilter {
  status?: PetStatus | undefined
  categoryId?: number | undefined
  /** beginning of the name, in any case */
  name?: string | undefined
  ids?: readonly number[] | undefined
}

export interface PetOrder {
  by: 'id' | 'name'
  descending: boolean
}

/** A page of animals: up to `limit` that follow the row with the sort keys given. */
export interface PetPage extends PetFilter {
  order: PetOrder
  after: readonly [id: number] | readonly [nameKey: string, id: number] | undefined
  limit: number
}

export interface InventoryFilter {
  status?: PetStatus | undefined
  maxQuantity?: number | undefined
}

/** A page of the inventory, in the order of the animals' identifiers: up to `limit` entries that follow one animal. */
export interface InventoryPage extends InventoryFilter {
  after: number | undefined
  limit: number
}

/** What lists show, and go by. */
const columns = ['id', 'name', 'category_id', 'status', 'name_key', 'stock'] as const
export type ListedPet = Pick<PetRow, (typeof columns)[number]>

/** Reads a page of animals: up to its limit, or some more. */
export async function listPets(db: Db, page: PetPage): Promise<ListedPet[]> {
  const { status, categoryId, name, ids, limit } = page
  const { by, descending } = page.order
  const size = pageSizeFor(limit)
  const values = valuesOf(page)
  const variant = { category: categoryId !== undefined, descending, size }
  if (ids) return some.rows(db, { ...variant, by }, { ...values, ids })
  if (by === 'id' && name !== undefined) return inRange(db, { ...variant, range: 'name' }, values, limit)
  if (by === 'id' && status === undefined && categoryId === undefined)
    return all.rows(db, { descending, size }, values)
  return inIndexOrder.rows(db, { ...variant, by }, values)
}

/** Reads a page of the inventory: up to its limit, or some more. */
export async function listInventory(
  db: Db,
  { maxQuantity, after, ...rest }: InventoryPage,
): Promise<ListedPet[]> {
  const page: PetPage = {
    ...rest,
    order: { by: 'id', descending: false },
    after: after === undefined ? undefined : [after],
  }
  if (maxQuantity === undefined) return listPets(db, page)
  const size = pageSizeFor(page.limit)
  const variant = { range: 'stock', category: false, descending: false, size } as const
  return inRange(db, variant, { ...valuesOf(page), maxQuantity }, page.limit)
}

const allStatuses: readonly PetStatus[] = ['available', 'pending', 'sold']

/** Where a page lies: names from `prefix` up to `end`, after the last row of the page before in the order asked for. */
interface Bounds {
  prefix: string
  end: string
  lastName: string
  lastId: number
}

interface Values extends Bounds {
  statuses: readonly PetStatus[]
  categoryId: number | undefined
  maxQuantity?: number
}

function valuesOf({ status, categoryId, ...page }: PetPage): Values {
  return { statuses: status ? [status] : allStatuses, categoryId, ...boundsOf(page) }
}

function boundsOf({ name = '', order: { by, descending }, after }: PetPage): Bounds {
  const prefix = foldName(name)
  const end = endOfPrefix(prefix) ?? greatestText
  const first = descending
    ? { lastName: end, lastId: by === 'id' ? afterAllIds : beforeAllIds }
    : { lastName: prefix, lastId: beforeAllIds }
  if (!after) return { prefix, end, ...first }
  const [lastName, lastId] = after.length === 2 ? after : ['', ...after]
  return { prefix, end, lastName, lastId }
}

const booleans = [true, false] as const
const choices = { category: booleans, descending: booleans, size: pageSizes }
const directionOf = (descending: boolean) => (descending ? 'desc' : 'asc')

const pet = expressionBuilder<Tables, 'pets'>()

const followsById = (value: Parameter<Bounds>, descending: boolean): Expression<SqlBool> =>
  pet('id', descending ? '<' : '>', value('lastId'))

/** Whether the name begins with the text asked for. */
const beginsSo = (value: Parameter<Bounds>): Expression<SqlBool> =>
  pet.and([pet('name_key', '>=', value('prefix')), pet('name_key', '<', value('end'))])

const followsByName = (value: Parameter<Bounds>, descending: boolean): Expression<SqlBool> =>
  pet(pet.refTuple('name_key', 'id'), descending ? '<' : '>', pet.tuple(value('lastName'), value('lastId')))

/** Animals without a filter, by identifier. */
const all = prepared<Bounds>()({ descending: booleans, size: pageSizes }, (db, value, { descending, size }) =>
  db
    .selectFrom('pets')
    .select(columns)
    .where(followsById(value, descending))
    .orderBy('id', directionOf(descending))
    .limit(sql.lit(size)),
)

/** Animals by identifier, or by a beginning of their names and by name. Each status is read by itself: indexes begin with it. */
const inIndexOrder = prepared<Values>()(
  { ...choices, by: ['id', 'name'] },
  (db, value, { by, category, descending, size }) => {
    const direction = directionOf(descending)
    return db
      .selectFrom(tableOf('wanted', value('statuses'), 'text'))
      .crossJoinLateral(outer =>
        outer
          .selectFrom('pets')
          .select(columns)
          .where(({ eb, ref, refTuple, tuple }) => {
            const wanted = ref('wanted.wanted')
            const [after, upTo] = descending ? (['<', '>='] as const) : (['>', '<='] as const)
            const categoryId = value('categoryId')
            if (by === 'name' && category) {
              const last = tuple(categoryId, wanted, value('lastName'), value('lastId'))
              const limit = tuple(categoryId, wanted, value(descending ? 'prefix' : 'end'))
              return eb.and([
                eb(refTuple('category_id', 'status', 'name_key', 'id'), after, last),
                eb(refTuple('category_id', 'status', 'name_key'), descending ? '>=' : '<', limit),
              ])
            }
            if (by === 'name')
              return eb.and([eb('status', '=', wanted), beginsSo(value), followsByName(value, descending)])
            // Not `status = wanted`: the primary key would have the same order, with all other animals between.
            return category
              ? eb.and([
                  eb(
                    refTuple('category_id', 'status', 'id'),
                    after,
                    tuple(categoryId, wanted, value('lastId')),
                  ),
                  eb(refTuple('category_id', 'status'), upTo, tuple(categoryId, wanted)),
                ])
              : eb.and([
                  eb(refTuple('status', 'id'), after, tuple(wanted, value('lastId'))),
                  eb('status', upTo, wanted),
                ])
          })
          .$if(category, query => query.orderBy('category_id', direction))
          .$if(by === 'id' || category, query => query.orderBy('status', direction))
          .$if(by === 'name', query => query.orderBy('name_key', direction))
          .orderBy('id', direction)
          .limit(sql.lit(size))
          .as('pet'),
      )
      .select(columns)
      .$if(by === 'name', query => query.orderBy('name_key', direction))
      .orderBy('id', direction)
      .limit(sql.lit(size))
  },
)

/** Filters of which an index finds the rows, but not in the order of their identifiers. */
const ranges = ['name', 'stock'] as const

function matches(
  value: Parameter<Values>,
  category: boolean,
  range: (typeof ranges)[number],
): Expression<SqlBool> {
  return pet.and([
    pet('status', '=', anyOf(value('statuses'))),
    ...(category ? [pet('category_id', '=', value('categoryId'))] : []),
    range === 'name' ? beginsSo(value) : pet('stock', '<=', value('maxQuantity')),
  ])
}

/** How many animals are looked through for those in a range. */
const lookedThrough = 5_000

/** Of the next animals by identifier, those in a range: a whole page where many are. */
const amongNext = prepared<Values>()(
  { ...choices, range: ranges },
  (db, value, { category, descending, size, range }) =>
    db
      .selectFrom(
        db
          .selectFrom('pets')
          .select(columns)
          .where(followsById(value, descending))
          .orderBy('id', directionOf(descending))
          .limit(sql.lit(lookedThrough))
          .as('next'),
      )
      .select(columns)
      .where(matches(value, category, range))
      .orderBy('id', directionOf(descending))
      .limit(sql.lit(size)),
)

/** The identifier as an expression: no index has it, so that PostgreSQL finds the rows by the index of their range. */
const unindexedId = pet('id', '+', sql.lit(0))

/** All animals in a range, put in the order of their identifiers. */
const sorted = prepared<Values>()(
  { ...choices, range: ranges },
  (db, value, { category, descending, size, range }) =>
    db
      .selectFrom('pets')
      .select(columns)
      .where('id', 'in', eb =>
        eb
          .selectFrom('pets')
          .select('id')
          .where(matches(value, category, range))
          .where(inner => inner(unindexedId, descending ? '<' : '>', value('lastId')))
          .orderBy(unindexedId, directionOf(descending))
          .limit(sql.lit(size)),
      )
      .orderBy('id', directionOf(descending)),
)

async function inRange(
  db: Db,
  variant: { category: boolean; descending: boolean; size: PageSize; range: (typeof ranges)[number] },
  values: Values,
  limit: number,
): Promise<ListedPet[]> {
  const near = await amongNext.rows(db, variant, values)
  return near.length >= limit ? near : sorted.rows(db, variant, values)
}

interface SomeValues extends Values {
  ids: readonly number[]
}

/** Of the animals with the identifiers given, those that pass the filters. */
const some = prepared<SomeValues>()(
  { ...choices, by: ['id', 'name'] },
  (db, value, { by, category, descending, size }) =>
    db
      .with(
        cte => cte('found').materialized(),
        cte =>
          cte
            .selectFrom('pets')
            .select(columns)
            .where('id', '=', anyOf(value('ids'))),
      )
      .selectFrom('found')
      .select(columns)
      .where(matches(value, category, 'name'))
      .where(by === 'id' ? followsById(value, descending) : followsByName(value, descending))
      .$if(by === 'name', query => query.orderBy('name_key', directionOf(descending)))
      .orderBy('id', directionOf(descending))
      .limit(sql.lit(size)),
)
