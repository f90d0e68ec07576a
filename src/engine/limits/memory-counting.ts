import type { Caller, Tally, WindowState } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import { type Counting, type Counts, countedOf, stateOf, type Window } from './counting.ts'
import type { MemoryCounters } from './memory-counters.ts'

/** Counting in the memory of one process. */
export function countInMemory(rateLimits: RateLimits, counters: MemoryCounters, now: () => Date): Counting {
  const { windows, refusals } = countedOf(rateLimits)
  const { ban } = rateLimits

  function stateIn(tally: Tally, window: Window, limit: number, time: number): WindowState {
    const ttl = counters.endOf(tally, window, time) * 1_000 - time
    return stateOf(window, limit, ttl > 0 ? (tally.counts[window.place] ?? 0) : 0, ttl, time)
  }

  function judge(caller: Caller, isCall: boolean): Counts {
    const time = now().getTime()
    const tally = counters.find(caller)
    caller.tally = tally
    let isRefused = false
    const states = windows.map(window => {
      if (isCall && !isRefused) counters.add(tally, window, time)
      const state = stateIn(tally, window, caller.quotas[window.name] ?? 0, time)
      isRefused ||= state.exceeded
      return state
    })
    if (!isCall || !isRefused) return { windows: states }
    counters.add(tally, refusals, time)
    return { windows: states, refusals: stateIn(tally, refusals, ban.refusals, time) }
  }

  return {
    count: caller => judge(caller, true),
    look: caller => judge(caller, false),
  }
}
