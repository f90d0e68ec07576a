import { createHash } from 'node:crypto'
import type { Model } from '../../document/model.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { lifetimesOf, rateLimitsOf } from '../../service/contract/extensions.ts'
import { factsOf } from '../reading/facts.ts'
import { docsTextsOf } from '../texts/texts.ts'

/** A document to serve, with all that is to be known of it. @param text the YAML or JSON, as written */
export function contractOf(text: string, model: Model): Contract {
  const { document } = model
  const [rateLimits, lifetimes] = [rateLimitsOf(document), lifetimesOf(document)]
  const facts = factsOf(model)
  const hash = createHash('sha256').update(text).digest('hex')
  return { text, hash, model, facts, rateLimits, lifetimes, changelog: '', texts: docsTextsOf(model, facts) }
}
