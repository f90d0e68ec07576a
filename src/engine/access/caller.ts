/** What names the holder of a credential, as who checks it has it. */
export type HolderId = string | number

/** Requests allowed in each window, by the window's name. */
export type Quotas = Readonly<Record<string, number>>

/** Whose credential it is, and what it allows. */
export interface Holder {
  readonly id: HolderId
  readonly scopes: readonly string[]
  /** of `x-rate-limits` */
  readonly plan: string
  /** its own, where the plan has none */
  readonly quotas: Quotas | null
  readonly bannedUntil: Date | null
}

/** What one of the counters of a caller has come to in its window. */
export interface Counted {
  readonly count: number
  /** the end of the window, in ms since 1970; when that is over, the counter has come to nothing */
  readonly endsAt: number
}

/** Who calls: the holder of a credential, or whoever is at an address. */
export type Caller = {
  /** under which the calls are counted */
  readonly counter: string
  readonly plan: string
  readonly quotas: Quotas
  readonly bannedUntil: Date | null
} & (
  | { readonly kind: 'key'; readonly keyId: HolderId; readonly scopes: readonly string[] }
  | { readonly kind: 'address'; readonly address: string }
)

/** The state of one window of a caller. */
export interface WindowState {
  name: string
  /** requests allowed */
  limit: number
  /** requests left */
  remaining: number
  /** Unix time, in whole seconds, at which the window ends */
  reset: number
  /** whether this very request was one too many */
  exceeded: boolean
}
