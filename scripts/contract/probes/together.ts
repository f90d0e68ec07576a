import { isObject } from '../../../src/document/pointer.ts'
import type { Endpoint, Kind } from '../interface.ts'
import { effectsOf, operandOf } from '../invariants/effects.ts'
import { type Draft, recordIn } from '../requests.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How many requests are sent at once, and how often: whether the service meets them in one turn is chance. */
const many = 5
const rounds = 3

/**
 * Sends the same request several times at once. The service takes each as if it came alone. It makes a record for each
 * success, and gives a unique value once. Only one of two removals finds something.
 */
export async function probeTogether(session: Session, endpoints: readonly Endpoint[]) {
  for (const kind of session.contract.kinds) {
    const { maker, remover } = kind
    if (endpoints.includes(maker)) await session.attempt(() => makeTogether(session, maker))
    if (remover && endpoints.includes(remover))
      await session.attempt(() => removeTogether(session, kind, remover))
  }
}

const isTaken = ({ reply }: Exchange) => reply.status < 300

async function makeTogether(session: Session, maker: Endpoint): Promise<void> {
  // A body that was accepted once may be accepted for another record, unless a value in it is unique.
  for (const drawn of [await session.plain(maker), session.least(maker)]) {
    let taken = 0
    for (let round = 0; round < rounds; round++) if (await areTaken(session, maker, drawn)) taken++
    if (taken > 0) return
  }
}

/** Sends a request at once with others like it. @returns whether any is taken */
async function areTaken(session: Session, maker: Endpoint, drawn: Draft): Promise<boolean> {
  const draft = await session.placed(drawn)
  const before = await countsOf(session, maker, draft.body)
  const sent = await session.together(maker, draft, many)
  const made = sent.filter(isTaken)
  const ids = new Set(made.map(identifierIn))
  for (const exchange of sent) {
    const { status } = exchange.reply
    session.hold(exchange, `of ${many} at once it is answered ${status}`, status < 500)
    const what = `of ${many} at once ${made.length} are taken, which make ${ids.size} records`
    session.hold(exchange, what, ids.size === made.length)
  }
  const after = await countsOf(session, maker, draft.body)
  for (const [name, { value, change }] of before) {
    const due = value + change * made.length
    const is = after.get(name)?.value
    const what = `${made.length} of ${many} at once are taken, and ${name} becomes ${is} instead of ${due}`
    session.holdOf(maker, what, is === due, made[0])
  }
  return made.length > 0
}

/** The numbers of other records that a request changes, and by how much. */
async function countsOf(session: Session, maker: Endpoint, body: unknown) {
  const scope = { body: recordIn(body), path: {}, before: {} }
  const counts = new Map<string, { value: number; change: number }>()
  for (const { of, becomes = {} } of effectsOf(maker))
    for (const [name, wanted] of Object.entries(becomes)) {
      const [[parameter = '', operand = null] = []] = Object.entries(of)
      if (!isObject(wanted)) continue
      const change = 'plus' in wanted ? operandOf(wanted.plus, scope) : operandOf(wanted.minus, scope)
      const value = await numberOf(session, parameter, operandOf(operand, scope), name)
      if (value !== undefined && typeof change === 'number')
        counts.set(`${name} of {${parameter}}`, { value, change: 'minus' in wanted ? -change : change })
    }
  return counts
}

async function numberOf(session: Session, parameter: string, id: unknown, name: string) {
  for (const reader of session.contract.readers(parameter)) {
    const { [name]: value } = recordIn((await session.on(reader, id)).reply.body)
    if (typeof value === 'number') return value
  }
  return undefined
}

async function removeTogether(session: Session, { parameter }: Kind, remover: Endpoint): Promise<void> {
  const path = { [parameter]: (await session.make(parameter)).id }
  const sent = await session.together(remover, { path, query: {}, header: {} }, many)
  const taken = sent.filter(isTaken).length
  for (const exchange of sent) {
    session.hold(exchange, `of ${many} removals at once ${taken} are taken`, taken === 1)
    if (!isTaken(exchange)) session.holdStatus(exchange, `one of ${many} removals at once`, 404)
  }
}
