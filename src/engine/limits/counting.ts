import type { Caller, Counter } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import type { MemoryCounters } from './memory-counters.ts'

/** What a counter says after one more call, or after a mere look. */
export interface Count {
  max: number
  remaining: number
  /** milliseconds to the end of the window; 0 when none has begun */
  ttl: number
  isExceeded: boolean
}

/** The counts of a caller: of each window, in the order of the document, and of its refusals when there was one. */
export interface Counts {
  windows: readonly Count[]
  refusals?: Count | undefined
}

/** Counts the calls of callers. */
export interface Counting {
  /**
   * Counts a call. Windows are counted one after the other, and a call that one of them refuses costs nothing in those
   * that follow; it counts as a refusal.
   */
  count(caller: Caller): Later<Counts>
  /** The counts as they are. */
  look(caller: Caller): Later<Counts>
  /** The state of what the counts are shared through, where there is such a thing. */
  shared?: () => DependencyState
}

/** Counting nothing, where nobody is limited. */
export const noCounting: Counting = { count: () => ({ windows: [] }), look: () => ({ windows: [] }) }

/** The length of a window in milliseconds: it ends on a whole second, so that its end is the same number in every reply. */
export const lengthOf = (seconds: number, time: number) => seconds * 1_000 - (time % 1_000)

/** The counters of a caller: one for each window, in the order of the document, and that of its refusals. */
export interface Counters {
  readonly windows: readonly Counter[]
  readonly refusals: Counter
}

/** Finds the counters of callers. Those of a key's windows are made once; a stranger is another one with each request. */
export function countersIn({ windows, ban }: RateLimits) {
  const secondsOfRefusals = windows.find(({ name }) => name === ban.window)?.seconds ?? 60
  // Braces make a Redis Cluster keep all counters of a caller on one node.
  const nameOf = ({ counter }: Caller, window: string) => `{${counter}}:${window}`
  return {
    /** One for each window, in the order of the document. */
    ofWindows(caller: Caller): readonly Counter[] {
      if (caller.counters) return caller.counters
      const made = windows.map(
        ({ name, seconds }): Counter => ({
          name: nameOf(caller, name),
          max: caller.quotas[name] ?? 0,
          seconds,
          window: undefined,
        }),
      )
      if (caller.kind === 'key') caller.counters = made
      return made
    },
    ofRefusals: (caller: Caller): Counter => ({
      name: nameOf(caller, 'refusals'),
      max: ban.refusals,
      seconds: secondsOfRefusals,
    }),
  }
}

/** What a counter holds, judged. */
export const countOf = (max: number, current: number, ttl: number): Count => ({
  max,
  remaining: Math.max(0, max - current),
  ttl,
  isExceeded: current > max,
})

/** Counting in the memory of one process. */
export function countInMemory(rateLimits: RateLimits, counters: MemoryCounters, now: () => Date): Counting {
  const { ofWindows, ofRefusals } = countersIn(rateLimits)
  function one(counter: Counter, time: number, increment: boolean): Count {
    const length = lengthOf(counter.seconds, time)
    const { current, ttl } = increment
      ? counters.add(counter, length, time)
      : counters.read(counter, length, time)
    return countOf(counter.max, current, ttl)
  }
  return {
    count(caller) {
      const time = now().getTime()
      let isRefused = false
      const windows = ofWindows(caller).map(counter => {
        const count = one(counter, time, !isRefused)
        isRefused ||= count.isExceeded
        return count
      })
      return isRefused ? { windows, refusals: one(ofRefusals(caller), time, true) } : { windows }
    },
    look(caller) {
      const time = now().getTime()
      return { windows: ofWindows(caller).map(counter => one(counter, time, false)) }
    },
  }
}
