import { describe, expect, test } from 'vitest'
import { isRead, isSlow, isWrite, learnCost, learnSlow } from '../../../src/database/facts.ts'

test.each([
  'select * from "pets" where "id" = $1',
  '\n  select * from (select "id" from "pets" where ("status") = ($1) union all (select 1)) as "pets"',
  'with recursive few as materialized (select 1) select count(*) from few',
  'with "x" as (select "id" from "pets") select max("id") from "x"',
  '(select 1) union all (select 2)',
  `select 'insert into pets' as "update"`,
  'select "id" from "pets" where id = any($1::bigint[]) order by "updated_at" desc limit $2',
  'select coalesce(sum("stock"), $1) from "pets"',
])('a read: %s', text => {
  expect(isRead(text)).toBe(true)
})

test.each([
  'insert into "pets" ("name") values ($1)',
  'update "pets" set "name" = $1',
  'with "gone" as (delete from "pets" returning *) select * from "gone"',
  'select * from "pets" for update',
  'select * from "pets" for key share skip locked',
  'select * into "copy" from "pets"',
  `select nextval('pets_id_seq')`,
  'select pg_advisory_lock(1)',
  'select "pg_advisory_lock"(1)',
  'select "my own"(1)',
  'select my_function(1)',
  'select schema.count (1)'.replace('count', 'change'),
  `select set_config('a', 'b', false)`,
  `select current_setting('a')`,
  'select pid from pg_stat_activity',
  'select 1; begin',
  'begin',
  'set statement_timeout = 0',
  'explain analyze delete from "pets"',
  'select 1 -- "\ninto x',
  `select 'it''s' into "x"`,
  `select e'\\'' into "x" from "pets" where '' = ''`,
  'select $$"$$ into x',
  'vacuum',
  '',
])('not a read for sure: %s', text => {
  expect(isRead(text)).toBe(false)
})

test.each([
  'insert into "pets" ("name", "category_id") values ($1, $2) returning *',
  'insert into "replies" ("key") values ($1) on conflict ("key") do update set "reply" = $2',
  'update "pets" set "stock" = "stock" - $1, "version" = pets.version + (pets.status <> $2)::int where "id" = $3',
  'delete from "pets" where "id" = $1',
  'with "taken" as (update "pets" set "stock" = $1 returning "id") insert into "orders" ("pet_id") select "id" from "taken"',
])('a write that may travel with others: %s', text => {
  expect([isWrite(text), isRead(text)]).toEqual([true, false])
})

test.each([
  'select * from "pets"',
  'select * from "pets" for update',
  'insert into "pets" ("id") values (nextval($1))',
  `update "pets" set "name" = set_config('a', $1, false)`,
  'update "pets" set "id" = $1; commit',
  'with "x" as (select 1) select * from "x"',
  'with "x" as (select pg_advisory_lock(1)) update "pets" set "id" = 1',
  'merge into "pets" using "new" on true when matched then delete',
  'lock table "pets"',
  'savepoint a',
  'begin',
  'set statement_timeout = 0',
  '',
])('no write that may travel with others for sure: %s', text => {
  expect(isWrite(text)).toBe(false)
})

describe('what is slow', () => {
  const seen = (...milliseconds: number[]) => {
    const facts = { isRead: true, isWrite: false, cost: 0.1, slowUntil: 0 }
    for (const cost of milliseconds) learnCost(facts, cost)
    return facts
  }

  test('is found out in a few runs', () => {
    expect(isSlow(seen(30, 30, 30, 30, 30, 30, 30))).toBe(true)
    expect(isSlow(seen(2, 2, 2, 2, 2, 2, 2, 2, 2, 2))).toBe(false)
  })

  test('is not what a pause of the process fell upon', () => {
    expect(isSlow(seen(0.1, 500, 0.1, 0.1, 500, 500, 0.1, 0.1, 0.1))).toBe(false)
  })

  test('may turn out to be quick again, and is looked at again after a while', () => {
    const facts = seen(0.1)
    learnSlow(facts)
    expect(isSlow(facts)).toBe(true)
    expect(isSlow({ ...facts, slowUntil: performance.now() })).toBe(false)
    learnCost(facts, 0.1)
    expect(isSlow(facts)).toBe(false)
  })
})
