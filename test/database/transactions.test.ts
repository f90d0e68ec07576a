import { expect, test } from 'vitest'
import { changeApiKey } from '../../src/engine/storage/api-keys.ts'
import type { Handlers } from '../../src/handlers/handler.ts'
import type { Trx } from '../support/tables.ts'

type ContextOf<Id extends keyof Handlers> = Parameters<Handlers[Id]>[1]

test('no handler can wait for itself or begin a transaction within one: that would not compile', () => {
  const tryAll = (adds: ContextOf<'createPet'>, changes: ContextOf<'updatePet'>) => {
    // @ts-expect-error A transaction begins no other one.
    adds.db.transaction().execute(async () => {})
    // @ts-expect-error A function that begins a transaction takes none.
    changeApiKey(adds.db, 1, new Date(), () => null)
    // @ts-expect-error A transaction does not offer the database itself.
    adds.dependencies()
    // @ts-expect-error A transaction does not offer the database itself, for any query.
    adds.deprecatedCalls()
    // @ts-expect-error Other operations have no transaction.
    const trx: Trx = changes.db
    return trx
  }
  expect(tryAll).toBeTypeOf('function')
})
