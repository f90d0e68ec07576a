import { expect, test } from 'vitest'
import type { Db } from '../../../src/database/tables.ts'
import { hashKey } from '../../../src/keys/api-key.ts'
import { readKeyChanges } from '../../../src/store/key-changes.ts'
import { freshDatabase } from '../../support/database.ts'
import { issueKey } from '../../support/store.ts'

test('a change of a key that is committed after later ones is told, and so are those', async () => {
  const database = await freshDatabase()
  const { db } = database
  const disable = async (secret: string, on: Db = db) => {
    const query = on.updateTable('api_keys').set({ disabled: true }).where('hash', '=', hashKey(secret))
    return (await query.returning('id').executeTakeFirstOrThrow()).id
  }
  const [first, second] = [await issueKey(db), await issueKey(db)]
  const changes = readKeyChanges(db)
  await changes.next()

  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const slow = db.transaction().execute(async trx => {
    const id = await disable(first, trx)
    begun.resolve()
    await end.promise
    return id
  })
  await begun.promise
  const fast = await disable(second)
  const meanwhile = [await changes.next(), await changes.next()]
  end.resolve()
  expect(meanwhile).toEqual([[fast], []])
  const id = await slow
  expect([await changes.next(), await changes.next()]).toEqual([[id], []])
  await database.close()
})
