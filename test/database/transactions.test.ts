import { expect, test } from 'vitest'
import type { Trx } from '../../src/database/tables.ts'
import { operations } from '../../src/generated/operations.ts'
import type { ContextOf } from '../../src/handlers/handler.ts'
import { changeApiKey } from '../../src/store/api-keys.ts'
import { shared } from '../support/fixtures.ts'
import { addPets, startStore } from '../support/store.ts'

const store = shared(() => startStore())

test.each([undefined, 'key-of-this-batch'])(
  'a batch names the animals whose category is gone (Idempotency-Key: %s)',
  async key => {
    const { categoryId } = await addPets(store.call)
    const gone = await addPets(store.call)
    await store.call('deleteCategory', { path: { categoryId: gone.categoryId } })
    const reply = await store.call('createPets', {
      body: [
        { name: 'A', categoryId },
        { name: 'B', categoryId: gone.categoryId },
      ],
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
    expect(reply).toMatchObject({ status: 409, body: { details: [{ path: '/1/categoryId' }] } })
    expect((await store.call('listPets', { query: { categoryId } })).body).toEqual([])
  },
)

test('the operations that take an Idempotency-Key may be repeated, and no others', () => {
  const ids = Object.entries(operations).flatMap(([id, facts]) => (facts.repeatable ? [id] : []))
  const posts = Object.entries(operations).flatMap(([id, { method }]) => (method === 'POST' ? [id] : []))
  expect(ids).toEqual(posts)
})

test('no handler can wait for itself or begin a transaction within one: that would not compile', () => {
  const tryAll = (adds: ContextOf<'createPet'>, changes: ContextOf<'updatePet'>) => {
    // @ts-expect-error A transaction begins no other one.
    adds.db.transaction().execute(async () => {})
    // @ts-expect-error What begins a transaction takes none.
    changeApiKey(adds.db, 1, new Date(), () => null)
    // @ts-expect-error What asks the database itself is not to be had.
    adds.dependencies()
    // @ts-expect-error What asks the database itself is not to be had, whatever it asks for.
    adds.deprecatedCalls()
    // @ts-expect-error Other operations have no transaction.
    const trx: Trx = changes.db
    return trx
  }
  expect(tryAll).toBeTypeOf('function')
})
