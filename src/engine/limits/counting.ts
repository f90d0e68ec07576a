import type { Caller, Counted, Counter, HeldCounter, WindowState } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'
import type { MemoryCounters } from './memory-counters.ts'

type Window = RateLimits['windows'][number]

/**
 * The states of a caller's counters after one more call, or after a mere look: of each window, in the order of the
 * document, and of its refusals when there was one.
 */
export interface Counts {
  windows: readonly WindowState[]
  refusals?: WindowState | undefined
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

/** Braces make a Redis Cluster keep all counters of a caller on one node. */
const nameOf = ({ counter }: Caller, window: string) => `{${counter}}:${window}`

/** What counts the refusals of a caller, as if it were a window. */
const refusalsOf = ({ windows, ban }: RateLimits): Window => ({
  name: '*refusals', // no window is called so
  seconds: windows.find(({ name }) => name === ban.window)?.seconds ?? 60,
})

/** The counters of a caller: one for each window, in the order of the document, and that of its refusals. */
export interface Counters {
  readonly windows: readonly Counter[]
  readonly refusals: Counter
}

/** Finds the counters of callers. Those of a key's windows are made once; a stranger is another one with each request. */
export function countersIn(rateLimits: RateLimits) {
  const refusals = refusalsOf(rateLimits)
  return {
    /** One for each window, in the order of the document. */
    ofWindows(caller: Caller): readonly Counter[] {
      if (caller.counters) return caller.counters
      const made = rateLimits.windows.map(
        (window): Counter => ({
          name: nameOf(caller, window.name),
          window,
          limit: caller.quotas[window.name] ?? 0,
        }),
      )
      if (caller.kind === 'key') caller.counters = made
      return made
    },
    ofRefusals: (caller: Caller): Counter => ({
      name: nameOf(caller, refusals.name),
      window: refusals,
      limit: rateLimits.ban.refusals,
    }),
  }
}

/**
 * What a counter holds, judged.
 * @param ttl milliseconds to the end of its window; 0 when none has begun
 * @param time milliseconds since 1970
 */
export function stateOf(
  { name, seconds }: Window,
  limit: number,
  current: number,
  ttl: number,
  time: number,
): WindowState {
  // A whole second, no later than that of a window which begins now.
  const latest = Math.floor(time / 1_000) + seconds
  // Rounding takes away what the way to the counter took.
  const reset = ttl > 0 ? Math.min(Math.round((time + ttl) / 1_000), latest) : latest
  return { name, limit, remaining: Math.max(0, limit - current), reset, exceeded: current > limit }
}

/** Counting in the memory of one process. */
export function countInMemory(rateLimits: RateLimits, counters: MemoryCounters, now: () => Date): Counting {
  const { windows, ban } = rateLimits
  const refusals = refusalsOf(rateLimits)

  /** By window; of a key they are found once. */
  function heldBy(caller: Caller): HeldCounter[] {
    const held = caller.held ?? windows.map(({ name }) => counters.find(nameOf(caller, name)))
    if (caller.kind === 'key') caller.held = held
    return held
  }

  function state(window: Window, limit: number, { count, endsAt }: Counted, time: number): WindowState {
    const ttl = endsAt - time
    return stateOf(window, limit, ttl > 0 ? count : 0, ttl, time)
  }

  function refuse(caller: Caller, time: number): WindowState {
    const counter = counters.find(nameOf(caller, refusals.name))
    return state(refusals, ban.refusals, counters.add(counter, lengthOf(refusals.seconds, time), time), time)
  }

  function judge(caller: Caller, isCall: boolean): Counts {
    const time = now().getTime()
    const held = heldBy(caller)
    let isRefused = false
    const states = windows.map((window, i) => {
      const length = lengthOf(window.seconds, time)
      const known = held[i] ?? counters.find(nameOf(caller, window.name)) // there are as many
      const counter =
        isCall && !isRefused ? counters.add(known, length, time) : counters.read(known, length, time)
      held[i] = counter
      const judged = state(window, caller.quotas[window.name] ?? 0, counter, time)
      isRefused ||= judged.exceeded
      return judged
    })
    return isCall && isRefused ? { windows: states, refusals: refuse(caller, time) } : { windows: states }
  }

  return {
    count: caller => judge(caller, true),
    look: caller => judge(caller, false),
  }
}
