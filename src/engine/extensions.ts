import type { OpenApi, Response } from '../document/types.ts'

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

/** An extension's text; whoever else uses its name may mean something else by it. */
export function textOf(node: object, name: `x-${string}`): string | undefined {
  const value: unknown = name in node ? node[name as keyof typeof node] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The codes of the errors that a response can carry: its `x-codes`. */
export function codesOf(response: Response): readonly string[] {
  const codes: unknown = 'x-codes' in response ? response['x-codes'] : undefined
  return Array.isArray(codes) ? codes.filter(code => typeof code === 'string') : []
}
