import type { Caller, Counter, WindowState } from '../access/caller.ts'
import type { DependencyState } from '../context.ts'
import type { RateLimits } from '../extensions.ts'
import type { Later } from '../later.ts'

/** What calls are counted in. */
export interface Window {
  readonly name: string
  readonly seconds: number
  /** among all that is counted of a caller */
  readonly place: number
}

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

/** The end of a window that begins now, in seconds since 1970: a whole one, so that it is the same in every reply. */
export const latestEnd = ({ seconds }: Pick<Window, 'seconds'>, time: number) =>
  Math.floor(time / 1_000) + seconds

/** The length of such a window in milliseconds. */
export const lengthOf = (seconds: number, time: number) => seconds * 1_000 - (time % 1_000)

/** What one counter of a caller is called. Braces make a Redis Cluster keep all of a caller on one node. */
export const nameOf = (caller: string, window: { name: string }) => `{${caller}}:${window.name}`

/** Whose counter is called so, and in which of some windows; undefined where it is none of theirs. */
export function ownerOf(name: string, windows: readonly Window[]) {
  for (const window of windows) {
    const end = nameOf('', window).slice(1)
    if (name.endsWith(end)) return { caller: name.slice(1, -end.length), window }
  }
  return undefined
}

/** All that is counted of a caller: its windows, in the order of the document, and then its refusals as if they were one. */
export function countedOf({ windows, ban }: Pick<RateLimits, 'windows' | 'ban'>) {
  const refusals = {
    name: '*refusals', // no window is called so
    seconds: windows.find(({ name }) => name === ban.window)?.seconds ?? 60,
    place: windows.length,
  }
  return { windows: windows.map((window, place): Window => ({ ...window, place })), refusals }
}

/** The counters of a caller: one for each window, in the order of the document, and that of its refusals. */
export interface Counters {
  readonly windows: readonly Counter[]
  readonly refusals: Counter
}

/** Finds the counters of callers. Those of a key's windows are made once; a stranger is another one with each request. */
export function countersIn(rateLimits: RateLimits) {
  const { windows, refusals } = countedOf(rateLimits)
  return {
    /** One for each window, in the order of the document. */
    ofWindows(caller: Caller): readonly Counter[] {
      if (caller.counters) return caller.counters
      const made = windows.map(
        (window): Counter => ({
          name: nameOf(caller.counter, window),
          window,
          limit: caller.quotas[window.name] ?? 0,
        }),
      )
      if (caller.kind === 'key') caller.counters = made
      return made
    },
    ofRefusals: (caller: Caller): Counter => ({
      name: nameOf(caller.counter, refusals),
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
  window: Pick<Window, 'name' | 'seconds'>,
  limit: number,
  current: number,
  ttl: number,
  time: number,
): WindowState {
  const latest = latestEnd(window, time)
  // Rounding takes away what the way to the counter took.
  const reset = ttl > 0 ? Math.min(Math.round((time + ttl) / 1_000), latest) : latest
  const remaining = Math.max(0, limit - current)
  return { name: window.name, limit, remaining, reset, exceeded: current > limit }
}
