import type { Model } from '../../document/model.ts'
import { writingOf } from '../../service/validation/forms.ts'
import { factsOf } from '../reading/facts.ts'
import type { Facts } from './client.ts'

/** Returns the facts that a client needs besides the types: only those that are not the default. */
export function clientFacts(model: Model): Facts {
  const facts = factsOf(model)
  const named = model.operations.map(one => ({ name: `${one.method} ${one.path}`, one }))
  const repeatable = named.filter(({ one }) => facts.get(one.id)?.repeatable).map(({ name }) => name)
  const writing = named.flatMap(({ name, one }) => {
    const own = writingOf(model, one)
    return Object.keys(own).length > 0 ? [[name, own] as const] : []
  })
  return { repeatable, ...(writing.length > 0 && { writing: Object.fromEntries(writing) }) }
}
