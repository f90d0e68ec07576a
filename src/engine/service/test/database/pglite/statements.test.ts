import { sql } from 'kysely'
import { shared } from 'spec-served-lab/support/fixtures'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../database/connect.ts'

const database = shared(async () => {
  const opened = await openDatabase({ kind: 'embedded', dataDir: null })
  return { ...opened, [Symbol.asyncDispose]: opened.close }
})

const preparedOf = async (text: string) => {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
    database.db,
  )
  return rows.filter(({ statement }) => statement.includes(text)).length
}

test('a statement with values is prepared once, whatever its values are, and one without never', async () => {
  for (const value of ['a', "'; drop table t --", null]) {
    const { rows } = await sql`select ${value}::text as twice, 'once'`.execute(database.db)
    expect(rows).toEqual([{ twice: value, '?column?': 'once' }])
    await sql`select 'without'`.execute(database.db)
  }
  expect(await preparedOf("'once'")).toBe(1)
  expect(await preparedOf("'without'")).toBe(0)
})

test('a statement whose table has changed is prepared again, and a transaction may be run again', async () => {
  const { db } = database
  await sql`create table changing (id bigint)`.execute(db)
  await sql`insert into changing values (${1})`.execute(db)
  const read = (on: typeof db) => sql`select * from changing where id = ${1}`.execute(on)
  expect((await read(db)).rows).toEqual([{ id: 1 }])
  await sql`alter table changing add column name text default 'first'`.execute(db)
  expect((await read(db)).rows).toEqual([{ id: 1, name: 'first' }])
  await sql`alter table changing add column second text`.execute(db)
  const run = () => db.transaction().execute(read)
  await expect(run()).rejects.toMatchObject({ routine: 'RevalidateCachedQuery' })
  expect((await run()).rows).toEqual([{ id: 1, name: 'first', second: null }])
  expect(await preparedOf('select * from changing')).toBe(1)
})

test('statements that a transaction sends at once are carried out in their order, and a refused one names itself', async () => {
  const { db } = database
  const all = await db
    .transaction()
    .execute(within =>
      Promise.all(
        [1, 2, 3].map(value => sql<{ value: number }>`select ${value}::int as value`.execute(within)),
      ),
    )
  expect(all.map(({ rows }) => rows[0]?.value)).toEqual([1, 2, 3])
  const failing = sql`select ${1}::int / ${0}::int`.execute(db)
  await expect(failing).rejects.toMatchObject({ code: '22012', query: 'select $1::int / $2::int' })
})

test('more texts than are prepared are run all the same', async () => {
  const texts = Array.from(
    { length: 600 },
    (_, index) => sql`select ${index}::int as ${sql.ref(`value_${index}`)}`,
  )
  for (const [index, text] of texts.entries())
    expect((await text.execute(database.db)).rows).toEqual([{ [`value_${index}`]: index }])
  expect(await preparedOf('value_')).toBeLessThanOrEqual(500)
  expect((await texts.at(-1)?.execute(database.db))?.rows).toEqual([{ value_599: 599 }])
})
