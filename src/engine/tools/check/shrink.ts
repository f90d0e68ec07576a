import { isObject } from 'spec-served-document/pointer'
import type { Interface } from '../records/interface.ts'
import type { Draft } from '../records/messages.ts'
import { keyHeader } from './keys.ts'
import { describeRequest, toWire } from './requests.ts'
import { type Exchange, identifierIn } from './sending.ts'
import type { Session } from './session.ts'

/** At most this many requests before the one at fault are tried again. */
const most = 12

/** Returns the changing steps that concern the records of the last request, as far as the others may matter. */
export function leadingTo(contract: Interface, steps: readonly Exchange[]): Exchange[] {
  const concerned = new Set<string>()
  const leading: Exchange[] = []
  for (const step of steps.toReversed()) {
    const made = madeBy(step)
    const inPath = namesIn(contract, step, step.draft.path)
    const inBody = [step.draft.body].flat().flatMap(item => namesIn(contract, step, item))
    const decisive = [...made, ...inPath, ...(made.length > 0 ? inBody : [])]
    if (leading.length > 0 && !decisive.some(name => concerned.has(name))) continue
    leading.unshift(step)
    for (const name of [...made, ...inPath, ...inBody]) concerned.add(name)
    if (leading.length > most) break
  }
  return leading
}

/**
 * Returns the fewest of some steps that show a fault. It drops one after the other, and repeats the rest elsewhere.
 * @param during hands a session on an empty service to some work
 * @param isShown whether the last exchange shows the fault
 * @returns undefined where even all of them do not show it again
 */
export async function shrink(
  steps: readonly Exchange[],
  during: <T>(work: (session: Session) => Promise<T>) => Promise<T>,
  isShown: (last: Exchange) => boolean,
): Promise<Exchange[] | undefined> {
  const replay = (some: readonly Exchange[]) =>
    during(async session => {
      const done: Exchange[] = []
      const identifiers = new Map<string, unknown>()
      for (const step of some) done.push(await again(session, step, identifiers))
      const last = done.at(-1)
      return last && isShown(last) ? done : undefined
    })
  let shortest = await replay(steps)
  let kept = steps
  for (const step of shortest ? steps.slice(0, -1) : []) {
    const fewer = kept.filter(candidate => candidate !== step)
    const done = await replay(fewer)
    if (!done) continue
    kept = fewer
    shortest = done
  }
  return shortest
}

/** Does a step again, with the records that were made again in place of those it named. */
async function again(session: Session, step: Exchange, identifiers: Map<string, unknown>): Promise<Exchange> {
  const { contract, key } = session
  const { endpoint } = step
  const replaced = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map(item => replaced(item, name))
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([property, item]) => [property, replaced(item, property)]),
      )
    return identifiers.get(`${contract.referenceIn(endpoint, name)} ${value}`) ?? value
  }
  const draft = replaced(step.draft) as Draft // in the same form
  const request = toWire(endpoint, draft, step.request.headers['content-type'])
  const headers = { ...step.request.headers, ...request.headers, ...keyHeader(contract, key) }
  const done = await session.sendRaw(endpoint, { ...request, headers }, draft)
  for (const name of madeBy(step)) identifiers.set(name, identifierIn(done))
  return done
}

/** The record that a request has made, if it has. */
function madeBy(step: Exchange): string[] {
  const id = identifierIn(step)
  return id === undefined ? [] : [`${step.endpoint.makes} ${id}`]
}

/** The records that an object's properties name. */
const namesIn = (contract: Interface, { endpoint }: Exchange, object: unknown) =>
  Object.entries(isObject(object) ? object : {}).flatMap(([name, id]) => {
    const parameter = contract.referenceIn(endpoint, name)
    return parameter === undefined || isObject(id) ? [] : [`${parameter} ${id}`]
  })

/** Steps for people: a line each, short, and what the last of them contradicts. */
export function showSteps(steps: readonly Exchange[]): string {
  const brief = (text = '') => (text.length > 240 ? `${text.slice(0, 240)}…` : text)
  const lines = steps.map(
    ({ request, reply }, index) =>
      `${index + 1}. ${brief(describeRequest(request))}\n     → ${reply.status} ${brief(reply.text)}`,
  )
  return [...lines, `   ${brief(steps.at(-1)?.faults[0])}`].join('\n    ')
}
