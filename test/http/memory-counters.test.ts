import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type MemoryCounters, openMemoryCounters } from '../../src/engine/limits/memory-counters.ts'
import { rateLimits } from '../../src/generated/operations.ts'
import { windowStore } from '../../src/store/limits.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { countOne, day, minute } from '../support/teller.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

async function counting(capacity?: number) {
  const counters = await openMemoryCounters(rateLimits, windowStore(database.db), Date.now, capacity)
  const count = (caller: string) => countOne(counters, caller, minute)
  return { counters, count }
}
/** A caller of whom it is remembered what is counted. */
const found = (counters: MemoryCounters, counter: string) => ({ counter, tally: counters.find({ counter }) })
const length = minute.seconds * 1_000

test('50,000 callers are counted without forgetting the first', async () => {
  const { counters, count } = await counting()
  for (let i = 0; i < 50_000; i++) count(`key:${i}`)
  expect(count('key:0')).toBe(2)
  await counters.close()
})

test('when there is no room, new addresses share one count; known callers and keys keep their own', async () => {
  const { counters, count } = await counting(2)
  count('address:a')
  count('key:1')
  expect([count('address:b'), count('address:c')]).toEqual([1, 2])
  expect([count('address:a'), count('key:1'), count('key:2')]).toEqual([2, 2, 1])
  await counters.close()
})

test('a key that is read anew goes on with its counts, and so does who still has what was read before', async () => {
  const { counters } = await counting()
  const [before, anew] = [found(counters, 'key:9'), found(counters, 'key:9')]
  const time = Date.now()
  const count = (caller: typeof before, at: number) => countOne(counters, caller, minute, time + at)
  expect([count(before, 0), count(anew, 0), count(before, 1)]).toEqual([1, 2, 3])
  // The window has ended, and whoever comes first begins the next one for both.
  expect([count(anew, length), count(before, length), count(anew, length)]).toEqual([1, 2, 3])
  await counters.close()
})

test('a caller all of whose windows have ended makes room; who still has its tally counts with those who came later', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  let time = Date.now()
  const counters = await openMemoryCounters(rateLimits, undefined, () => time, 2)
  const count = (caller: string | ReturnType<typeof found>, window = minute) =>
    countOne(counters, caller, window, time)
  expect([count('address:d'), count('address:e', day), count('address:f'), count('address:g')]).toEqual([
    1, 1, 1, 2,
  ])
  const before = found(counters, 'address:d')
  time += length
  vi.advanceTimersByTime(60_000)
  expect(counters.find(before)).not.toBe(before.tally)
  expect([count('address:d'), count(before), count('address:d')]).toEqual([1, 2, 3])
  expect([count('address:e', day), count('address:f'), count('address:g')]).toEqual([2, 1, 2])
  await counters.close()
  vi.useRealTimers()
})
