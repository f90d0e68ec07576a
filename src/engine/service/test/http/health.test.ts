import { sql } from 'kysely'
import { databaseKind } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { createHealthCheck } from '../../database/health.ts'

const store = shared(() => startStore())

test('a long transaction does not keep /health from answering, and it says what others meet', async () => {
  const release = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const held = store.db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    begun.resolve()
    await release.promise
  })
  await begun.promise
  const replies = await Promise.all(Array.from({ length: 20 }, () => store.call('getHealth')))
  release.resolve()
  await held
  // The embedded database has one connection: nobody is served while a transaction has it.
  for (const reply of replies) expect(reply.status).toBe(databaseKind === 'pglite' ? 503 : 200)
  expect((await store.call('getHealth')).body).toMatchObject({
    status: 'ok',
    dependencies: [{ name: 'database', status: 'ok' }],
  })
})

test.each([
  ['a table', 'table pets rename to set_aside', 'table set_aside rename to pets'],
  ['a column', 'table pets rename column name to set_aside', 'table pets rename column set_aside to name'],
])(
  '/health tells of %s that is gone once a caller has met it, until it is back',
  async (_, remove, restore) => {
    const states = async () => [(await store.call('listPets')).status, (await store.call('getHealth')).status]
    expect(await states()).toEqual([200, 200])
    await sql`alter ${sql.raw(remove)}`.execute(store.db)
    expect(await states()).toEqual([500, 503])
    expect((await store.call('getHealth')).body).toMatchObject({
      dependencies: [{ message: expect.stringMatching(/lacks tables or columns .*restore them/) }],
    })
    await sql`alter ${sql.raw(restore)}`.execute(store.db)
    expect(await states()).toEqual([200, 200])
  },
)

test('a statement that names a table that never was leaves /health well', async () => {
  const health = createHealthCheck(store.db, store.db)
  await health.ask()
  health.failed(await sql`select * from nowhere`.execute(store.db).catch((error: unknown) => error))
  expect(await health.ask()).toEqual({ name: 'database', status: 'ok' })
})
