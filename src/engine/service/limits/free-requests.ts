import { LRUCache } from 'lru-cache'

/** The most requests without cost of one caller in a minute. Beyond them, each one costs as a call does. */
export const mostFree = 600
/** The most callers that are counted. If there are more, the counts of those seen least recently are dropped. */
const capacity = 100_000
const minute = 60_000

/** Counts, in this process, the requests of each caller that cost no quota: those of the docs, OPTIONS, and lists of tools. */
export function createFreeRequests(time: () => number) {
  const counts = new LRUCache<string, number>({ maxSize: capacity, sizeCalculation: () => 1 })
  let present = 0
  return {
    /** Counts a request. @returns whether it is free */
    take(caller: string): boolean {
      const current = Math.floor(time() / minute)
      if (current !== present) counts.clear()
      present = current
      const count = (counts.get(caller) ?? 0) + 1
      counts.set(caller, count)
      return count <= mostFree
    },
    /** Takes back a count, for a request that has turned out to be a call. */
    giveBack(caller: string): void {
      const count = counts.get(caller)
      if (count) counts.set(caller, count - 1)
    },
  }
}
