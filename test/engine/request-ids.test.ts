import { expect, test } from 'vitest'
import { createRequestIds } from '../../src/engine/connections/request-ids.ts'

test('requests have random UUIDs, each another', () => {
  const create = createRequestIds()
  const ids = Array.from({ length: 10_000 }, create)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // Each digit that is drawn is so often each of those that it may be: some 625 times of 10,000.
  const places = [...'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'].entries().filter(([, place]) => place === 'x')
  for (const [at] of places) {
    const counts = Map.groupBy(ids, id => id[at])
    expect(counts.size).toBe(16)
    for (const { length } of counts.values()) expect(length).toBeGreaterThan(450)
  }
})
