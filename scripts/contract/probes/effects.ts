import fc from 'fast-check'
import type { Endpoint } from '../interface.ts'
import { effectsOf } from '../laws/effects.ts'
import { type Draft, referencesIn, withIdentifiers } from '../requests.ts'
import { identifierIn, type Session } from '../session.ts'

/** How many requests of such operations follow each other. */
const steps = 250
/** How many records of a kind they are about: few, so that much happens to each. */
const records = 3

/**
 * Sends random requests of those operations that have effects on other records, and of those that change the same kinds,
 * to a few records: what each of them becomes is told by the session's laws.
 */
export async function probeEffects(session: Session, endpoints: readonly Endpoint[]) {
  const { contract } = session
  if (!endpoints.some(({ operation }) => 'x-effects' in operation)) return
  const effects = endpoints.flatMap(effectsOf)
  // Those that lists of effects hold, too.
  const lists = effects.flatMap(({ without, unless }) => [without?.list, unless?.list])
  const listed = new Set(lists.flatMap(list => contract.model.operation(list ?? '')?.path ?? []))
  const kinds = new Set([
    ...effects.flatMap(({ of }) => Object.keys(of)),
    ...[...contract.makers].flatMap(([parameter, { path }]) => (listed.has(path) ? [parameter] : [])),
  ])
  const isAbout = ({ path, method }: Endpoint) =>
    method !== 'GET' &&
    [...kinds].some(kind => path.includes(`{${kind}}`) || contract.makers.get(kind)?.path === path)
  // Where one of them has changed, the others show it.
  const acting = contract.endpoints.filter(isAbout).filter(({ operation }) => !operation.deprecated)
  if (acting.length === 0) return
  const pool = new Map<string, (number | string)[]>()
  const choices = fc.sample(fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), {
    seed: session.seed,
    numRuns: steps,
  })
  for (const [which = 0, whom = 0, isPlain = 0, isNew = 0] of choices) {
    const endpoint = acting[which % acting.length]
    if (!endpoint) continue
    const draft = { ...session.draw(endpoint, undefined, isPlain % 2 === 0), header: {} }
    const identifiers = new Map<string, unknown>()
    for (const parameter of referencesIn(draft)) {
      const known = pool.get(parameter) ?? []
      pool.set(parameter, known)
      if (known.length < records || isNew % 10 === 0) known.unshift((await session.make(parameter)).id)
      known.length = Math.min(known.length, records)
      identifiers.set(parameter, known[whom % known.length])
    }
    const sent: Draft = withIdentifiers(draft, identifiers)
    const exchange = await session.exchange(endpoint, sent)
    if (exchange.reply.status >= 300) continue
    for (const [parameter, maker] of contract.makers) {
      const id = maker === endpoint ? identifierIn(contract, parameter, exchange) : undefined
      const known = pool.get(parameter) ?? []
      if (id === undefined) continue
      known.unshift(id)
      known.length = Math.min(known.length, records)
      pool.set(parameter, known)
    }
  }
}
