import type { Caller, WindowState } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import { ApiError } from '../replies/api-error.ts'

/** The end of a window that begins now, in seconds since 1970: a whole one, so that it is the same in every reply. */
const latestEnd = (seconds: number, time: number) => Math.floor(time / 1_000) + seconds

/** The length of a window that begins now, in milliseconds. */
export const lengthOf = (seconds: number, time: number) => latestEnd(seconds, time) * 1_000 - time

/**
 * What a limiter has found, as callers are told.
 * @param ttl milliseconds to the end of the window; 0 when none has begun
 * @param time milliseconds since 1970
 */
export function stateOf(
  { name, seconds }: RateLimits['windows'][number],
  { max, remaining, isExceeded, ttl }: { max: number; remaining: number; isExceeded: boolean; ttl: number },
  time: number,
): WindowState {
  const latest = latestEnd(seconds, time)
  // Rounding takes away what the way to the counter took.
  const reset = ttl > 0 ? Math.min(Math.round((time + ttl) / 1_000), latest) : latest
  return { name, limit: max, remaining, reset, exceeded: isExceeded }
}

/** The windows of a banned caller: nothing is left until the ban ends. Takes no look at any counter. */
export function bannedStates(windows: RateLimits['windows'], { quotas }: Caller, until: Date): WindowState[] {
  const reset = Math.ceil(until.getTime() / 1_000)
  return windows.map(({ name }) => ({ name, limit: quotas[name] ?? 0, remaining: 0, reset, exceeded: true }))
}

/**
 * The header fields for a caller's windows: those of the one that will stop it first (fewest left, then the later end), and
 * all in the IETF's RateLimit fields (draft-ietf-httpapi-ratelimit-headers).
 */
export function limitFields(
  windows: RateLimits['windows'],
  states: readonly WindowState[],
  now: Date,
): Record<string, string> {
  const [first] = states.toSorted((a, b) => a.remaining - b.remaining || b.reset - a.reset)
  if (!first) return {}
  const seconds = now.getTime() / 1_000
  const left = (reset: number) => Math.max(0, Math.ceil(reset - seconds))
  return {
    'x-ratelimit-limit': String(first.limit),
    'x-ratelimit-remaining': String(first.remaining),
    'x-ratelimit-reset': String(first.reset),
    'ratelimit-policy': windows
      .map(({ name, seconds }, i) => `"${name}";q=${states[i]?.limit ?? 0};w=${seconds}`)
      .join(),
    ratelimit: states.map(({ name, remaining, reset }) => `"${name}";r=${remaining};t=${left(reset)}`).join(),
  }
}

const secondsUntil = (time: number, now: Date) => Math.max(1, Math.ceil(time - now.getTime() / 1_000))

/** The refusal of a call that exceeds a window; Retry-After waits for the last of the exhausted windows. */
export function tooManyRequests(states: readonly WindowState[], now: Date): ApiError {
  const exhausted = states.filter(state => state.exceeded || state.remaining === 0)
  const wait = secondsUntil(Math.max(...exhausted.map(({ reset }) => reset)), now)
  const used = exhausted.map(({ limit, name }) => `${limit} requests a ${name}`).join(' and ')
  return new ApiError('rate_limited', `${used} are used up: retry in ${wait} seconds.`, {
    headers: { 'Retry-After': String(wait) },
  })
}

/** The refusal of a banned caller. */
export function banned({ kind }: Caller, until: Date, now: Date): ApiError {
  const who = kind === 'key' ? 'this key is' : 'calls without a valid key from this address are'
  const code = kind === 'key' ? 'api_key_banned' : 'address_banned'
  return new ApiError(code, `Too many requests after 429: ${who} banned until ${until.toISOString()}.`, {
    headers: { 'Retry-After': String(secondsUntil(until.getTime() / 1_000, now)) },
  })
}
