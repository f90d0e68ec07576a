import { type Selectable, sql, type Updateable } from 'kysely'
import {
  anyOf,
  beforeAllIds,
  type ColumnsOf,
  changedColumns,
  isAccepted,
  pageSizeFor,
  unlessViolated,
  type Versions,
} from '../engine/index.ts'
import type { CategoryPatch, NewCategory } from '../generated/schema.ts'
import { type CategoriesTable, type Db, finder } from './tables.ts'
import { foldName } from './text.ts'

export type CategoryRow = Selectable<CategoriesTable>

/** Reads up to `limit` categories that follow the one given, by identifier. */
export function listCategories(db: Db, after: number | undefined, limit: number): Promise<CategoryRow[]> {
  return db
    .selectFrom('categories')
    .selectAll()
    .where('id', '>', after ?? beforeAllIds)
    .orderBy('id')
    .limit(sql.lit(pageSizeFor(limit)))
    .execute()
}

export const findCategory = finder((db, value) =>
  db
    .selectFrom('categories')
    .select(['id', 'name', 'description', 'version'])
    .where('id', '=', anyOf(value('ids'))),
)

export function insertCategory(
  db: Db,
  { name, description }: NewCategory,
): Promise<CategoryRow | 'name taken'> {
  const write = db
    .insertInto('categories')
    .values({ name, name_key: foldName(name), description: description ?? null })
    .returningAll()
  return unlessViolated(db, 'categories_name_unique', 'name taken', () => write.executeTakeFirstOrThrow())
}

/** How what changes of a category is stored. */
const changed: ColumnsOf<CategoryPatch, Updateable<CategoriesTable>> = {
  name: name => ({ name, name_key: foldName(name) }),
  description: description => ({ description }),
}

/** Changes what is given of a category and returns it, or undefined when there is none. */
export function updateCategory(
  db: Db,
  id: number,
  changes: CategoryPatch,
  versions: Versions,
): Promise<CategoryRow | undefined | 'name taken'> {
  const write = db
    .updateTable('categories')
    .set(eb => ({ ...changedColumns(changed, changes), version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where(isAccepted('version', versions))
    .returningAll()
  return unlessViolated(db, 'categories_name_unique', 'name taken', () => write.executeTakeFirst())
}

/** Removes a category to which no animal belongs. */
export function deleteCategory(
  db: Db,
  id: number,
  versions: Versions,
): Promise<{ id: number } | undefined | 'in use'> {
  const write = db
    .deleteFrom('categories')
    .where('id', '=', id)
    .where(isAccepted('version', versions))
    .returning('id')
  return unlessViolated(db, 'pets_category_exists', 'in use', () => write.executeTakeFirst())
}
