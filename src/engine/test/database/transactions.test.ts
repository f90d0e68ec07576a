import { expect, test } from 'vitest'
import type { Handlers } from '../support/petstore.ts'
import type { Trx } from '../support/tables.ts'

type ContextOf<Id extends keyof Handlers> = Parameters<Handlers[Id]>[1]

test('no handler can wait for itself or begin a transaction within one: that would not compile', () => {
  const tryAll = (adds: ContextOf<'createPet'>, changes: ContextOf<'updatePet'>) => {
    // @ts-expect-error because a transaction can't begin another one
    adds.db.transaction().execute(async () => {})
    // @ts-expect-error because a query outside of the transaction would wait for it
    adds.dependencies()
    // @ts-expect-error because a query outside of the transaction would wait for it, here too
    adds.deprecatedCalls()
    // @ts-expect-error because this operation begins transactions itself, so it is given none
    const trx: Trx = changes.db
    return trx
  }
  expect(tryAll).toBeTypeOf('function')
})
