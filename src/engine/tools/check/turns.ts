/**
 * Lets requests on records of their own share the service, and gives it to one alone whose look at whole lists nobody may
 * disturb. None waits for itself: work that has a turn must not ask for another one.
 */
export function createTurns() {
  const underWay = new Set<Promise<unknown>>()
  let last: Promise<void> = Promise.resolve()
  return {
    /** Does work beside others of its kind, once all is done that has the service alone and came before. */
    async beside<T>(work: () => Promise<T>): Promise<T> {
      for (let before = last; ; before = last) {
        await before
        if (before === last) break
      }
      const working = work()
      underWay.add(working)
      return working.finally(() => underWay.delete(working))
    },
    /** Does work while nothing else is done. */
    async alone<T>(work: () => Promise<T>): Promise<T> {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      await Promise.allSettled(underWay)
      return work().finally(resolve)
    },
  }
}

export type Turns = ReturnType<typeof createTurns>

/**
 * Does the same with each of some, so many at a time, and begins in their order.
 * @param inLane runs the part of the work in which each begins after the one before it has ended
 * @returns the results, in the same order
 * @throws the first error, once all that was begun has ended
 */
export async function inTurns<Of, To>(
  all: readonly Of[],
  most: number,
  work: (item: Of) => Promise<To>,
  inLane: (lane: () => Promise<void>) => Promise<void> = lane => lane(),
): Promise<To[]> {
  const results: To[] = []
  const errors: unknown[] = []
  const left = all.entries()
  const goOn = async () => {
    for (const [index, item] of left) {
      if (errors.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, () => inLane(goOn)))
  if (errors.length > 0) throw errors[0]
  return results
}
