import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseKind } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { startStore } from '../support/store.ts'

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
  const start = performance.now()
  const replies = await Promise.all(Array.from({ length: 20 }, () => store.call('getHealth')))
  const took = performance.now() - start
  release.resolve()
  await held
  expect(took).toBeLessThan(15_000)
  // The embedded database has one connection: nobody is served while a transaction has it.
  for (const reply of replies) expect(reply.status).toBe(databaseKind === 'pglite' ? 503 : 200)
  expect((await store.call('getHealth')).body).toMatchObject({
    status: 'ok',
    dependencies: [{ name: 'database', status: 'ok' }],
  })
})
