import fc from 'fast-check'
import { effectsOf } from '../../records/effects.ts'
import type { Endpoint } from '../../records/interface.ts'
import { referencesIn, withIdentifiers } from '../requests.ts'
import { identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How many requests of such operations follow each other. */
const steps = { own: 250, running: 60 }
/** How many records of a kind they are about: few, so that much happens to each. */
const records = 3
/** How many such sequences there are at once at most. */
const mostLanes = 4

/**
 * Sends random requests of the operations that have effects on other records, and of those that change the same kinds.
 * They go to a few records. The session's invariants tell what becomes of each.
 */
export async function probeEffects(session: Session, endpoints: readonly Endpoint[]) {
  const { contract } = session
  const effects = endpoints.flatMap(effectsOf)
  // Records that the lists of effects hold count, too.
  const lists = effects.flatMap(({ without, unless }) => [without?.list, unless?.list])
  const named = new Set(effects.flatMap(({ of }) => Object.keys(of)))
  const paths = contract.kinds
    .filter(({ parameter, list }) => named.has(parameter) || (list && lists.includes(list.id)))
    .flatMap(({ parameter, maker }) => [maker.path, `{${parameter}}`])
  // These operations change records that the others show.
  const acting = contract.endpoints.filter(
    ({ path, method, operation }) =>
      method !== 'GET' &&
      !operation.deprecated &&
      paths.some(part => path === part || (part.startsWith('{') && path.includes(part))),
  )
  const choices = fc.array(fc.nat(), { minLength: 4, maxLength: 4 })
  const all = fc.sample(choices, { seed: session.seed, numRuns: session.either(steps) })
  const lanes = Array.from({ length: Math.min(session.width, mostLanes) }, (_, lane) => lane)
  await session.eachAtOnce(lanes, lane => {
    const some = all.filter((_, index) => index % lanes.length === lane)
    return sendToFew(session, acting, some)
  })
}

/** Sends a request for each choice of an operation, of a record and of a form, to a few records of its own. */
async function sendToFew(
  session: Session,
  acting: readonly Endpoint[],
  choices: readonly (readonly number[])[],
): Promise<void> {
  const pool = new Map<string, (number | string)[]>()
  const add = (parameter: string, id: number | string) =>
    pool.set(parameter, [id, ...(pool.get(parameter) ?? [])].slice(0, records))
  for (const [which = 0, whom = 0, isPlain = 0, isNew = 0] of choices) {
    const endpoint = acting[which % acting.length]
    if (!endpoint) return
    const drawn = isPlain % 2 === 0 ? session.least(endpoint) : session.draw(endpoint)
    const identifiers = new Map<string, unknown>()
    for (const parameter of referencesIn(drawn)) {
      const { length = 0 } = pool.get(parameter) ?? []
      if (length < records || isNew % 10 === 0) add(parameter, (await session.make(parameter)).id)
      const ids = pool.get(parameter) ?? []
      identifiers.set(parameter, ids[whom % ids.length])
    }
    const sent = withIdentifiers({ ...drawn, header: {} }, identifiers)
    const id = identifierIn(await session.exchange(endpoint, sent))
    if (id !== undefined && endpoint.makes !== undefined) add(endpoint.makes, id)
  }
}
