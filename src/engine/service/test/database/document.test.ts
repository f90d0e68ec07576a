import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { databaseFaults } from 'spec-served-cli/internal/check/database'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { modelFrom } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Db } from '../../database/tables.ts'

const document = parse(await readFile('spec/openapi.yaml', 'utf8'))

const database = shared(freshDatabase)

/** Takes a change of the database back. */
class Undone extends Error {}

/** The faults of a document and a database that have been changed, or of those that belong together. */
async function faults(
  changeDocument: (changed: typeof document) => void,
  statement?: string,
): Promise<string[]> {
  const changed = structuredClone(document)
  changeDocument(changed)
  const model = await modelFrom(changed)
  let found: string[] = []
  const comparing = database.db.transaction().execute(async (trx: Db) => {
    if (statement) await sql.raw(statement).execute(trx)
    found = await databaseFaults(trx, model, service.shownTables)
    throw new Undone()
  })
  await expect(comparing).rejects.toThrow(Undone)
  return found
}

test('the migrated database agrees with the document', async () => {
  expect(await faults(() => {})).toEqual([])
})

test('a schema of the name ApiKey is taken for the engine’s table only if the project says so', async () => {
  const changed = structuredClone(document)
  changed.components.schemas.ApiKey.properties = { keyPrefix: { type: 'string' } }
  const { api_keys: _, ...tables } = service.shownTables
  expect(await databaseFaults(database.db, await modelFrom(changed), tables)).toEqual([])
  const differences = await databaseFaults(database.db, await modelFrom(changed), service.shownTables)
  expect(differences.join()).toContain('api_keys.key_prefix')
})

test.each([
  [
    'a longer name',
    (d: typeof document) => (d.components.schemas.Pet.properties.name.maxLength = 120),
    'maxLength is 120',
  ],
  [
    'another status',
    (d: typeof document) => d.components.schemas.PetStatus.enum.push('lost'),
    'the values are available,pending,sold,lost',
  ],
  [
    'a larger order',
    (d: typeof document) => (d.components.schemas.Order.properties.quantity.maximum = 2e6),
    'maximum is 2000000',
  ],
  [
    'a required ship date',
    (d: typeof document) => (d.components.schemas.Order.required = ['shipDate']),
    'may be null',
  ],
  [
    'a text where a number is kept',
    (d: typeof document) => (d.components.schemas.InventoryItem.properties.quantity = { type: 'string' }),
    'is stored as bigint',
  ],
  [
    'another least stock',
    (d: typeof document) => (d.components.schemas.InventoryItem.properties.quantity.minimum = 1),
    'minimum is 1 in the document and 0 in the database',
  ],
  [
    'a field without a column',
    (d: typeof document) => (d.components.schemas.Pet.properties.nickname = { type: 'string' }),
    'no such column',
  ],
])('%s in the document alone is found', async (_, change, fault) => {
  expect((await faults(change)).join('\n')).toContain(fault)
})

test.each([
  [
    'alter table categories drop constraint categories_description_length',
    'maxLength is 500 in the document and open',
  ],
  ['alter table pets alter status drop not null, drop constraint pets_status_known', 'any in the database'],
  [
    'alter table orders drop constraint orders_quantity_range, alter quantity type text using quantity::text',
    'is stored as text',
  ],
  ['alter table api_keys alter created_at drop not null', 'may be null'],
  ['create table visits (id bigint)', 'visits: no schema shows the table'],
  [
    'alter table pets alter column id set no maxvalue',
    'alter table pets alter column id set maxvalue 9007199254740991',
  ],
  [
    `alter table api_keys add check (plan in ('Free', 'Gold'))`,
    'the values are any in the document and Free,Gold in the database',
  ],
  ['alter table orders add note text', 'orders.note: no property shows the column'],
  ['alter table pets drop stock_version cascade', 'pets.stock_version: there is no such column'],
])('a change of the database alone is found: %s', async (statement, fault) => {
  const found = await faults(() => {}, statement)
  expect(found.join('\n')).toContain(fault)
})

test.each<[string, object, string]>([
  ['a union', { oneOf: [{ type: 'string' }, { type: 'object' }] }, 'jsonb'],
  ['a tuple', { type: 'array', items: {} }, 'jsonb'],
  ['a list', { type: 'array', items: { type: 'string' } }, 'text[]'],
  ['a free-form object', { type: 'object' }, 'jsonb'],
  [
    'a number',
    { type: 'number', minimum: -0.5, maximum: 2 },
    'double precision check (worth between -0.5 and 2)',
  ],
  ['an integer', { type: 'integer', minimum: -5, maximum: 5 }, 'integer check (worth between -5 and 5)'],
])('%s has a column that the check takes', async (_, schema, column) => {
  const add = (changed: typeof document) => (changed.components.schemas.Pet.properties.worth = schema)
  expect(await faults(add, `alter table pets add worth ${column}`)).toEqual([])
  expect((await faults(add, 'alter table pets add worth xml')).join()).toContain('pets.worth and Pet.worth')
})

test('each fault names the files and the lines to write', async () => {
  const found = await faults(changed => {
    const { properties } = changed.components.schemas.Pet
    properties.nickname = { type: 'string', minLength: 1, maxLength: 50 }
    properties.name.maxLength = 120
  })
  const [name, nickname] = ['name', 'nickname'].map(field =>
    found.find(fault => fault.includes(`Pet.${field}:`)),
  )
  expect(name).toContain(
    'Write a migration: alter table pets add constraint pets_name_fits check (char_length(name) between 1 and 120) not valid',
  )
  expect(nickname).toContain(
    'alter table pets add column nickname text; alter table pets add constraint pets_nickname_fits check (char_length(nickname) between 1 and 50) not valid',
  )
  expect(nickname).toContain('Write into src/store/tables.ts: nickname: string | null')
})

test.each([
  [false, 'views: number | null'],
  [true, 'views: ColumnType<string, bigint, bigint> | null'],
])('the line of a column of int64 has the type of its rows, as bigints: %s', async (hasBigints, line) => {
  const changed = structuredClone(document)
  changed.components.schemas.Pet.properties.views = { type: 'integer', format: 'int64' }
  const model = { ...(await modelFrom(changed)), hasBigints }
  const found = await databaseFaults(database.db, model, service.shownTables)
  expect(found.find(fault => fault.includes('Pet.views:'))).toContain(
    `Write into src/store/tables.ts: ${line}`,
  )
})
