import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { hashKey } from '../../src/keys/api-key.ts'
import { banApiKeys, findApiKeysByHash, markUsed, replaceSecret } from '../../src/store/api-keys.ts'
import { type KeyChanges, readKeyChanges, removeOldKeyChanges } from '../../src/store/key-changes.ts'
import { databaseKind, freshDatabase, type TestDatabase } from '../support/database.ts'
import { issueKey } from '../support/store.ts'

let database: TestDatabase
let changes: KeyChanges
let id: number
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  const hash = hashKey(await issueKey(database.db))
  id = (await findApiKeysByHash(database.db, [hash], new Date())).get(hash)?.id ?? 0
  changes = readKeyChanges(database.db)
  await changes.next()
})

const disable = (db = database.db) =>
  db.updateTable('api_keys').set({ disabled: true }).where('id', '=', id).execute()

test('whoever asks for the first time is told that nothing can be said', async () => {
  expect(await readKeyChanges(database.db).next()).toBeUndefined()
})

test.each([
  ['is disabled', () => disable()],
  ['is banned', () => banApiKeys(database.db, new Map([[id, new Date()]]))],
  ['has another secret', () => replaceSecret(database.db, id, { hash: `new ${id}`, preview: '…' }, null)],
  ['is gone', () => database.db.deleteFrom('api_keys').where('id', '=', id).execute()],
])('a key that %s is told, once', async (_, change) => {
  expect(await changes.next()).toEqual([])
  await change()
  expect(await changes.next()).toEqual([id])
  expect(await changes.next()).toEqual([])
  await issueKey(database.db)
  expect(await changes.next()).toEqual([])
})

test('a key that is only used, or is new, is not told', async () => {
  await markUsed(database.db, new Map([[id, new Date()]]))
  await issueKey(database.db)
  expect(await changes.next()).toEqual([])
})

test('a change that fails is not told', async () => {
  const failing = database.db.transaction().execute(async trx => {
    await disable(trx)
    throw new Error('Broken off')
  })
  await expect(failing).rejects.toThrow('Broken off')
  expect(await changes.next()).toEqual([])
})

test('changes are kept for an hour', async () => {
  const stored = () =>
    database.db.selectFrom('api_key_changes').where('key_id', '=', id).selectAll().execute()
  await disable()
  await removeOldKeyChanges(database.db, new Date())
  expect(await stored()).toHaveLength(1)
  await removeOldKeyChanges(database.db, new Date(Date.now() + 3_601_000))
  expect(await stored()).toHaveLength(0)
})

test('whoever may change keys needs no right to what is noted of it, nor the same search path', async () => {
  const [role, schema] = [`operator_${databaseKind}`, sql.id('somewhere_else')]
  await sql`create role ${sql.id(role)}`.execute(database.db)
  try {
    await sql`create schema ${schema}`.execute(database.db)
    await sql`grant select, update on api_keys to ${sql.id(role)}`.execute(database.db)
    await database.db.transaction().execute(async trx => {
      await sql`set local role ${sql.id(role)}`.execute(trx)
      await sql`set local search_path to ${schema}`.execute(trx)
      await sql`update public.api_keys set disabled = true where id = ${id}`.execute(trx)
    })
    expect(await changes.next()).toEqual([id])
  } finally {
    await sql`drop owned by ${sql.id(role)}`.execute(database.db)
    await sql`drop role ${sql.id(role)}`.execute(database.db)
  }
})
