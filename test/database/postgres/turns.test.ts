import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { openDatabase } from '../../../src/database/connect.ts'
import { migrateToLatest } from '../../../src/database/migrate.ts'
import { freshDatabase } from '../../support/database.ts'

test('who waits for its turn to migrate holds no transaction meanwhile, for which an index would wait', async () => {
  const database = await freshDatabase()
  const other = await openDatabase(database.config)
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const up = () => {
    begun.resolve()
    return held.promise
  }
  const slow = { up, down: async () => {}, isOutsideTransaction: true }
  const first = migrateToLatest(database.db, { ...migrations, '9999-slow': slow })
  await begun.promise
  const second = migrateToLatest(other.db, { ...migrations, '9999-slow': slow })
  const oldest = async () => {
    const { rows } = await sql<{ begun: string }>`
      select backend_start::text || xact_start::text as begun from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`.execute(
      database.db,
    )
    return rows.map(row => row.begun)
  }
  await setTimeout(300)
  const before = await oldest()
  await setTimeout(300)
  const after = await oldest()
  held.resolve()
  expect(after.filter(one => before.includes(one))).toHaveLength(1) // whose turn it is
  expect([await first, await second]).toEqual([['9999-slow'], []])
  await Promise.all([other.close(), database.close()])
})
