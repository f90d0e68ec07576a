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

/** What is counted of one caller in memory, from window to window: by the place of each among all that are counted. */
export interface Tally {
  /** under which it is counted */
  readonly caller: string
  readonly counts: number[]
  /** in seconds since 1970; when a window is over, it has come to nothing */
  readonly ends: number[]
  /** whether it is the one that is held of its caller, waits to be noted, and to be saved; kept here by who holds it */
  isHeld: boolean
  isUnnoted: boolean
  isUnsaved: boolean
}

/** One of the counters of a caller that are held elsewhere. */
export interface Counter {
  readonly name: string
  readonly window: { readonly name: string; readonly seconds: number }
  /** the most that it may come to */
  readonly limit: number
}

/** Who calls: the holder of a credential, or a stranger at an address. */
export type Caller = {
  /** under which the calls are counted */
  readonly counter: string
  readonly plan: string
  readonly quotas: Quotas
  readonly bannedUntil: Date | null
  /** of its windows, kept here by who counts, where the caller is the same in all requests */
  counters?: readonly Counter[]
  /** likewise, by who counts in memory */
  tally?: Tally
} & (
  | { readonly kind: 'key'; readonly keyId: HolderId; readonly scopes: readonly string[] }
  | { readonly kind: 'stranger'; readonly address: string }
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
