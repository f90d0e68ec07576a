import { codeIn } from '../conventions.ts'
import type { Endpoint, Interface } from '../interface.ts'
import { effectsOf, operandOf } from '../laws/effects.ts'
import type { Draft } from '../requests.ts'
import { type Exchange, identifierIn, keyHeader, type Session } from '../session.ts'
import { plainDraft } from './answers.ts'
import { innermost, isBody } from './differences.ts'

/** How many requests are sent at once, and how often: whether the service meets them in one turn is chance. */
const many = 5
const rounds = 3

/**
 * Sends the same request several times at once: each is taken as if it came alone, so that what is made is made as often
 * as is said, what there is once is had once, and of two removals one finds something.
 */
export async function probeTogether(session: Session, endpoints: readonly Endpoint[]) {
  for (const [parameter, maker] of session.contract.makers) {
    if (endpoints.includes(maker)) await session.attempt(() => makeTogether(session, parameter, maker))
    const remover = session.contract.at('DELETE', `${maker.path}/{${parameter}}`)
    if (remover && endpoints.includes(remover))
      await session.attempt(() => removeTogether(session, parameter, remover))
  }
}

const isTaken = ({ reply }: Exchange) => reply.status < 300

async function makeTogether(session: Session, parameter: string, maker: Endpoint): Promise<void> {
  // What was taken once may be taken of another record too, unless it can't be had twice.
  const drafts = [await plainDraft(session, maker), session.draw(maker, undefined, true)]
  for (const drawn of drafts) {
    let taken = 0
    for (let round = 0; round < rounds; round++) if (await areTaken(session, parameter, maker, drawn)) taken++
    if (taken > 0) return
  }
}

/** Sends a request at once with others like it. @returns whether any is taken */
async function areTaken(
  session: Session,
  parameter: string,
  maker: Endpoint,
  drawn: Draft,
): Promise<boolean> {
  const { contract } = session
  // All that it names is there then, and as it was made.
  const { request: unsent, draft } = await session.exchange(maker, drawn, { key: null })
  const request = { ...unsent, headers: { ...unsent.headers, ...keyHeader(contract, session.key) } }
  const before = await countsOf(session, maker, draft.body)
  const sent = await session.together(maker, request, draft, many)
  const made = sent.filter(isTaken)
  const ids = new Set(made.map(exchange => identifierIn(contract, parameter, exchange)))
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
    const what = `${made.length} of ${many} at once are taken, and ${name} becomes ${is}, and not ${due}`
    session.holdOf(maker, what, is === due, made[0])
  }
  return made.length > 0
}

/** The numbers of other records that a request changes, and by how much. */
async function countsOf(session: Session, maker: Endpoint, body: unknown) {
  const scope = { body: innermost(body), path: {}, before: {} }
  const counts = new Map<string, { value: number; change: number }>()
  for (const { of, becomes = {} } of effectsOf(maker))
    for (const [name, wanted] of Object.entries(becomes)) {
      const [[parameter = '', operand = null] = []] = Object.entries(of)
      if (!isBody(wanted)) continue
      const change =
        'plus' in wanted ? operandOf(wanted.plus, scope) : 'minus' in wanted && operandOf(wanted.minus, scope)
      const value = await numberOf(session, parameter, operandOf(operand, scope), name)
      if (value !== undefined && typeof change === 'number')
        counts.set(`${name} of {${parameter}}`, { value, change: 'minus' in wanted ? -change : change })
    }
  return counts
}

async function numberOf(
  session: Session,
  parameter: string,
  id: unknown,
  name: string,
): Promise<number | undefined> {
  for (const reader of readersOf(session.contract, parameter)) {
    const { reply } = await session.exchange(reader, { path: { [parameter]: id } })
    const { [name]: value } = innermost(reply.body)
    if (typeof value === 'number') return value
  }
  return undefined
}

const readersOf = ({ endpoints }: Interface, parameter: string) =>
  endpoints.filter(({ method, record }) => method === 'GET' && record === parameter)

async function removeTogether(session: Session, parameter: string, remover: Endpoint): Promise<void> {
  const path = { [parameter]: (await session.make(parameter)).id }
  const draft = { path, query: {}, header: {} }
  const [reader] = readersOf(session.contract, parameter)
  if (!reader) return
  const { request } = await session.exchange(reader, draft)
  const sent = await session.together(remover, { ...request, method: remover.method }, draft, many)
  const taken = sent.filter(isTaken).length
  for (const exchange of sent) {
    const { status, body } = exchange.reply
    const isGone = isTaken(exchange) || status === 404
    session.hold(exchange, `of ${many} removals at once ${taken} are taken`, taken === 1)
    session.hold(
      exchange,
      `of ${many} removals at once one is answered ${status} ${codeIn(body) ?? ''}`,
      isGone,
    )
  }
}
