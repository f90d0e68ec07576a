import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely'
import type { Db, Tables } from '../database/tables.ts'
import type { PetsTable } from '../database/trade-tables.ts'
import type { Versions } from '../engine/replies/etag.ts'
import type { NewPet, PetPatch } from '../generated/schema.ts'
import { inBatches } from './batches.ts'
import { finder } from './by-id.ts'
import { type ColumnsOf, changedColumns } from './changes.ts'
import { unlessViolated } from './failures.ts'
import { blockOf, few, readBlocks, readRuns, readSome, type Size, sizeFor } from './pages.ts'
import { type Statement, statement, type Value } from './statement.ts'
import { endOfPrefix, foldName } from './text.ts'
import { isOneOf } from './versions.ts'

/** A row of an animal, stock included. */
export type PetRow = Selectable<PetsTable>
export type PetStatus = PetRow['status']

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

/** Sort keys of the last row of the page before: `[id]` or, by name, `[name_key, id]`. */
export type PetKeys = readonly (string | number)[]

const allStatuses: readonly PetStatus[] = ['available', 'pending', 'sold']

// What the indexes begin with, each with another expression.
const byName = sql`(status || '/name')`
const byBlockAndName = sql`(status || '/block/name')`
const byBlockAndStock = sql`(status || '/block/stock')`
const byCategoryBlockAndName = sql`(category_id::text || '/' || status || '/block/name')`

/** What is shown of an animal. */
const shown = ['id', 'name', 'category_id', 'status'] as const
export type ShownPet = Pick<PetRow, (typeof shown)[number]>

/** What lists show, and go by. */
const columns = [...shown, 'name_key', 'stock'] as const
const listed = { table: 'pets', columns }
export type ListedPet = Pick<PetRow, (typeof columns)[number]>

const found = [...shown, 'version'] as const
export type FoundPet = Pick<PetRow, (typeof found)[number]>

/** A page of animals: up to `limit` that follow the keys given. */
export interface PetPage extends PetFilter {
  order: PetOrder
  after: PetKeys | undefined
  limit: number
}

const prefixOf = ({ name = '' }: PetFilter) => foldName(name)
const endOf = (filter: PetFilter) => endOfPrefix(prefixOf(filter))

/** What the text of a page's statement depends on. */
const shapeOfPage = (page: PetPage) => ({
  by: page.order.by,
  descending: page.order.descending,
  status: page.status,
  hasCategory: page.categoryId !== undefined,
  hasName: page.name !== undefined,
  hasEnd: page.name !== undefined && endOf(page) !== undefined,
  hasIds: page.ids !== undefined,
  isLater: page.after !== undefined,
  most: sizeFor(page.limit),
})
type PetPageShape = ReturnType<typeof shapeOfPage>

/** Pages of animals. */
export const petPages = statement<PetPage, ListedPet, PetPageShape>(shapeOfPage, (shape, value) =>
  pageOfPets(shape, value, { limit: value(page => page.limit), most: shape.most }),
)

