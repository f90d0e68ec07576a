import type { Caller, WindowState } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Bans } from './bans.ts'
import type { Count, Counting } from './counting.ts'

/** The limits of every caller. */
export interface Limits {
  windows: RateLimits['windows']
  /**
   * Counts a call. Windows are counted one after the other, and a call that one of them refuses costs nothing in
   * those that follow.
   */
  count(caller: Caller): Promise<WindowState[]>
  /** The state of both windows, at no cost. */
  look(caller: Caller): Promise<WindowState[]>
  /** Notes a refusal of the caller; the one that is too many bans it. */
  noteRefusal(caller: Caller): Promise<void>
}

/** @param rateLimits undefined: nobody is limited */
export function createLimits(
  rateLimits: RateLimits | undefined,
  counting: Counting,
  bans: Bans,
  now: () => Date,
): Limits {
  /** The end of a window: a whole second, no later than that of one which begins now. */
  function endOf(ttl: number, seconds: number): number {
    const time = now().getTime()
    const latest = Math.floor(time / 1_000) + seconds
    // Rounding takes away what the way to the counter took.
    return ttl > 0 ? Math.min(Math.round((time + ttl) / 1_000), latest) : latest
  }
  const stateOf = (
    name: string,
    seconds: number,
    { max, remaining, ttl, isExceeded }: Count,
  ): WindowState => ({
    name,
    limit: max,
    remaining,
    reset: endOf(ttl, seconds),
    exceeded: isExceeded,
  })

  return {
    windows: rateLimits?.windows ?? [],
    async count(caller) {
      const states: WindowState[] = []
      for (const { name, seconds, count } of counting.windows) {
        const increment = !states.some(state => state.exceeded)
        states.push(stateOf(name, seconds, await count(caller, { increment })))
      }
      return states
    },
    async look(caller) {
      const { windows } = counting
      const counts = await Promise.all(windows.map(window => window.count(caller, { increment: false })))
      return windows.flatMap(({ name, seconds }, index) => {
        const count = counts[index]
        return count ? [stateOf(name, seconds, count)] : []
      })
    },
    async noteRefusal(caller) {
      if (!rateLimits) return
      const { remaining, isExceeded } = await counting.refusals(caller)
      // Exactly one refusal comes to this number, in whichever process: a ban is set once, and lifting it lasts.
      if (remaining > 0 || isExceeded) return
      await bans.ban(caller, new Date(now().getTime() + rateLimits.ban.seconds * 1_000))
    },
  }
}

/**
 * The header fields for a caller's windows: the one that will stop it first (fewest left, then the later end), and
 * both in the IETF's RateLimit fields (draft-ietf-httpapi-ratelimit-headers).
 */
export function limitHeaders(
  windows: RateLimits['windows'],
  states: readonly WindowState[],
  now: Date,
): Record<string, string> {
  const [first] = states.toSorted((a, b) => a.remaining - b.remaining || b.reset - a.reset)
  if (!first) return {}
  const seconds = now.getTime() / 1_000
  const policies = windows.map(({ name, seconds: length }) => {
    const limit = states.find(state => state.name === name)?.limit ?? 0
    return `"${name}";q=${limit};w=${length}`
  })
  const values = states.map(({ name, remaining, reset }) => {
    return `"${name}";r=${remaining};t=${Math.max(0, Math.ceil(reset - seconds))}`
  })
  return {
    'X-RateLimit-Limit': String(first.limit),
    'X-RateLimit-Remaining': String(first.remaining),
    'X-RateLimit-Reset': String(first.reset),
    'RateLimit-Policy': policies.join(','),
    RateLimit: values.join(','),
  }
}

/** The windows of a banned caller: nothing is left until the ban ends. Takes no look at any counter. */
export function bannedStates(windows: RateLimits['windows'], caller: Caller, until: Date): WindowState[] {
  return windows.map(({ name }) => ({
    name,
    limit: caller.quotas[name] ?? 0,
    remaining: 0,
    reset: Math.ceil(until.getTime() / 1_000),
    exceeded: true,
  }))
}

const secondsUntil = (time: number, now: Date) => Math.max(1, Math.ceil(time - now.getTime() / 1_000))

/** The refusal of a call that exceeds a window; Retry-After waits for the last of the exhausted windows. */
export function tooManyRequests(states: readonly WindowState[], now: Date): ApiError {
  const exhausted = states.filter(state => state.exceeded || state.remaining === 0)
  const [last] = exhausted.toSorted((a, b) => b.reset - a.reset)
  const wait = secondsUntil(last?.reset ?? 0, now)
  const used = exhausted.map(({ limit, name }) => `${limit} requests a ${name}`).join(' and ')
  return new ApiError('rate_limited', `${used} are used up: retry in ${wait} seconds.`, {
    headers: { 'Retry-After': String(wait) },
  })
}

/** The refusal of a banned caller. */
export function banned(caller: Caller, until: Date, now: Date): ApiError {
  const who = caller.kind === 'key' ? 'this key is' : 'calls without a valid key from this address are'
  const code = caller.kind === 'key' ? 'api_key_banned' : 'address_banned'
  return new ApiError(code, `Too many requests after 429: ${who} banned until ${until.toISOString()}.`, {
    headers: { 'Retry-After': String(secondsUntil(until.getTime() / 1_000, now)) },
  })
}
