import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMemoryCounters } from '../../src/engine/limits/memory-counters.ts'
import { rateLimits } from '../../src/generated/operations.ts'
import { windowStore } from '../../src/store/limits.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

const minute = 60_000
async function counting(capacity?: number) {
  const counters = await openMemoryCounters(rateLimits, windowStore(database.db), Date.now, capacity)
  const count = (counter: string) => counters.add(counter, minute, Date.now()).current
  return { counters, count }
}

test('50,000 callers are counted without forgetting the first', async () => {
  const { counters, count } = await counting()
  for (let i = 0; i < 50_000; i++) count(`{key:${i}}:minute`)
  expect(count('{key:0}:minute')).toBe(2)
  await counters.close()
})

test('when there is no room, new addresses share one count; known callers and keys keep their own', async () => {
  const { counters, count } = await counting(2)
  count('{address:a}:minute')
  count('{key:1}:minute')
  expect([count('{address:b}:minute'), count('{address:c}:minute')]).toEqual([1, 2])
  expect([count('{address:a}:minute'), count('{key:1}:minute'), count('{key:2}:minute')]).toEqual([2, 2, 1])
  await counters.close()
})
