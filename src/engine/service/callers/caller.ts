/** The identifier of a credential's holder, as its checker knows it. Holders of two schemes may have the same. */
export type HolderId = string | number

/** Requests allowed in each window, by the window's name. */
export type Quotas = Readonly<Record<string, number>>

/** The holder of a credential, with its plan and rights. */
export interface Holder {
  readonly id: HolderId
  readonly scopes: readonly string[]
  /** a plan of `x-rate-limits` */
  readonly plan: string
  /** the holder's own quotas, for a plan that has none */
  readonly quotas: Quotas | null
  readonly bannedUntil: Date | null
}

/** The count of one of a caller's counters in its present window. */
export interface Counted {
  readonly count: number
  /** the end of the window, in ms since 1970; after it the count is zero */
  readonly endsAt: number
}

/** A caller: the holder of a credential, or an address. */
export type Caller = {
  /** the name under which the calls are counted; no other caller has it */
  readonly counter: string
  readonly plan: string
  readonly quotas: Quotas
  readonly bannedUntil: Date | null
} & (
  | {
      readonly kind: 'key'
      /** the security scheme that the holder is known by */
      readonly scheme: string
      readonly keyId: HolderId
      readonly scopes: readonly string[]
    }
  | { readonly kind: 'address'; readonly address: string }
)

/** Returns the counter of a scheme's holder. @param isKey whether the holder is an API key in the database */
export const holderCounter = (scheme: string, id: HolderId, isKey = false): string =>
  isKey ? `key:${id}` : `holder:${scheme}:${id}`

/** Returns the identifier of the API key in the database that has a counter; undefined for other callers. */
export function keyOf(counter: string): number | undefined {
  return counter.startsWith('key:') ? Number(counter.slice(4)) : undefined
}

/** The state of one window of a caller. */
export interface WindowState {
  name: string
  /** requests allowed */
  limit: number
  /** requests left */
  remaining: number
  /** Unix time, in whole seconds, at which the window ends */
  reset: number
  /** whether this request exceeded the limit */
  exceeded: boolean
}
