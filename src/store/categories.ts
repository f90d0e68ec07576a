import { type Selectable, sql, type Updateable } from 'kysely'
import * as engine from 'spec-served'
import type { CategoryPatch, NewCategory } from '../generated/schema.ts'
import { type CategoriesTable, type Db, finder } from './tables.ts'
import { foldName } from './text.ts'

export type CategoryRow = Selectable<CategoriesTable>

/** Reads up to `limit` categories that follow a category, by identifier. */
export function listCategories(db: Db, after: number | undefined, limit: number): Promise<CategoryRow[]> {
  return db
    .selectFrom('categories')
    .selectAll()
    .where('id', '>', after ?? engine.beforeAllIds)
    .orderBy('id')
    .limit(sql.lit(engine.pageSizeFor(limit)))
    .execute()
}

export const findCategory = finder((db, value) =>
  db
    .selectFrom('categories')
    .select(['id', 'name', 'description', 'version'])
    .where('id', '=', engine.anyOf(value('ids'))),
)

/** Stores a category. Returns 'name taken' if another one has the name. */
export function insertCategory(db: Db, { name, description }: NewCategory) {
  const write = db
    .insertInto('categories')
    .values({ name, name_key: foldName(name), description: description ?? null })
    .returningAll()
  return engine.unlessViolated(db, 'categories_name_unique', 'name taken', () =>
    write.executeTakeFirstOrThrow(),
  )
}

const changed: engine.ColumnsOf<CategoryPatch, Updateable<CategoriesTable>> = {
  name: name => ({ name, name_key: foldName(name) }),
  description: description => ({ description }),
}

/** Changes the given properties of a category and returns it, or undefined when there is none. */
export function updateCategory(db: Db, id: number, changes: CategoryPatch, versions: engine.Versions) {
  const write = db
    .updateTable('categories')
    .set(eb => ({ ...engine.changedColumns(changed, changes), version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where(engine.isAccepted('version', versions))
    .returningAll()
  return engine.unlessViolated(db, 'categories_name_unique', 'name taken', () => write.executeTakeFirst())
}

/** Removes a category that no animal belongs to. */
export function deleteCategory(db: Db, id: number, versions: engine.Versions) {
  const write = db
    .deleteFrom('categories')
    .where('id', '=', id)
    .where(engine.isAccepted('version', versions))
    .returning('id')
  return engine.unlessViolated(db, 'pets_category_exists', 'in use', () => write.executeTakeFirst())
}
