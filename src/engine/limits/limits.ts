import type { Caller, WindowState } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import { andThen, type Later } from '../later.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Fields } from '../replies/fields.ts'
import type { Bans } from './bans.ts'
import type { Counting } from './counting.ts'

/** Texts of policies kept at most: plans are few, but each key may have quotas of its own. */
const policiesKept = 1_000

/** The limits of every caller. */
export interface Limits {
  windows: RateLimits['windows']
  /** Counts a call; a refusal that is one too many bans the caller. */
  count(caller: Caller): Later<readonly WindowState[]>
  /** The state of the windows, at no cost. */
  look(caller: Caller): Later<readonly WindowState[]>
  /**
   * Adds the header fields for a caller's windows: the one that will stop it first (fewest left, then the later end), and
   * all in the IETF's RateLimit fields (draft-ietf-httpapi-ratelimit-headers).
   */
  tell(states: readonly WindowState[], fields: Fields): void
}

/** @param rateLimits undefined: nobody is limited */
export function createLimits(
  rateLimits: RateLimits | undefined,
  counting: Counting,
  bans: Bans,
  now: () => Date,
): Limits {
  const windows = rateLimits?.windows ?? []
  const policies = new Map<string, string>()
  let last: { states: readonly WindowState[]; policy: string } = { states: [], policy: '' }
  /** The same text for all callers with the same quotas. */
  function policyOf(states: readonly WindowState[]): string {
    if (haveSameLimits(states, last.states)) return last.policy
    const policy = findPolicy(states)
    last = { states, policy }
    return policy
  }

  function findPolicy(states: readonly WindowState[]): string {
    let key = ''
    for (const { limit } of states) key += `${limit},`
    const known = policies.get(key)
    if (known !== undefined) return known
    const policy = windows
      .map(({ name, seconds }, i) => `"${name}";q=${states[i]?.limit ?? 0};w=${seconds}`)
      .join(',')
    if (policies.size < policiesKept) policies.set(key, policy)
    return policy
  }

  return {
    windows,
    tell(states, fields) {
      let first: WindowState | undefined
      let values = ''
      const seconds = now().getTime() / 1_000
      for (const state of states) {
        const { name, remaining, reset } = state
        const isSooner =
          !first || remaining < first.remaining || (remaining === first.remaining && reset > first.reset)
        if (isSooner) first = state
        values += `${values && ','}"${name}";r=${remaining};t=${Math.max(0, Math.ceil(reset - seconds))}`
      }
      if (!first) return
      fields['x-ratelimit-limit'] = String(first.limit)
      fields['x-ratelimit-remaining'] = String(first.remaining)
      fields['x-ratelimit-reset'] = String(first.reset)
      fields['ratelimit-policy'] = policyOf(states)
      fields.ratelimit = values
    },
    count: caller =>
      andThen(counting.count(caller), ({ windows: states, refusals }) => {
        // Exactly one refusal comes to this number, in whichever process: a ban is set once, and lifting it lasts.
        if (!rateLimits || !refusals || refusals.remaining > 0 || refusals.exceeded) return states
        // To a whole second, as windows: then every field of a reply tells the same end.
        const end = Math.floor(now().getTime() / 1_000) + rateLimits.ban.seconds
        return bans.ban(caller, new Date(end * 1_000)).then(() => states)
      }),
    look: caller => andThen(counting.look(caller), counts => counts.windows),
  }
}

function haveSameLimits(some: readonly WindowState[], others: readonly WindowState[]): boolean {
  for (let i = 0; i < some.length; i++) if (some[i]?.limit !== others[i]?.limit) return false
  return some.length === others.length
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
