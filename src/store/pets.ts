import { type Expression, type Selectable, sql, type Updateable } from 'kysely'
import * as engine from 'spec-served'
import type { NewPet, PetPatch } from '../generated/schema.ts'
import { type Db, finder, joinable, type PetsTable } from './tables.ts'
import { foldName } from './text.ts'

/** A row of an animal, stock included. */
export type PetRow = Selectable<PetsTable>
export type PetStatus = PetRow['status']

const shown = ['id', 'name', 'category_id', 'status'] as const
export type ShownPet = Pick<PetRow, (typeof shown)[number]>

const found = [...shown, 'version'] as const
export type FoundPet = Pick<PetRow, (typeof found)[number]>

const toColumns = (pet: NewPet) => ({
  name: pet.name,
  name_key: foldName(pet.name),
  category_id: pet.categoryId,
  status: pet.status ?? 'available',
})

type NewColumns = ReturnType<typeof toColumns>
const added = ['name', 'name_key', 'category_id', 'status'] as const

const insertion = joinable(
  (db, value: engine.Parameter<NewColumns>) =>
    db
      .insertInto('pets')
      .values({
        name: value('name'),
        name_key: value('name_key'),
        category_id: value('category_id'),
        status: value('status'),
      })
      .returning(found),
  (db, value: engine.Parameter<engine.Arrays<NewColumns>>) => {
    const sent = engine.rowsOf<NewColumns, 'sent'>('sent', {
      name: { type: 'text', values: value('name') },
      name_key: { type: 'text', values: value('name_key') },
      category_id: { type: 'bigint', values: value('category_id') },
      status: { type: 'text', values: value('status') },
    })
    return db.insertInto('pets').columns(added).expression(db.selectFrom(sent).select(added)).returning(found)
  },
)

/** Stores an animal, with stock 1. */
export function insertPet(db: Db, pet: NewPet): Promise<FoundPet | 'unknown category'> {
  return engine.unlessViolated(db, 'pets_category_exists', 'unknown category', async () => {
    const [row] = await insertion(db, toColumns(pet))
    if (!row) throw new Error('An insert returned no row')
    return row
  })
}

/** Stores animals, each with stock 1: all or none. */
export function insertPets(db: Db, pets: readonly NewPet[]): Promise<FoundPet[] | 'unknown category'> {
  const write = db.insertInto('pets').values(pets.map(toColumns)).returning(found)
  return engine.unlessViolated(db, 'pets_category_exists', 'unknown category', async () =>
    (await write.execute()).sort((a, b) => a.id - b.id),
  )
}

/** Returns the given categories that do not exist. */
export async function findMissingCategories(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.selectFrom('categories').select('id').where('id', '=', engine.anyOf(ids)).execute()
  const existing = new Set(rows.map(row => row.id))
  return ids.filter(id => !existing.has(id))
}

export const findPet = finder((db, value) =>
  db
    .selectFrom('pets')
    .select(found)
    .where('id', '=', engine.anyOf(value('ids'))),
)
/** An animal as the inventory shows it. */
export const findItem = finder((db, value) =>
  db
    .selectFrom('pets')
    .select(['id', 'status', 'stock', 'stock_version'])
    .where('id', '=', engine.anyOf(value('ids'))),
)

const changed: engine.ColumnsOf<PetPatch, Updateable<PetsTable>> = {
  name: name => ({ name, name_key: foldName(name) }),
  categoryId: category_id => ({ category_id }),
  status: status => ({ status }),
}

/** Changes the given properties of an animal and returns it, or undefined when there is none. */
export function updatePet(db: Db, id: number, changes: PetPatch, versions: engine.Versions) {
  const write = db
    .updateTable('pets')
    .set(eb => ({
      ...engine.changedColumns(changed, changes),
      ...(changes.status !== undefined && { stock_version: eb('stock_version', '+', 1) }),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .where(engine.isAccepted('version', versions))
    .returningAll()
  return engine.unlessViolated(db, 'pets_category_exists', 'unknown category', () => write.executeTakeFirst())
}

/** Removes an animal without open orders; false when there is no such animal. Its orders lose it, as a new version. */
export async function deletePet(db: Db, id: number, versions: engine.Versions): Promise<boolean> {
  const row = await db
    .with('removed', cte =>
      cte
        .deleteFrom('pets')
        .where('id', '=', id)
        .where('open_orders', '=', 0)
        .where(engine.isAccepted('version', versions))
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

/** Sets the stock of an animal, and its status by the stock rule. Returns undefined when there is no such animal. */
export function setStock(
  db: Db,
  id: number,
  stock: number,
  versions: engine.Versions,
): Promise<PetRow | undefined> {
  return db
    .updateTable('pets')
    .set(eb => {
      const none = eb.case().when('open_orders', '>', 0).then<PetStatus>('pending').else<PetStatus>('sold')
      const status = stock > 0 ? eb.val<PetStatus>('available') : none.end()
      const version = bumpIfStatusBecomes(status)
      return { stock, stock_version: eb('stock_version', '+', 1), status, version }
    })
    .where('id', '=', id)
    .where(engine.isAccepted('stock_version', versions))
    .returningAll()
    .executeTakeFirst()
}

/** The version of an animal with this new status. Its representation has no stock, so stock alone changes nothing. */
export function bumpIfStatusBecomes(status: Expression<PetStatus>) {
  return sql<number>`pets.version + (pets.status <> ${status})::int`
}
