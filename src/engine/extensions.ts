import type { OpenApi } from '../document/types.ts'

/** How often each plan may call, and who is banned. */
export interface RateLimits {
  windows: readonly { name: string; seconds: number }[]
  /** requests in each window by its name; `custom`: each key has its own */
  plans: Readonly<Record<string, { custom?: boolean } & Readonly<Record<string, number | boolean>>>>
  /** the plan of callers without a key */
  anonymous: string
  ban: { refusals: number; window: string; seconds: number }
}

/** The rate limits of a document that keeps the fact rules. */
export function rateLimitsOf(document: OpenApi): RateLimits | undefined {
  return document['x-rate-limits'] as RateLimits | undefined // the rules hold it to this form
}

/** How long what a document promises lasts, in seconds; what has no length lasts for ever. */
export interface Lifetimes {
  /** for which the reply to a request with an Idempotency-Key is repeated */
  readonly idempotentReplies?: number
  /** back to which calls of deprecated operations are told, in whole days */
  readonly deprecatedCalls?: number
  /** before the end of an operation for which it is warned of, in whole days */
  readonly sunsetWarnings?: number
}

export function lifetimesOf(document: OpenApi): Lifetimes {
  const lengths = (document['x-lifetimes'] ?? {}) as Record<string, { seconds: number }> // the rules hold it to this form
  return Object.fromEntries(Object.entries(lengths).map(([name, { seconds }]) => [name, seconds]))
}

/** When a length of time began that ends now; 1970 for one without a length. */
export const ago = (seconds: number | undefined, now: Date): Date =>
  seconds === undefined ? new Date(0) : new Date(now.getTime() - seconds * 1_000)
