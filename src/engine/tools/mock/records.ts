import { LRUCache } from 'lru-cache'
import type { State } from '../records/effects.ts'
import type { Collection } from './collections.ts'

/** A record that a mock keeps. */
export interface Kept {
  /** the place in the order of creation */
  order: number
  /** the value of the path parameter that names it */
  id: unknown
  /** the values of the other parameters of its path */
  place: State
  state: State
  version: number
}

/** The most records of a collection, and of all together the most bytes as JSON. */
export const recordLimits = { records: 10_000, bytes: 64 * 1_048_576 } as const

/** The greatest identifier after which others are counted. */
const greatest = 2 ** 48

/** Thrown where a record would go beyond the bounds. */
export class Full extends Error {}

export type Records = ReturnType<typeof createRecords>

/** Keeps the records of a mock in memory, in bounded space. */
export function createRecords() {
  const byCollection = new Map<Collection, Map<string, Kept>>()
  const sizes = new WeakMap<Kept, number>()
  /** the greatest number that a record of a collection has had as its identifier */
  const last = new Map<Collection, number>()
  /** the records that were removed last */
  const removed = new LRUCache<string, true>({ max: recordLimits.records })
  let bytes = 0
  let order = 0

  const keyOf = (place: State, id: unknown) => JSON.stringify([...Object.values(place), id].map(String))
  function of(collection: Collection): Map<string, Kept> {
    const kept = byCollection.get(collection) ?? new Map<string, Kept>()
    byCollection.set(collection, kept)
    return kept
  }
  /** @throws Full */
  function measure(record: Kept, state: State): void {
    const size = JSON.stringify(state).length
    const grown = bytes + size - (sizes.get(record) ?? 0)
    if (grown > recordLimits.bytes)
      throw new Full(`all records together have at most ${recordLimits.bytes} bytes`)
    bytes = grown
    sizes.set(record, size)
  }

  return {
    find: (collection: Collection, place: State, id: unknown) => of(collection).get(keyOf(place, id)),
    /** All records of a collection, in the order of their creation. */
    all: (collection: Collection): Iterable<Kept> => of(collection).values(),
    /** A number that no record of a collection has had as its identifier. */
    next: (collection: Collection) => (last.get(collection) ?? 0) + 1,
    count: () => [...byCollection.values()].reduce((sum, { size }) => sum + size, 0),
    /** @throws Full */
    add(collection: Collection, place: State, id: unknown, state: State): Kept {
      const records = of(collection)
      if (records.size >= recordLimits.records)
        throw new Full(`a collection has at most ${recordLimits.records} records`)
      const record: Kept = { order: ++order, id, place, state, version: 1 }
      measure(record, state)
      records.set(keyOf(place, id), record)
      // A client's own number may be the greatest of all, after which there is none.
      const number = Number(id)
      const isNext = Number.isSafeInteger(number) && number <= greatest
      last.set(collection, Math.max(last.get(collection) ?? 0, isNext ? number : order))
      return record
    },
    /** @throws Full */
    change(record: Kept, state: State): void {
      measure(record, state)
      record.state = state
      record.version++
    },
    /** Whether a record was there, as far as that is remembered. */
    wasRemoved: (collection: Collection, place: State, id: unknown) =>
      removed.has(`${collection.path} ${keyOf(place, id)}`),
    remove(collection: Collection, record: Kept): void {
      const key = keyOf(record.place, record.id)
      of(collection).delete(key)
      removed.set(`${collection.path} ${key}`, true)
      bytes -= sizes.get(record) ?? 0
    },
    clear(): void {
      byCollection.clear()
      removed.clear()
      last.clear()
      bytes = 0
    },
  }
}
