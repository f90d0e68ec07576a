import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openMemoryStore } from '../../src/engine/limits/memory-store.ts'
import { rateLimits } from '../../src/generated/operations.ts'
import { windowStore } from '../../src/store/limits.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { countOne, day, lookAt, minute } from '../support/teller.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

async function counting(capacity?: number) {
  const memory = await openMemoryStore(rateLimits, windowStore(database.db), Date.now, undefined, capacity)
  const count = (caller: string) => countOne(memory, caller, minute)
  return { memory, count }
}
const length = minute.seconds * 1_000

test('50,000 callers are counted without forgetting the first', async () => {
  const { memory, count } = await counting()
  for (let i = 0; i < 50_000; i++) count(`key:${i}`)
  expect(count('key:0')).toBe(2)
  await memory.close()
})

test('when there is no room, new addresses share one count; known callers and keys keep their own', async () => {
  const { memory, count } = await counting(2)
  count('address:a')
  count('key:1')
  expect([count('address:b'), count('address:c')]).toEqual([1, 2])
  expect([count('address:a'), count('key:1'), count('key:2')]).toEqual([2, 2, 1])
  await memory.close()
})

test('a window that has ended begins anew with the next call, and a look begins none', async () => {
  let time = Date.now()
  const memory = await openMemoryStore(rateLimits, undefined, () => time)
  const count = () => countOne(memory, 'key:9', minute, time)
  const look = () => lookAt(memory, 'key:9', minute, time)
  expect([look().current, count(), count(), look().current]).toEqual([0, 1, 2, 2])
  time += length
  expect(look()).toEqual({ current: 0, ttl: 0 })
  expect([count(), look().current]).toEqual([1, 1])
  await memory.close()
})

test('a caller all of whose windows have ended makes room', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  let time = Date.now()
  const memory = await openMemoryStore(rateLimits, undefined, () => time, undefined, 2)
  const count = (caller: string, window = minute) => countOne(memory, caller, window, time)
  expect([count('address:d'), count('address:e', day), count('address:f'), count('address:g')]).toEqual([
    1, 1, 1, 2,
  ])
  time += length
  vi.advanceTimersByTime(60_000)
  expect([count('address:d'), count('address:d')]).toEqual([1, 2])
  expect([count('address:e', day), count('address:f'), count('address:g')]).toEqual([2, 1, 2])
  await memory.close()
  vi.useRealTimers()
})
