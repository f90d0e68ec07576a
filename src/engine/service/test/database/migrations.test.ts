import { type Kysely, sql } from 'kysely'
import { databaseKind, freshDatabase } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { expect, test } from 'vitest'
import { measureReading, migrateDown, migrateToLatest } from '../../database/migrate.ts'
import type { Migration, Migrations } from '../../database/migration.ts'
import { planOf } from '../../migration-plan/plan.ts'

const { migrations } = service

/** A migration of these statements, after all that there are. */
const stepOf = (statements: string[], more: Partial<Migration> = {}): Migrations => ({
  ...migrations,
  '9000-new': {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
    async down() {},
    ...more,
  },
})
const outside = { isOutsideTransaction: true }

const database = renewed(freshDatabase)

test('the plan says what is blocked and for how long, and changes nothing', async () => {
  await sql`
    insert into categories (name, name_key) values ('c', 'c')`.execute(database.db)
  await sql`
    insert into pets (name, name_key, category_id, status)
    select 'p', 'p', (select id from categories), 'available' from generate_series(1, 2000)`.execute(
    database.db,
  )
  const applied = Object.keys(migrations)
  const [step] = await planOf(
    applied,
    await measureReading(database.db),
    stepOf(['create index on pets (name)', 'create table shops (id bigint)']),
  )
  expect(step).toMatchObject({
    step: '9000-new',
    statements: [
      { statement: 'create index on pets (name)', blocks: { pets: 'writes' }, seconds: expect.any(Number) },
    ],
    faults: [expect.stringContaining('concurrently')],
  })
  expect(step?.statements[0]?.seconds).toBeGreaterThan(0)
  expect(await planOf(applied, {}, migrations)).toEqual([])
})

test('a migration outside a transaction is run and noted by one of several servers', async () => {
  const steps = stepOf(['create index concurrently if not exists pets_name on pets (name)'], outside)
  const taken = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db, steps)))
  expect(taken.flat()).toEqual(['9000-new'])
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = 'pets_name'::regclass`.execute(database.db)
  expect(rows).toEqual([{ valid: true }])
  expect(await migrateDown(database.db, steps, 1)).toEqual(['9000-new'])
})

test('a migration that fails leaves those before it, and nothing of its own', async () => {
  const steps: Migrations = {
    ...stepOf(['create table shops (id bigint)']),
    '9001-fails': {
      async up(db) {
        await sql`create table more (id bigint)`.execute(db)
        await sql`select 1 / 0`.execute(db)
      },
    },
  }
  await expect(migrateToLatest(database.db, steps)).rejects.toThrow(/division by zero/)
  const names = (await database.db.introspection.getTables()).map(({ name }) => name)
  expect(names).toContain('shops')
  expect(names).not.toContain('more')
})

if (databaseKind === 'postgres')
  test('a migration that waits for a table lets others use it meanwhile, and runs in the end', async () => {
    const long = await database.db.startTransaction().execute()
    await sql`select count(*) from pets`.execute(long)
    const migrating = migrateToLatest(database.db, stepOf(['alter table pets add column last_seen date']))
    // It waits for a second, and gives way for one. Reads behind one that waits on would wait for the end of the transaction.
    for (let i = 0; i < 30; i++) {
      await database.db.selectFrom('pets').select('id').limit(1).execute()
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    await long.rollback().execute()
    expect(await migrating).toEqual(['9000-new'])
  })
