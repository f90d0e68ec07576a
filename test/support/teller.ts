import type { Caller } from '../../src/engine/access/caller.ts'
import { countedOf, type Window } from '../../src/engine/limits/counting.ts'
import type { MemoryCounters } from '../../src/engine/limits/memory-counters.ts'
import { rateLimits } from '../../src/generated/operations.ts'

function windowCalled(name: string): Window {
  const window = countedOf(rateLimits).windows.find(one => one.name === name)
  if (!window) throw new Error(`The document has no window ${name}`)
  return window
}
export const [minute, day] = [windowCalled('minute'), windowCalled('day')]

/** Counts a call of one caller in one window alone, at a time in ms since 1970, and tells what it has come to. */
export function countOne(
  counters: MemoryCounters,
  caller: string | Pick<Caller, 'counter' | 'tally'>,
  window: Window,
  time = Date.now(),
): number {
  const tally = counters.find(typeof caller === 'string' ? { counter: caller } : caller)
  counters.add(tally, window, time)
  return tally.counts[window.place] ?? 0
}
