import type { Model } from '../document/model.ts'
import type { Lifetimes, RateLimits } from './extensions.ts'

/** A document, and all that is to be known of it to serve it. Not to be changed. */
export interface Contract {
  /** the YAML or JSON, as written */
  readonly text: string
  /** SHA-256 of the text */
  readonly hash: string
  /** what the text says, in one form and one file */
  readonly model: Model
  /** by operationId, in the order of the document */
  readonly facts: ReadonlyMap<string, OperationFacts>
  /** what each release brought, in Markdown; '' where nobody wrote that down */
  readonly changelog: string
  readonly texts: DocsTexts
  /** undefined: nobody is limited */
  readonly rateLimits: RateLimits | undefined
  readonly lifetimes: Lifetimes
}

/** What the docs serve beside the document. Where an origin is to stand it is `someOrigin`. */
export interface DocsTexts {
  /** the whole interface in Markdown (llmstxt.org) */
  readonly llms: string
  /** the days on which operations end, for calendars */
  readonly sunsets: string
  /** each operation in Markdown, by operationId */
  readonly operations: Readonly<Record<string, string>>
  /** the rules between records (`x-effects`) in words, by operationId: when each holds, and what it says */
  readonly rules: Readonly<Record<string, readonly (readonly [when: string, what: string])[]>>
}

/** What the server must know of an operation, beyond its types. */
export interface OperationFacts {
  method: string
  path: string
  tag: string | null
  secured: boolean
  scope: string | null
  quotaFree: boolean
  stability: string | null
  deprecation: {
    at: string | null
    sunset: string | null
    successor: { operationId: string; href: string } | null
  } | null
  /** of parameters that need not be sent, by their place and name */
  defaults: Record<'query' | 'header' | 'cookie', Record<string, unknown>>
  /** what a replacement makes of the properties that its body leaves out: defaults, and null for what is removed */
  whenLeftOut: Record<string, unknown>
  /** whether it takes an Idempotency-Key */
  repeatable: boolean
  /** those that are declared by their number */
  statuses: readonly number[]
  /** whether its replies may be repeated and show a secret: a property of the format `password` */
  secretReply: boolean
  /** the statuses of its refusals, by their codes */
  codes: Record<string, number>
}
