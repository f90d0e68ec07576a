import type { OpenApi } from '../types.ts'

/** The quotas of each plan, and the rule for bans. */
export interface RateLimits {
  windows: readonly { name: string; seconds: number }[]
  /** requests in each window by its name; `custom`: each key has its own quotas */
  plans: Readonly<Record<string, { custom?: boolean } & Readonly<Record<string, number | boolean>>>>
  /** the plan of callers without a key */
  anonymous: string
  ban: { refusals: number; window: string; seconds: number }
}

/** Returns the rate limits of a document that conforms to the fact rules. */
export function rateLimitsOf(document: OpenApi): RateLimits | undefined {
  return document['x-rate-limits'] as RateLimits | undefined // the fact rules require this form
}

/** The lifetimes that a document promises, in seconds. Without a number, a lifetime has no end. */
export interface Lifetimes {
  /** how long the reply to a request with an Idempotency-Key is replayed */
  readonly idempotentReplies?: number
  /** how far back calls of deprecated operations are shown, in whole days */
  readonly deprecatedCalls?: number
  /** how long before the end of an operation warnings begin, in whole days */
  readonly sunsetWarnings?: number
}

export function lifetimesOf(document: OpenApi): Lifetimes {
  const lengths = (document['x-lifetimes'] ?? {}) as Record<string, { seconds: number }> // the fact rules require this form
  return Object.fromEntries(Object.entries(lengths).map(([name, { seconds }]) => [name, seconds]))
}

const usualBounds = { bodyBytes: 1_048_576, bodyLevels: 100, bodyValues: 10_000, urlCharacters: 8_000 }

/** The bounds of requests, each the greatest that is allowed: of a body, and of levels and values in JSON; of a URL. */
export type Bounds = Readonly<typeof usualBounds>

/** Returns the bounds in a document's `x-request-bounds`, and the usual ones for the rest. */
export function boundsOf({ 'x-request-bounds': said }: Partial<OpenApi>): Bounds {
  const names = Object.entries(said ?? {}).filter(
    ([name, value]) => Object.hasOwn(usualBounds, name) && Number.isSafeInteger(value) && Number(value) > 0,
  )
  return { ...usualBounds, ...Object.fromEntries(names) }
}

/** Returns when a lifetime that ends now began; 1970 for an endless one. */
export const ago = (seconds: number | undefined, now: Date): Date =>
  seconds === undefined ? new Date(0) : new Date(now.getTime() - seconds * 1_000)
