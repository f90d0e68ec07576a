import type { Model } from '../document/model.ts'
import { type Lifetimes, lifetimesOf, type RateLimits, rateLimitsOf } from './extensions.ts'
import { factsOf, type OperationFacts } from './facts.ts'

/** A document, and all that is to be known of it to serve it. Not to be changed. */
export interface Contract {
  /** the YAML or JSON, as written */
  readonly text: string
  /** what the text says, in one form and one file */
  readonly model: Model
  /** by operationId, in the order of the document */
  readonly facts: ReadonlyMap<string, OperationFacts>
  /** what each release brought, in Markdown; '' where nobody wrote that down */
  readonly changelog: string
  /** undefined: nobody is limited */
  readonly rateLimits: RateLimits | undefined
  readonly lifetimes: Lifetimes
}

export function contractOf(text: string, model: Model, changelog = ''): Contract {
  const { document } = model
  const [rateLimits, lifetimes] = [rateLimitsOf(document), lifetimesOf(document)]
  return { text, model, changelog, facts: factsOf(model), rateLimits, lifetimes }
}
