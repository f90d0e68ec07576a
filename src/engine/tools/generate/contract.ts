import { createHash } from 'node:crypto'
import type { Contract } from 'spec-served-document/contract/contract'
import { lifetimesOf, rateLimitsOf } from 'spec-served-document/contract/extensions'
import type { Model } from 'spec-served-document/model'
import { factsOf } from 'spec-served-document/reading/facts'
import { docsTextsOf } from '../texts/texts.ts'

/** A document to serve, with all that is to be known of it. @param text the YAML or JSON, as written */
export function contractOf(text: string, model: Model): Contract {
  const { document } = model
  const [rateLimits, lifetimes] = [rateLimitsOf(document), lifetimesOf(document)]
  const facts = factsOf(model)
  const hash = createHash('sha256').update(text).digest('hex')
  return { text, hash, model, facts, rateLimits, lifetimes, changelog: '', texts: docsTextsOf(model, facts) }
}