function pageOfPets(shape: PetPageShape, value: Value<PetPage>, size: Size): RawBuilder<ListedPet> {
  const { by, descending, status, hasCategory } = shape
  const [id, nameKey] = [sql.ref('id'), sql.ref('name_key')]
  const key = (index: number) => value(args => args.after?.[index])
  const lastId = (index: number) => sql`${key(index)}::bigint`
  const category = sql`${value(args => args.categoryId)}::bigint`
  const ordered = by === 'name' ? [nameKey, id] : [id]
  const keys = shape.isLater ? (by === 'name' ? [key(0), lastId(1)] : [lastId(0)]) : undefined
  // Where no status is asked for, its few values are read side by side: that spares the indexes without it.
  const statuses = status === undefined ? allStatuses : [status]
  const prefix = shape.hasName ? value(prefixOf) : undefined
  const end = shape.hasEnd ? value(endOf) : undefined
  const begins = [
    ...(prefix === undefined ? [] : [sql`name_key >= ${prefix}`]),
    ...(end === undefined ? [] : [sql`name_key < ${end}`]),
  ]

  if (shape.hasIds) {
    const conditions = [
      sql`status = any(${statuses}::text[])`,
      ...(hasCategory ? [sql`category_id = ${category}`] : []),
      ...begins,
    ]
    const given = value(args => args.ids)
    return readSome(listed, given, conditions, ordered, keys, descending, size)
  }
  if (by === 'name') {
    const runs = statuses.map(one => ({
      columns: [...(hasCategory ? [sql.ref('category_id'), sql.ref('status')] : [byName]), ...ordered],
      equal: hasCategory ? [category, sql`${one}`] : [sql`${`${one}/name`}`],
      from: prefix,
      below: end,
      after: keys,
    }))
    return readRuns(listed, runs, ordered, descending, size)
  }
  const blocks = hasCategory ? byCategoryBlockAndName : byBlockAndName
  const starts = statuses.map(one =>
    hasCategory ? value(args => `${args.categoryId}/${one}/block/name`) : sql`${`${one}/block/name`}`,
  )
  if (prefix !== undefined) {
    const conditions = [sql`${blocks} in (${sql.join(starts)})`, ...begins]
    const first = { ...shape, by: 'name', descending: false, isLater: false } as const
    const instead = pageOfPets(first, value, { limit: sql.lit(few), most: few })
    return readBlocks(listed, { conditions, instead }, keys?.[0], descending, size)
  }
  if (!hasCategory) {
    const equal = status === undefined ? [] : [sql`${status}`]
    const columns = status === undefined ? [id] : [sql.ref('status'), id]
    return readRuns(listed, [{ columns, equal, after: keys }], ordered, descending, size)
  }
  const runs = starts.map(start => ({
    columns: [blocks, blockOf(id), id],
    equal: [start],
    after: keys?.[0] && [blockOf(keys[0]), keys[0]],
  }))
  return readRuns(listed, runs, ordered, descending, size)
}

/** What is given of a new animal: its columns, and their types. */
const given = {
  name: 'text',
  name_key: 'text',
  category_id: 'bigint',
  status: 'text',
} as const
type Given = Pick<PetRow, keyof typeof given>

const toColumns = (pet: NewPet): Given => ({
  name: pet.name,
  name_key: foldName(pet.name),
  category_id: pet.categoryId,
  status: pet.status ?? 'available',
})

/** One text, however many there are: an array for each column. */
const insertion = statement<readonly Given[], FoundPet>(
  () => ({}),
  (_, value) => {
    const columns = Object.keys(given) as (keyof Given)[] // it has these alone
    const arrays = columns.map(
      column => sql`${value(rows => rows.map(row => row[column]))}::${sql.raw(given[column])}[]`,
    )
    const refs = (names: readonly string[]) => sql.join(names.map(name => sql.ref(name)))
    return sql`insert into ${sql.table('pets')} (${refs(columns)}) select * from unnest(${sql.join(arrays)})
      returning ${refs(found)}`
  },
  true,
)

async function insertRows(db: Db, pets: readonly NewPet[]): Promise<FoundPet[]> {
  const stored = await insertion.rows(db, pets.map(toColumns))
  return stored.sort((a, b) => a.id - b.id)
}

/** Stores animals, each with stock 1; all or none. */
export function insertPets(db: Db, pets: readonly NewPet[]): Promise<FoundPet[] | 'unknown category'> {
  return unlessViolated(db, 'pets_category_exists', 'unknown category', () => insertRows(db, pets))
}

/** Stores an animal, with stock 1. */
export const insertPet = inBatches<NewPet, FoundPet | 'unknown category'>({
  async one(db, pet) {
    const rows = await insertPets(db, [pet])
    return rows === 'unknown category' ? rows : (rows[0] as FoundPet) // as many as were given
  },
  many: insertRows,
})

/** Of the categories given, those that do not exist. */
export async function findMissingCategories(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('categories')
    .select('id')
    .where(sql<SqlBool>`id = any(${ids}::bigint[])`)
    .execute()
  const known = new Set(rows.map(row => row.id))
  return ids.filter(id => !known.has(id))
}

export const findPet = finder('pets', found)
/** An animal as the inventory shows it. */
export const findItem = finder('pets', ['id', 'status', 'stock', 'stock_version'])

/** How what changes of an animal is stored. */
const changed: ColumnsOf<PetPatch, Updateable<PetsTable>> = {
  name: name => ({ name, name_key: foldName(name) }),
  categoryId: category_id => ({ category_id }),
  status: status => ({ status }),
}

