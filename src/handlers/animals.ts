import { etagOf, inOneStatement, refusal } from 'spec-served'
import type { Pet } from '../generated/schema.ts'
import { listPets as readPets } from '../store/pet-pages.ts'
import * as store from '../store/pets.ts'
import type { Handler } from './handler.ts'
import { preconditionFailed } from './refusals.ts'

function toPet(row: store.ShownPet): Pet {
  const pet: Pet = { id: row.id, name: row.name, categoryId: row.category_id, status: row.status }
  return pet
}

const noPet = (id: number) => refusal('not_found', `There is no animal ${id}.`)
const noCategory = (id: number | undefined) =>
  refusal('category_not_found', `There is no category ${id}.`, [
    { path: '/categoryId', message: 'names no category' },
  ])

export const listPets: Handler<'listPets', 'page'> = async ({ query }, { db, page }) => {
  const byName = query.sort.endsWith('name')
  const order = { by: byName ? 'name' : 'id', descending: query.sort.startsWith('-') } as const
  const after = byName ? page.after(['string', 'number']) : page.after(['number'])
  const found = await readPets(db, { ...query, order, after, limit: query.limit + 1 })
  const keys = (row: (typeof found.rows)[number]) => (byName ? [row.name_key, row.id] : [row.id])
  const { rows, headers } = page.cut(found.rows, keys, found.end)
  return { status: 200, headers, body: rows.map(toPet) }
}

export const createPet: Handler<'createPet'> = inOneStatement(async ({ body }, { db }) => {
  const row = await store.insertPet(db, body)
  if (row === 'unknown category') return noCategory(body.categoryId)
  return {
    status: 201,
    headers: { Location: `/pets/${row.id}`, ETag: etagOf(row.version) },
    body: toPet(row),
  }
})

export const createPets: Handler<'createPets'> = inOneStatement(async ({ body }, { db }) => {
  const rows = await store.insertPets(db, body)
  if (rows !== 'unknown category') return { status: 201, body: rows.map(toPet) }
  const missing = await store.findMissingCategories(
    db,
    body.map(pet => pet.categoryId),
  )
  const details = body.flatMap((pet, index) =>
    missing.includes(pet.categoryId) ? [{ path: `/${index}/categoryId`, message: 'names no category' }] : [],
  )
  const which = `There is no category ${[...new Set(missing)].join(', ')}`
  return refusal('category_not_found', `${which}; nothing was added.`, details)
})

export const getPet: Handler<'getPet'> = async ({ path }, { db }) => {
  const row = await store.findPet(db, path.petId)
  return row ? { status: 200, headers: { ETag: etagOf(row.version) }, body: toPet(row) } : noPet(path.petId)
}

/** Both ways to change an animal. A replacement's omitted properties are null here, and null removes a value. */
const changePet: Handler<'replacePet'> & Handler<'updatePet'> = async ({ path, body, ifMatch }, { db }) => {
  const row = await store.updatePet(db, path.petId, body, ifMatch)
  if (row === 'unknown category') return noCategory(body.categoryId)
  if (row) return { status: 200, headers: { ETag: etagOf(row.version) }, body: toPet(row) }
  return (await store.findPet(db, path.petId)) ? preconditionFailed() : noPet(path.petId)
}

export const replacePet: Handler<'replacePet'> = changePet
export const updatePet: Handler<'updatePet'> = changePet

export const deletePet: Handler<'deletePet'> = async ({ path, ifMatch }, { db }) => {
  if (await store.deletePet(db, path.petId, ifMatch)) return { status: 204 }
  const pet = await store.findPet(db, path.petId)
  if (!pet) return noPet(path.petId)
  if (ifMatch && !ifMatch.includes(pet.version)) return preconditionFailed()
  return refusal('pet_in_use', `An open order holds animal ${path.petId}.`)
}
