import { isObject } from '../../src/document/pointer.ts'
import type { Interface } from './interface.ts'
import { type Draft, describeRequest, toWire } from './requests.ts'
import { type Exchange, identifierIn, keyHeader, type Session } from './session.ts'

/** At most this many requests before the one at fault are tried again. */
const most = 12

/** The requests that led to a fault, the one that shows it last. */
export type Steps = readonly Exchange[]

/** Of all that has changed something, what concerns the records that a request names: as far as the rest may matter. */
export function leadingTo(contract: Interface, trace: Steps, last: Exchange): Exchange[] {
  const concerned = new Set(namesIn(contract, last))
  const steps = [last]
  for (const step of trace.toReversed()) {
    if (steps.length > most) break
    const made = madeBy(contract, step)
    const own = [...namesIn(contract, step), ...made]
    const isChange = pathNames(contract, step).some(name => concerned.has(name))
    const isUse = namesIn(contract, step).some(name => concerned.has(name)) && made.length > 0
    if (!isChange && !isUse && !made.some(name => concerned.has(name))) continue
    steps.unshift(step)
    for (const name of own) concerned.add(name)
  }
  return steps
}

/**
 * The fewest of some steps that show a fault: one after the other is dropped, and the rest done anew elsewhere.
 * @param open opens a session on an empty service, and hands back how to close it
 * @param isShown whether the last exchange shows the fault
 * @returns undefined where even all of them do not show it anew
 */
export async function shrink(
  steps: Steps,
  open: () => Promise<{ session: Session; close: () => Promise<void> }>,
  isShown: (last: Exchange) => boolean,
): Promise<Steps | undefined> {
  const replay = async (some: Steps): Promise<Exchange[] | undefined> => {
    const { session, close } = await open()
    try {
      const done: Exchange[] = []
      const identifiers = new Map<string, unknown>()
      for (const step of some) done.push(await again(session, step, identifiers))
      const last = done.at(-1)
      return last && isShown(last) ? done : undefined
    } finally {
      await close()
    }
  }
  let shortest = await replay(steps)
  if (!shortest) return undefined
  let kept = [...steps]
  for (const step of steps.slice(0, -1)) {
    const fewer = kept.filter(one => one !== step)
    const done = await replay(fewer)
    if (!done) continue
    kept = fewer
    shortest = done
  }
  return shortest
}

/** Does a step anew, with the records that were made anew in place of those it named. */
async function again(session: Session, step: Exchange, identifiers: Map<string, unknown>): Promise<Exchange> {
  const { contract, key } = session
  const { endpoint } = step
  const replaced = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map(item => replaced(item, name))
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, name)]))
    const parameter = contract.referenceIn(endpoint, name)
    return identifiers.get(`${parameter} ${value}`) ?? value
  }
  const draft = replaced(step.draft) as Draft // in the same form
  const request = toWire(endpoint, draft, step.request.headers['content-type'])
  const headers = { ...step.request.headers, ...request.headers, ...keyHeader(contract, key) }
  const done = await session.sendRaw(endpoint, { ...request, headers }, draft)
  for (const parameter of contract.makers.keys()) {
    const [old, own] = [step, done].map(one => identifierIn(contract, parameter, one))
    if (old !== undefined) identifiers.set(`${parameter} ${old}`, own)
  }
  return done
}

const madeBy = (contract: Interface, step: Exchange) =>
  [...contract.makers.keys()].flatMap(parameter => {
    const id = identifierIn(contract, parameter, step)
    return id === undefined ? [] : [`${parameter} ${id}`]
  })

const pathNames = (contract: Interface, { endpoint, draft }: Exchange) =>
  Object.entries(draft.path).flatMap(([name, id]) => {
    const parameter = contract.referenceIn(endpoint, name)
    return parameter === undefined ? [] : [`${parameter} ${id}`]
  })

/** The records that a request names, in its path and its body. */
function namesIn(contract: Interface, exchange: Exchange): string[] {
  const { body } = exchange.draft
  const inBody = [body]
    .flat()
    .flatMap(item => (isObject(item) ? Object.entries(item) : []))
    .flatMap(([name, id]) => {
      const parameter = contract.referenceIn(exchange.endpoint, name)
      return parameter === undefined || isObject(id) ? [] : [`${parameter} ${id}`]
    })
  return [...pathNames(contract, exchange), ...inBody]
}

/** Steps for people: a line each, short, and what the last of them contradicts. */
export function showSteps(steps: Steps): string {
  const [fault = ''] = steps.at(-1)?.faults ?? []
  const brief = (text: string) => (text.length > 240 ? `${text.slice(0, 240)}…` : text)
  return steps
    .map(
      ({ request, reply }, index) =>
        `${index + 1}. ${brief(describeRequest(request))}\n     → ${reply.status} ${brief(reply.text)}`,
    )
    .concat(`   ${brief(fault)}`)
    .join('\n    ')
}