/** Changes what is given of an animal and returns it, or undefined when there is none. */
export function updatePet(
  db: Db,
  id: number,
  changes: PetPatch,
  versions: Versions,
): Promise<PetRow | undefined | 'unknown category'> {
  const write = db
    .updateTable('pets')
    .set(eb => ({
      ...changedColumns(changed, changes),
      ...(changes.status !== undefined && { stock_version: eb('stock_version', '+', 1) }),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .$if(versions !== undefined, query => query.where(isOneOf('version', versions)))
    .returningAll()
  return unlessViolated(db, 'pets_category_exists', 'unknown category', () => write.executeTakeFirst())
}

/**
 * Removes an animal that no open order holds; false when there is none such. Its fulfilled orders lose it, which makes
 * another version of each.
 */
export async function deletePet(db: Db, id: number, versions: Versions): Promise<boolean> {
  const row = await db
    .with('removed', cte =>
      cte
        .deleteFrom('pets')
        .where('id', '=', id)
        .where('open_orders', '=', 0)
        .$if(versions !== undefined, query => query.where(isOneOf('version', versions)))
        .returning('id'),
    )
    .with('left', cte =>
      cte
        .updateTable('orders')
        .from('removed')
        .set(eb => ({ pet_id: null, version: eb('orders.version', '+', 1) }))
        .whereRef('orders.pet_id', '=', 'removed.id'),
    )
    .selectFrom('removed')
    .select('id')
    .executeTakeFirst()
  return row !== undefined
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

/** Pages of the inventory: of animals, where the quantity does not matter. */
export const inventoryPages: Statement<InventoryPage, ListedPet> = {
  rows: (db, page) => (isByStock(page) ? stockPages.rows(db, page) : petPages.rows(db, asPetPage(page))),
  compile: (db, page) =>
    isByStock(page) ? stockPages.compile(db, page) : petPages.compile(db, asPetPage(page)),
}

const isByStock = ({ maxQuantity }: InventoryPage) => maxQuantity !== undefined

const asPetPage = ({ status, after, limit }: InventoryPage): PetPage => ({
  status,
  order: { by: 'id', descending: false },
  after: after === undefined ? undefined : [after],
  limit,
})

const shapeOfStockPage = ({ status, after, limit }: InventoryPage) => ({
  status,
  isLater: after !== undefined,
  most: sizeFor(limit),
})

const stockPages = statement<InventoryPage, ListedPet, ReturnType<typeof shapeOfStockPage>>(
  shapeOfStockPage,
  ({ status, isLater, most }, value) => {
    const statuses = status === undefined ? allStatuses : [status]
    const conditions = [
      sql`${byBlockAndStock} in (${sql.join(statuses.map(one => `${one}/block/stock`))})`,
      sql`stock_level <= level_of_stock(${value(page => page.maxQuantity)}::bigint)`,
      sql`stock <= ${value(page => page.maxQuantity)}::bigint`,
    ]
    const last = isLater ? sql`${value(page => page.after)}::bigint` : undefined
    const size = { limit: value(page => page.limit), most }
    return readBlocks(listed, { conditions }, last, false, size)
  },
)

/** Sets the stock of an animal, and its status by the stock rule; undefined when there is no such animal. */
export function setStock(db: Db, id: number, stock: number, versions: Versions): Promise<PetRow | undefined> {
  const status: (eb: ExpressionBuilder<Tables, 'pets'>) => Expression<PetStatus> = eb =>
    stock > 0
      ? eb.val<PetStatus>('available')
      : eb.case().when('open_orders', '>', 0).then<PetStatus>('pending').else<PetStatus>('sold').end()
  return db
    .updateTable('pets')
    .set(eb => ({
      stock,
      stock_version: eb('stock_version', '+', 1),
      status: status(eb),
      version: bumpIfStatusBecomes(status(eb)),
    }))
    .where('id', '=', id)
    .$if(versions !== undefined, query => query.where(isOneOf('stock_version', versions)))
    .returningAll()
    .executeTakeFirst()
}

/**
 * The animal's version after its status becomes the one given: stock alone is no part of the animal's own
 * representation, so a mere change of stock leaves its version as it is.
 */
export function bumpIfStatusBecomes(status: Expression<PetStatus>) {
  return sql<number>`pets.version + (pets.status <> ${status})::int`
}
