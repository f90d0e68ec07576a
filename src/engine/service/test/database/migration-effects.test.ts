import { type Kysely, sql } from 'kysely'
import { service } from 'spec-served-lab/support/petstore'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Migrations } from '../../database/migration.ts'
import { effectsOf } from '../../migration-plan/effects.ts'

const { migrations } = service
const alone = { isOutsideTransaction: true }

/** Steps that callers would notice, with the expected words. Each step finds the tables that it needs. */
const noticed = {
  'an index that blocks writes': [
    ['create index on pets (name)'],
    /reads pets .* writes of pets .*concurrently/,
  ],
  'the same, alone': [['create index on pets (name)'], /reads pets .*concurrently/, alone],
  'a column that is computed for each row': [
    ['alter table pets add column drawn float default random()'],
    /rewrites pets, and blocks all use of pets/,
  ],
  'a check of all rows': [['alter table pets add check (stock < 1e6)'], /reads pets .*not valid/],
  'a reference that is checked at once': [
    ['alter table orders add foreign key (pet_id) references pets (id)'],
    /reads orders .* writes of .*not valid/,
  ],
  'a rule that all rows differ': [
    ['alter table orders add unique (id, pet_id)'],
    /reads orders .*using index/,
  ],
  'a column that must be filled': [
    [
      'alter table deprecated_calls alter column calls drop not null',
      'alter table deprecated_calls alter column calls set not null',
    ],
    /reads deprecated_calls .*not null/,
  ],
  'every row at once': [['update pets set stock = stock'], /change every row of pets/],
  'every row at once, alone': [['update pets set stock = stock'], /change every row of pets/, alone],
  'an instant’s lock that is kept while rows are read': [
    ['alter table pets add column last_seen date', 'select count(*) from pets'],
    /reads pets from end to end while all use of pets/,
  ],
  'a column that the release before does not fill': [
    ['alter table pets add column shop bigint not null'],
    /pets\.shop must be filled/,
  ],
  'another type': [
    ['alter table orders alter column quantity type numeric'],
    /orders\.quantity has another type/,
  ],
  'a column with another name': [
    ['alter table orders rename column quantity to amount'],
    /orders\.quantity is gone or has another name.*`unused`/,
  ],
  'a table that goes': [['drop table deprecated_calls'], /deprecated_calls is gone/],
  'what goes, by the word of nobody in particular': [
    ['alter table categories drop column description'],
    /still uses categories\.description .*`needs`/,
    { unused: ['categories.description'] },
  ],
  'what asks for a step that is not there': [['select 1'], /no migration before it/, { needs: '9999-later' }],
} satisfies Record<string, [string[], RegExp, object?]>

/** Steps to take while callers are served. */
const unnoticed = {
  'a new table with its index': [
    ['create table shops (id bigint primary key, name text)', 'create index on shops (name)'],
  ],
  'a new column': [['alter table pets add column born date']],
  'a new column with a constant': [["alter table pets add column size text not null default 'small'"]],
  'an index that is made beside': [
    ['create index concurrently if not exists pets_name on pets (name)'],
    alone,
  ],
  'a check that counts from now on': [['alter table pets add constraint few check (stock < 1e6) not valid']],
  'a check of all rows that counted before': [['alter table pets validate constraint few']],
  'rows in parts': [['update pets set stock = stock where id between 1 and 5000'], alone],
  'what nobody uses any more': [
    ['alter table pets drop column open_orders'],
    { unused: ['pets.open_orders'], needs: '0006-plans-of-the-document' },
  ],
} satisfies Record<string, [string[], object?]>

/** The messages about each migration, by its name. */
const messages = new Map<string, readonly string[]>()
beforeAll(async () => {
  const cases: Record<string, [string[], object]> = {}
  for (const [name, [statements, , more = {}]] of Object.entries<[string[], RegExp, object?]>(noticed))
    cases[name] = [statements, more]
  for (const [name, [statements, more = {}]] of Object.entries<[string[], object?]>(unnoticed))
    cases[name] = [statements, more]
  const steps: Migrations = { ...migrations }
  for (const [index, [statements, more]] of Object.values(cases).entries())
    steps[`${9000 + index}-new`] = {
      async up(db: Kysely<unknown>) {
        for (const statement of statements) await sql.raw(statement).execute(db)
      },
      ...more,
    }
  const effects = await effectsOf(Object.keys(migrations), steps)
  for (const [index, name] of Object.keys(cases).entries())
    messages.set(name, effects[index]?.faults ?? ['no step'])
})

describe('a step that callers would notice is named with what to do', () => {
  test.each(Object.entries(noticed))('%s', (name, [, fault]) => {
    expect(messages.get(name)?.join('\n')).toMatch(fault)
  })
})

describe('a step that callers do not notice has no fault', () => {
  test.each(Object.keys(unnoticed))('%s', name => {
    expect(messages.get(name)).toEqual([])
  })
})
