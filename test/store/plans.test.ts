import { afterAll, beforeAll, expect, test } from 'vitest'
import { countKeysBesidePlans } from '../../src/store/api-keys.ts'
import type { Plan } from '../../src/vocabulary.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { issueKey } from '../support/store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

test('keys may have any plan that a document has, and those of plans that it has not are counted', async () => {
  for (const plan of ['Free', 'Gold', 'Gold', 'Tin']) await issueKey(database.db, { plan: plan as Plan }) // of another document
  expect(await countKeysBesidePlans(database.db, ['Free', 'Tin'])).toEqual([{ plan: 'Gold', keys: 2 }])
})
