import { describe, expect, test } from 'vitest'
import type { Trx } from '../../src/database/tables.ts'
import { createIdempotency, ErrorReply, type Repeatable } from '../../src/engine/replies/idempotency.ts'
import type { AnyReply } from '../../src/engine/routes/binding.ts'
import { operations } from '../../src/generated/operations.ts'
import type { ContextOf } from '../../src/handlers/handler.ts'
import { changeApiKey } from '../../src/store/api-keys.ts'
import { findCategory, insertCategory } from '../../src/store/categories.ts'
import { replyStore } from '../../src/store/idempotency.ts'
import { findMissingCategories, insertPets } from '../../src/store/pets.ts'
import { shared } from '../support/fixtures.ts'
import { addPets, startStore } from '../support/store.ts'

const store = shared(() => startStore())

const repeatable = (): Repeatable => ({
  scope: 'test',
  key: crypto.randomUUID(),
  payload: 'payload',
  secret: 'secret',
})

type Run = (trx: Trx) => Promise<AnyReply>
const replies = () => replyStore(store.db, {})
const once = (run: Run) => createIdempotency(replies(), store.db, () => new Date())(repeatable(), run)

describe.each([
  ['without an Idempotency-Key', (run: Run) => replies().transaction(run)],
  ['with an Idempotency-Key', once],
])('an operation that may be repeated, %s', (_, start) => {
  test('reads and writes on after a name was taken', async () => {
    const [taken, free] = [`Kind ${crypto.randomUUID()}`, `Kind ${crypto.randomUUID()}`]
    await insertCategory(store.db, { name: taken })
    const reply = await start(async db => {
      expect(await insertCategory(db, { name: taken })).toBe('name taken')
      const row = await insertCategory(db, { name: free })
      if (row === 'name taken') throw new Error('The name is free')
      return { status: 201, body: await findCategory(db, row.id) }
    })
    expect(reply).toMatchObject({ status: 201, body: { name: free } })
    const stored = await store.db.selectFrom('categories').select('id').where('name', '=', free).execute()
    expect(stored).toHaveLength(1)
  })

  test('finds out which category is missing after it was refused', async () => {
    const { categoryId } = await addPets(store.call)
    await store.call('deleteCategory', { path: { categoryId } })
    const reply = await start(async db => {
      expect(await insertPets(db, [{ name: 'Rex', categoryId }])).toBe('unknown category')
      return { status: 200, body: await findMissingCategories(db, [categoryId]) }
    })
    expect(reply.body).toEqual([categoryId])
  })

  test('takes everything back with a refusal, and nothing without', async () => {
    for (const status of [409, 201]) {
      const name = `Kind ${crypto.randomUUID()}`
      const started = start(async db => {
        await insertCategory(db, { name })
        if (status === 409) throw new ErrorReply({ status })
        return { status }
      })
      if (status === 201) expect(await started).toEqual({ status })
      else await expect(started).rejects.toMatchObject({ reply: { status } })
      const stored = await store.db.selectFrom('categories').select('id').where('name', '=', name).execute()
      expect(stored).toHaveLength(status === 201 ? 1 : 0)
    }
  })

  test('takes everything back with a failure', async () => {
    const name = `Kind ${crypto.randomUUID()}`
    const failing = start(async db => {
      await insertCategory(db, { name })
      throw new Error('broken')
    })
    await expect(failing).rejects.toThrow('broken')
    const stored = await store.db.selectFrom('categories').select('id').where('name', '=', name).execute()
    expect(stored).toEqual([])
  })
})

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
