import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { Db, PetsTable, Tables } from '../database/tables.ts'
import type { Versions } from '../engine/replies/etag.ts'
import { inBatches } from './batches.ts'
import { finder } from './by-id.ts'
import { unlessViolated } from './failures.ts'
import { blockOf, few, readBlocks, readRuns, readSome } from './pages.ts'
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

/** Reads up to `limit` animals that follow the keys given. */
export async function listPets(
  db: Db,
  filter: PetFilter,
  order: PetOrder,
  after: PetKeys | undefined,
  limit: number,
): Promise<PetRow[]> {
  return (await pageOfPets(filter, order, after, limit).execute(db)).rows
}

/** The statement of `listPets`. */
export function pageOfPets(
  { ids, status, categoryId, name }: PetFilter,
  { by, descending }: PetOrder,
  after: PetKeys | undefined,
  limit: number,
): RawBuilder<PetRow> {
  const [id, nameKey] = [sql.ref('id'), sql.ref('name_key')]
  const keys = after?.map((key, index) => (index === after.length - 1 ? sql`${key}::bigint` : sql`${key}`))
  const ordered = by === 'name' ? [nameKey, id] : [id]
  // Where no status is asked for, its few values are read side by side: that spares the indexes without it.
  const statuses = status === undefined ? allStatuses : [status]
  const prefix = name === undefined ? undefined : foldName(name)
  const end = prefix === undefined ? undefined : endOfPrefix(prefix)
  const begins = [
    ...(prefix === undefined ? [] : [sql`name_key >= ${prefix}`]),
    ...(end === undefined ? [] : [sql`name_key < ${end}`]),
  ]

  if (ids !== undefined) {
    const conditions = [
      sql`status = any(${statuses}::text[])`,
      ...(categoryId === undefined ? [] : [sql`category_id = ${categoryId}::bigint`]),
      ...begins,
    ]
    return readSome('pets', ids, conditions, ordered, keys, descending, limit)
  }
  if (by === 'name') {
    const runs = statuses.map(value => ({
      columns: [
        ...(categoryId === undefined ? [byName] : [sql.ref('category_id'), sql.ref('status')]),
        ...ordered,
      ],
      equal:
        categoryId === undefined ? [sql`${`${value}/name`}`] : [sql`${categoryId}::bigint`, sql`${value}`],
      from: prefix === undefined ? undefined : sql`${prefix}`,
      below: end === undefined ? undefined : sql`${end}`,
      after: keys,
    }))
    return readRuns('pets', runs, ordered, descending, limit)
  }
  const blocks = categoryId === undefined ? byBlockAndName : byCategoryBlockAndName
  const starts = statuses.map(value =>
    categoryId === undefined ? `${value}/block/name` : `${categoryId}/${value}/block/name`,
  )
  if (prefix !== undefined) {
    const conditions = [sql`${blocks} in (${sql.join(starts)})`, ...begins]
    const filter = { status, categoryId, name }
    const instead = pageOfPets(filter, { by: 'name', descending: false }, undefined, few)
    return readBlocks('pets', { conditions, instead }, keys?.[0], descending, limit)
  }
  if (categoryId === undefined) {
    const equal = status === undefined ? [] : [sql`${status}`]
    const columns = status === undefined ? [id] : [sql.ref('status'), id]
    return readRuns('pets', [{ columns, equal, after: keys }], ordered, descending, limit)
  }
  const runs = starts.map(start => ({
    columns: [blocks, blockOf(id), id],
    equal: [sql`${start}`],
    after: keys?.[0] && [blockOf(keys[0]), keys[0]],
  }))
  return readRuns('pets', runs, ordered, descending, limit)
}

export interface NewPet {
  name: string
  categoryId: number
  status?: PetStatus | undefined
}

/** Stores animals, each with stock 1; all or none. */
export function insertPets(db: Db, pets: readonly NewPet[]): Promise<PetRow[] | 'unknown category'> {
  return unlessViolated(db, 'pets_category_exists', 'unknown category', () => insertRows(db, pets))
}

/** Stores an animal, with stock 1. */
export const insertPet = inBatches<NewPet, PetRow | 'unknown category'>({
  async one(db, pet) {
    const rows = await insertPets(db, [pet])
    return rows === 'unknown category' ? rows : (rows[0] as PetRow) // as many as were given
  },
  many: insertRows,
})

async function insertRows(db: Db, pets: readonly NewPet[]): Promise<PetRow[]> {
  const names = pets.map(({ name }) => name)
  const keys = names.map(foldName)
  const categories = pets.map(({ categoryId }) => categoryId)
  const statuses = pets.map(({ status = 'available' }) => status)
  const rows = await db
    .insertInto('pets')
    .columns(['name', 'name_key', 'category_id', 'status'])
    .expression(
      sql`select * from unnest(${names}::text[], ${keys}::text[], ${categories}::bigint[], ${statuses}::text[])`,
    )
    .returningAll()
    .execute()
  return rows.sort((a, b) => a.id - b.id)
}

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

export const findPet = finder<PetRow>('pets')

export interface PetChanges {
  name?: string | undefined
  categoryId?: number | undefined
  status?: PetStatus | undefined
}

/** Changes what is given of an animal and returns it, or undefined when there is none. */
export function updatePet(
  db: Db,
  id: number,
  { name, categoryId, status }: PetChanges,
  versions: Versions,
): Promise<PetRow | undefined | 'unknown category'> {
  const write = db
    .updateTable('pets')
    .set(eb => ({
      ...(name !== undefined && { name, name_key: foldName(name) }),
      ...(categoryId !== undefined && { category_id: categoryId }),
      ...(status !== undefined && { status, stock_version: eb('stock_version', '+', 1) }),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .$if(versions !== undefined, query => query.where(isOneOf('version', versions)))
    .returningAll()
  return unlessViolated(db, 'pets_category_exists', 'unknown category', () => write.executeTakeFirst())
}

/** Removes an animal that no open order holds; false when there is none such. */
export async function deletePet(db: Db, id: number, versions: Versions): Promise<boolean> {
  const row = await db
    .deleteFrom('pets')
    .where('id', '=', id)
    .where('open_orders', '=', 0)
    .$if(versions !== undefined, query => query.where(isOneOf('version', versions)))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface InventoryFilter {
  status?: PetStatus | undefined
  maxQuantity?: number | undefined
}

/** Reads up to `limit` inventory entries that follow the animal given, by identifier. */
export async function listInventory(
  db: Db,
  filter: InventoryFilter,
  after: number | undefined,
  limit: number,
): Promise<PetRow[]> {
  return (await pageOfInventory(filter, after, limit).execute(db)).rows
}

/** The statement of `listInventory`. */
export function pageOfInventory(
  { status, maxQuantity }: InventoryFilter,
  after: number | undefined,
  limit: number,
): RawBuilder<PetRow> {
  if (maxQuantity === undefined) {
    const keys = after === undefined ? undefined : [after]
    return pageOfPets({ status }, { by: 'id', descending: false }, keys, limit)
  }
  const statuses = status === undefined ? allStatuses : [status]
  const conditions = [
    sql`${byBlockAndStock} in (${sql.join(statuses.map(value => `${value}/block/stock`))})`,
    sql`stock <= ${maxQuantity}::bigint`,
  ]
  const last = after === undefined ? undefined : sql`${after}::bigint`
  return readBlocks('pets', { conditions }, last, false, limit)
}

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
