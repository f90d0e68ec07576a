import { type Expression, type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Versions } from '../contract/etag.ts'
import type { Db, PetsTable, Tables } from '../database/tables.ts'
import { unlessViolated } from './failures.ts'
import { foldName, prefixPattern } from './text.ts'
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

/** Reads up to `limit` animals that follow the keys given. */
export function listPets(
  db: Db,
  filter: PetFilter,
  order: PetOrder,
  after: PetKeys | undefined,
  limit: number,
): Promise<PetRow[]> {
  const direction = order.descending ? 'desc' : 'asc'
  const follows = sql.raw<SqlBool>(order.descending ? '<' : '>')
  let query = db.selectFrom('pets').selectAll().limit(limit)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.categoryId !== undefined) query = query.where('category_id', '=', filter.categoryId)
  if (filter.name !== undefined) query = query.where('name_key', 'like', prefixPattern(foldName(filter.name)))
  // One array parameter, whatever its length: the statement stays the same and stays prepared.
  if (filter.ids !== undefined) query = query.where(sql<SqlBool>`id = any(${filter.ids}::bigint[])`)
  if (order.by === 'name') {
    if (after) query = query.where(sql<SqlBool>`(name_key, id) ${follows} (${after[0]}, ${after[1]}::bigint)`)
    query = query.orderBy('name_key', direction)
  } else if (after) query = query.where(sql<SqlBool>`id ${follows} ${after[0]}::bigint`)
  return query.orderBy('id', direction).execute()
}

export interface NewPet {
  name: string
  categoryId: number
  status?: PetStatus | undefined
}

/** Stores animals, each with stock 1; all or none. */
export async function insertPets(db: Db, pets: readonly NewPet[]): Promise<PetRow[] | 'unknown category'> {
  const write = db.insertInto('pets').values(pets.map(toColumns)).returningAll()
  const rows = await unlessViolated(db, 'pets_category_exists', 'unknown category', () => write.execute())
  return rows === 'unknown category' ? rows : rows.sort((a, b) => a.id - b.id)
}

function toColumns({ name, categoryId, status }: NewPet) {
  return { name, name_key: foldName(name), category_id: categoryId, status: status ?? ('available' as const) }
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

export function findPet(db: Db, id: number): Promise<PetRow | undefined> {
  return db.selectFrom('pets').selectAll().where('id', '=', id).executeTakeFirst()
}

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
export function listInventory(
  db: Db,
  filter: InventoryFilter,
  after: number | undefined,
  limit: number,
): Promise<PetRow[]> {
  let query = db.selectFrom('pets').selectAll().orderBy('id').limit(limit)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.maxQuantity !== undefined) query = query.where('stock', '<=', filter.maxQuantity)
  if (after !== undefined) query = query.where('id', '>', after)
  return query.execute()
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
