import { expect, test } from 'vitest'
import { changeApiKey } from '../../src/engine/storage/api-keys.ts'
import type { Handlers } from '../../src/handlers/handler.ts'
import type { Trx } from '../support/tables.ts'

type ContextOf<Id extends keyof Handlers> = Parameters<Handlers[Id]>[1]

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
