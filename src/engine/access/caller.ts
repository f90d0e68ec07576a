import type { rateLimits } from '../../generated/operations.ts'
import type { Plan, Scope } from '../../generated/schema.ts'

export type WindowName = (typeof rateLimits.windows)[number]['name']

/** Requests allowed in each window, by the window's name. */
export type Quotas = Readonly<Record<string, number>>

/** Who calls: the holder of a key, or a stranger at an address. */
export type Caller = {
  /** under which the calls are counted */
  readonly counter: string
  readonly plan: Plan
  readonly quotas: Quotas
  readonly bannedUntil: Date | null
} & (
  | { readonly kind: 'key'; readonly keyId: number; readonly scopes: readonly Scope[] }
  | { readonly kind: 'stranger'; readonly address: string }
)

/** The state of one window of a caller. */
export interface WindowState {
  name: WindowName
  /** requests allowed */
  limit: number
  /** requests left */
  remaining: number
  /** Unix time, in whole seconds, at which the window ends */
  reset: number
  /** whether this very request was one too many */
  exceeded: boolean
}
