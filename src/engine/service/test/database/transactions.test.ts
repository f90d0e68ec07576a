import { type QueryExecutorProvider, sql } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import type { Handlers } from 'spec-served-lab/support/petstore'
import type { Trx } from 'spec-served-lab/support/tables'
import { expect, test } from 'vitest'

const database = shared(freshDatabase)
const add = (db: QueryExecutorProvider, name: string) =>
  sql`insert into categories (name, name_key) values (${name}, ${name})`.execute(db)
const names = async () =>
  (await database.db.selectFrom('categories').select('name').orderBy('id').execute()).map(({ name }) => name)

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

test('a savepoint undoes what came after it, and no more', async () => {
  const trx = await database.db.startTransaction().execute()
  await add(trx, 'Before')
  const after = await trx.savepoint('a "point"').execute()
  await add(after, 'Undone')
  const again = await after.rollbackToSavepoint('a "point"').execute()
  const kept = await again.savepoint('kept').execute()
  await add(kept, 'After')
  await kept.releaseSavepoint('kept').execute()
  await trx.commit().execute()
  expect(await names()).toEqual(['Before', 'After'])
})

test('a transaction in which a statement has failed is not reported as committed, whoever caught the failure', async () => {
  const before = await names()
  const committed = database.db.transaction().execute(async trx => {
    await add(trx, 'Lost')
    await sql`select 1 / 0`.execute(trx).catch(() => {})
  })
  await expect(committed).rejects.toThrow(/rolled back/)
  expect(await names()).toEqual(before)
})

test('a transaction that only reads has one state of the database, and may not write', async () => {
  const reading = database.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const { rows } = await reading.execute(trx =>
    sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(trx),
  )
  expect(rows).toEqual([{ level: 'repeatable read' }])
  await expect(reading.execute(trx => add(trx, 'Refused'))).rejects.toMatchObject({ code: '25006' })
})
