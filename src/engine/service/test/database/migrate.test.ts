import { type Kysely, sql } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { insertCategory, service } from 'spec-served-lab/support/petstore'
import { describe, expect, test } from 'vitest'
import { appliedMigrations, migrateDown, migrateToLatest, migrationStatus } from '../../database/migrate.ts'
import type { Migrations } from '../../database/migration.ts'

const { migrations } = service
const steps = Object.keys(migrations)

const database = renewed(freshDatabase)

async function tables(): Promise<string[]> {
  const all = await database.db.introspection.getTables()
  return all.map(table => table.name).sort()
}

/** The whole shape of the database, as it describes itself. */
async function shape(): Promise<unknown[]> {
  const columns = await sql`
    select table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
    from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position
  `.execute(database.db)
  const indexes = await sql`
    select indexdef from pg_indexes where schemaname = 'public' order by indexname`.execute(database.db)
  const constraints = await sql`
    select conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace order by conname`.execute(database.db)
  return [columns.rows, indexes.rows, constraints.rows]
}

test('down leaves nothing behind, and up again makes the same database', async () => {
  const before = await shape()
  expect(await migrateDown(database.db, migrations, steps.length)).toEqual(steps.toReversed())
  expect(await tables()).toEqual([])
  expect((await migrationStatus(database.db, migrations)).every(step => step.takenAt === undefined)).toBe(
    true,
  )
  expect(await migrateToLatest(database.db, migrations)).toEqual(steps)
  expect(await shape()).toEqual(before)
})

test.each([
  ['0015-largest-ids', 'api_keys'],
  ['0016-largest-ids', 'pets'],
])('%s lets no sequence go on that is beyond 2^53 − 1', async (name, table) => {
  await migrateDown(database.db, migrations, steps.length - steps.indexOf(name))
  const sequence = `${table}_id_seq`
  await sql`select setval(${sequence}, 9007199254740993)::text`.execute(database.db)
  await migrateToLatest(database.db, migrations)
  await expect(sql`select nextval(${sequence})`.execute(database.db)).rejects.toMatchObject({ code: '2200H' })
})

test('down past the first migration stops there', async () => {
  await migrateDown(database.db, migrations, steps.length + 2)
  expect(await tables()).toEqual([])
})

test('a table with the name of one of the service is refused with a remedy, whichever comes first', async () => {
  const mine: Migrations[string] = {
    up: async db => void (await sql`create table api_keys (id integer)`.execute(db)),
    down: async () => {},
  }
  await expect(migrateToLatest(database.db, { ...migrations, '0099-mine': mine })).rejects.toThrow(
    /^The migration 0099-mine makes a table .*"api_keys".*: give yours another name\. The service has tables/,
  )
  await migrateDown(database.db, migrations, steps.length)
  await mine.up?.(database.db)
  await expect(migrateToLatest(database.db, migrations)).rejects.toThrow(
    /^The service's own migration 0002-api-keys can't make its table .*"api_keys".*: rename yours/,
  )
})

test('a migration with a wrong statement is named, with what the database says of it', async () => {
  const mine: Migrations[string] = { up: async db => void (await sql`create tabel mine ()`.execute(db)) }
  await expect(migrateToLatest(database.db, { ...migrations, '0099-mine': mine })).rejects.toThrow(
    /^The migration 0099-mine has a wrong statement: .*"tabel".*Correct it there\.$/,
  )
})

test('a database that is up to date stays as it is', async () => {
  expect(await migrateToLatest(database.db, migrations)).toEqual([])
  const status = await migrationStatus(database.db, migrations)
  expect(status.map(step => step.name)).toEqual(steps)
  expect(status.every(step => step.takenAt instanceof Date)).toBe(true)
})

test('when several servers migrate an empty database at once, one runs each migration, and all end well', async () => {
  await migrateDown(database.db, migrations, steps.length)
  await sql`drop table kysely_migration, kysely_migration_lock`.execute(database.db)
  const taken = await Promise.all([1, 2, 3, 4].map(() => migrateToLatest(database.db, migrations)))
  expect(taken.flat().sort()).toEqual(steps.toSorted())
  expect((await migrationStatus(database.db, migrations)).map(step => step.name)).toEqual(steps)
})

