import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { HeldCounter } from '../../src/engine/access/caller.ts'
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
  const count = (name: string) => counters.add(counters.find(name), minute, Date.now()).count
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

test('a key that is read anew goes on with its counts, and so does who still has what was read before', async () => {
  const { counters } = await counting()
  const [before, anew] = [counters.find('{key:9}:minute'), counters.find('{key:9}:minute')]
  const time = Date.now()
  const count = (counter: HeldCounter, at: number) => counters.add(counter, minute, time + at).count
  expect([count(before, 0), count(anew, 0), count(before, 1)]).toEqual([1, 2, 3])
  // The window has ended, and whoever comes first begins the next one for both.
  expect([count(anew, minute), count(before, minute), count(anew, minute)]).toEqual([1, 2, 3])
  await counters.close()
})

test('a counter whose window has ended makes room, and who still has it counts together with those who came later', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  let time = Date.now()
  const counters = await openMemoryCounters(rateLimits, undefined, () => time)
  const name = '{key:10}:minute'
  const before = counters.add(counters.find(name), minute, time)
  time += minute
  vi.advanceTimersByTime(minute)
  expect(counters.find(name)).not.toBe(before)
  const after = counters.add(counters.find(name), minute, time)
  expect([after.count, counters.add(before, minute, time).count, after.count]).toEqual([1, 2, 2])
  await counters.close()
  vi.useRealTimers()
})
