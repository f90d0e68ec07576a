import type { Model } from '../model.ts'
import type { Lifetimes, RateLimits } from './extensions.ts'

/** A released document. */
export interface Release {
  version: string
  /** reads the document, in YAML */
  read(): Promise<Buffer>
}

/** A document, and all facts that serving it takes. Read-only. */
export interface Contract {
  /** the YAML or JSON, as written */
  readonly text: string
  /** SHA-256 of the text */
  readonly hash: string
  /** the normalised document, in one file */
  readonly model: Model
  /** by operationId, in the order of the document */
  readonly facts: ReadonlyMap<string, OperationFacts>
  /** the changes of each release, in Markdown; '' without a changelog */
  readonly changelog: string
  /** the released documents, the newest first; absent: none */
  readonly releases?: readonly Release[]
  readonly texts: DocsTexts
  /** undefined: no limits */
  readonly rateLimits: RateLimits | undefined
  readonly lifetimes: Lifetimes
  /** whether fastify-openapi-glue is known to take the whole document; absent: it gets its operations alone */
  readonly isTakenWhole?: true | undefined
}

/** The texts that the docs serve besides the document. `someOrigin` stands for the origin. */
export interface DocsTexts {
  /** the whole interface in Markdown (llmstxt.org) */
  readonly llms: string
  /** the days on which operations end, as a calendar */
  readonly sunsets: string
  /** each operation in Markdown, by operationId */
  readonly operations: Readonly<Record<string, string>>
  /** bodies that fit, by operationId and media type, where the document's first example does not */
  readonly bodies: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** the rules between records (`x-effects`) in sentences of Markdown, by operationId */
  readonly rules: Readonly<Record<string, readonly string[]>>
}

/** The facts about an operation that the server needs, beyond its types. */
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
  /** defaults of optional parameters, by place and name */
  defaults: Record<'query' | 'header' | 'cookie', Record<string, unknown>>
  /** the values that a replacement gives to properties left out: defaults, and null for those that it removes */
  whenLeftOut: Record<string, unknown>
  /** whether it takes an Idempotency-Key */
  repeatable: boolean
  /** the statuses that are declared by number */
  statuses: readonly number[]
  /** whether replies that are replayed may hold a secret: a property of the format `password` */
  secretReply: boolean
  /** the statuses of its refusals, by code */
  codes: Record<string, number>
}