test('migrations by machines whose clocks differ keep their order', async () => {
  await migrateDown(database.db, migrations, 2)
  await sql`update kysely_migration set timestamp = '2100-01-01T00:00:00.000Z'`.execute(database.db)
  expect(await migrateToLatest(database.db, migrations)).toEqual(steps.slice(-2))
  expect(await migrateDown(database.db, migrations, 2)).toEqual(steps.slice(-2).toReversed())
})

describe('a database that was migrated in the order of the numbers, as the releases before did', () => {
  const numbered = steps.toSorted()
  /** Leaves the database with these migrations alone. */
  async function startFrom(names: readonly string[]): Promise<void> {
    await migrateDown(database.db, migrations, steps.length)
    const some = Object.entries(migrations).filter(([name]) => names.includes(name))
    some.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b))
    await migrateToLatest(database.db, Object.fromEntries(some))
    expect(await appliedMigrations(database.db)).toEqual(names)
  }

  test('a database migrated in the order of the numbers stays as it is, and goes back from its last migration', async () => {
    const before = await shape()
    await startFrom(numbered)
    expect(await shape()).toEqual(before)
    expect(await migrateToLatest(database.db, migrations)).toEqual([])
    expect((await migrationStatus(database.db, migrations)).every(step => step.takenAt instanceof Date)).toBe(
      true,
    )
    expect(await migrateDown(database.db, migrations, 2)).toEqual(numbered.slice(-2).toReversed())
    expect(await migrateToLatest(database.db, migrations)).toEqual(
      steps.filter(name => numbered.slice(-2).includes(name)),
    )
    expect(await shape()).toEqual(before)
  })

  test('a database with the first five migrations alone gets the rest, and keeps what it stores', async () => {
    const before = await shape()
    const first = numbered.slice(0, numbered.indexOf('0005-names-and-pages') + 1)
    await startFrom(first)
    await insertCategory(database.db, { name: 'Dogs' })
    expect(await migrateToLatest(database.db, migrations)).toEqual(
      steps.filter(name => !first.includes(name)),
    )
    expect(await shape()).toEqual(before)
    const rows = await database.db.selectFrom('categories').select('name').execute()
    expect(rows).toEqual([{ name: 'Dogs' }])
  })
})

describe('a program on a database that a newer one has migrated', () => {
  const column = {
    up: (db: Kysely<unknown>) => sql`alter table pets add column born date`.execute(db).then(() => {}),
  }
  const lessColumn = {
    up: (db: Kysely<unknown>) => sql`alter table pets drop column born`.execute(db).then(() => {}),
    isOutsideTransaction: true,
    needs: '9000-column',
  }
  const newer: Migrations = { ...migrations, '9000-column': column }
  const newest: Migrations = { ...newer, '9001-less': lessColumn }

  test('a program starts on a newer database that has only additions, and leaves all as it is', async () => {
    expect(await migrateToLatest(database.db, newer)).toEqual(['9000-column'])
    const before = await shape()
    expect(await migrateToLatest(database.db, migrations)).toEqual([])
    expect(await shape()).toEqual(before)
  })

  test('a program is refused on a newer database that lacks something it uses', async () => {
    await migrateToLatest(database.db, newest)
    await expect(migrateToLatest(database.db, migrations)).rejects.toThrow(
      /newer than this program.*9001-less/,
    )
    expect(await migrateToLatest(database.db, newer)).toEqual([])
  })

  test('a program takes no migration of a newer database back', async () => {
    await migrateToLatest(database.db, newer)
    await expect(migrateDown(database.db, migrations)).rejects.toThrow(/newer than this program.*9000-column/)
  })

  test('a program is refused on a newer database if it has a migration of its own to run', async () => {
    await migrateToLatest(database.db, newer)
    const other: Migrations = { ...migrations, '9000-other': column }
    await expect(migrateToLatest(database.db, other)).rejects.toThrow(/newer than this program.*9000-column/)
  })
})

test('a newer database that says nothing of older programs is refused by name, and left as it is', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00Z')`.execute(
    database.db,
  )
  const before = await shape()
  await expect(migrateToLatest(database.db, migrations)).rejects.toThrow(
    /newer than this program.*9999-later/,
  )
  await expect(migrateDown(database.db, migrations)).rejects.toThrow(/newer than this program.*9999-later/)
  expect(await shape()).toEqual(before)
})

test('the time limit of statements is back after migrating', async () => {
  const limit = async () => (await sql`show statement_timeout`.execute(database.db)).rows
  const before = await limit()
  await migrateToLatest(database.db, migrations)
  expect(await limit()).toEqual(before)
})
