import { etagOf, inOneStatement, refusal } from 'spec-served'
import type { Category } from '../generated/schema.ts'
import * as store from '../store/categories.ts'
import type { Db } from '../store/tables.ts'
import type { Handler } from './handler.ts'
import { preconditionFailed } from './refusals.ts'

function toCategory(row: Pick<store.CategoryRow, 'id' | 'name' | 'description'>): Category {
  const category: Category = { id: row.id, name: row.name }
  if (row.description !== null) category.description = row.description
  return category
}

const noCategory = (id: number) => refusal('not_found', `There is no category ${id}.`)
const nameTaken = (name: string | undefined) =>
  refusal('category_name_taken', `There is a category named ${name} already.`, [
    { path: '/name', message: 'is taken' },
  ])

export const listCategories: Handler<'listCategories', 'page'> = async ({ query }, { db, page }) => {
  const [after] = page.after(['number']) ?? []
  const found = await store.listCategories(db, after, query.limit + 1)
  const { rows, headers } = page.cut(found, row => [row.id])
  return { status: 200, headers, body: rows.map(toCategory) }
}

export const createCategory: Handler<'createCategory'> = inOneStatement(async ({ body }, { db }) => {
  const row = await store.insertCategory(db, body)
  if (row === 'name taken') return nameTaken(body.name)
  return {
    status: 201,
    headers: { Location: `/categories/${row.id}`, ETag: etagOf(row.version) },
    body: toCategory(row),
  }
})

export const getCategory: Handler<'getCategory'> = async ({ path }, { db }) => {
  const row = await store.findCategory(db, path.categoryId)
  return row
    ? { status: 200, headers: { ETag: etagOf(row.version) }, body: toCategory(row) }
    : noCategory(path.categoryId)
}

/** Both ways to change a category. A replacement's omitted properties are null here, and null removes a value. */
const changeCategory: Handler<'replaceCategory'> & Handler<'updateCategory'> = async (
  { path, body, ifMatch },
  { db },
) => {
  const row = await store.updateCategory(db, path.categoryId, body, ifMatch)
  if (row === 'name taken') return nameTaken(body.name)
  if (row) return { status: 200, headers: { ETag: etagOf(row.version) }, body: toCategory(row) }
  return missing(db, path.categoryId)
}

export const replaceCategory: Handler<'replaceCategory'> = changeCategory
export const updateCategory: Handler<'updateCategory'> = changeCategory

export const deleteCategory: Handler<'deleteCategory'> = async ({ path, ifMatch }, { db }) => {
  const row = await store.deleteCategory(db, path.categoryId, ifMatch)
  if (row === 'in use') return refusal('category_in_use', `Animals belong to category ${path.categoryId}.`)
  return row ? { status: 204 } : missing(db, path.categoryId)
}

/** Returns why nothing changed: the category has another version, or does not exist. */
async function missing(db: Db, id: number) {
  return (await store.findCategory(db, id)) ? preconditionFailed() : noCategory(id)
}
