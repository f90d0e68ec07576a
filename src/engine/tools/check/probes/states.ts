import { valuesIn } from 'spec-served-document/model'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import { actionsOn, makePrepared, preparationFor } from '../preparing.ts'
import type { Session } from '../session.ts'

/** The operation that brings a record from one state into another, as its text names both. */
interface Transition {
  action: Endpoint
  property: string
  from: unknown
  to: unknown
}

/**
 * An operation of which the text names two states, and which brings a record from one into the other, refuses records in a
 * state that it does not name, where it declares a conflict.
 */
export async function holdStates(session: Session, kind: Kind): Promise<void> {
  const { parameter, reader } = kind
  if (!reader) return
  for (const action of actionsOn(session.contract, parameter)) {
    await session.attempt(() => holdOnce(session, kind, action))
    for (const transition of transitionsBy(session, reader, action))
      await session.attempt(() => holdTransition(session, kind, reader, transition))
  }
}

/** An operation is not done twice to one record, where the text of its conflict says so. */
async function holdOnce(session: Session, { parameter }: Kind, action: Endpoint): Promise<void> {
  const { description = '' } = action.responses.get('409') ?? {}
  const { summary = '', description: own = '' } = action.operation
  const sentences = `${description}. ${summary}. ${own}`.split(/(?<=[.;:])\s+/)
  const isOnce = sentences.some(text => once.test(text) && !repeated.test(text))
  if (!action.statuses.includes(409) || !isOnce) return
  const { id } = await makePrepared(session, preparationFor(action) ?? { parameter, steps: [] })
  const first = await session.on(action, id, session.simple(action))
  if (first.reply.status >= 300) return
  const second = await session.again(first)
  session.hold(
    second,
    'it is done twice to one record, and its text says that it is not',
    second.reply.status >= 300,
  )
}

const once = /\b(already|only once|once only|not twice|a second time)\b/i

/** Words of requests that are sent again, of which the reply is the same. */
const repeated = /\b(idempoten\w*|keys?|repeat\w*|retr(y|ies)|same (request|body))\b/i

/** The transitions that the text of an operation names, of the properties that are states. */
function transitionsBy({ contract }: Session, reader: Endpoint, action: Endpoint): Transition[] {
  if (!action.statuses.includes(409)) return []
  const { summary = '', description = '' } = action.operation
  const words = `${summary}. ${description}`.toLowerCase()
  return Object.entries(reader.gives.properties ?? {}).flatMap(([property, schema]) => {
    const states = (valuesIn(contract.shape(schema)) ?? []).filter(value => typeof value === 'string')
    const named = states.filter(state =>
      new RegExp(`\\b${state.toLowerCase().replace(/\\W/g, '.')}s?\\b`).test(words),
    )
    const [one, two] = named
    if (states.length < 3 || named.length !== 2) return []
    return [
      { action, property, from: one, to: two },
      { action, property, from: two, to: one },
    ]
  })
}

async function holdTransition(
  session: Session,
  { parameter }: Kind,
  reader: Endpoint,
  way: Transition,
): Promise<void> {
  const { action, property, from, to } = way
  const preparation = preparationFor(action) ?? { parameter, steps: [] }
  const stateOf = async (id: string | number) => recordIn((await session.on(reader, id)).reply.body)[property]
  const run = async (id: string | number) => {
    const before = await stateOf(id)
    const sent = await session.on(action, id, session.simple(action))
    return { before, sent, after: await stateOf(id) }
  }
  const right = [await makePrepared(session, preparation), await session.make(parameter, session.simple)]
  const runs: Awaited<ReturnType<typeof run>>[] = []
  for (const { id } of right) runs.push(await run(id))
  for (const other of actionsOn(session.contract, parameter)) {
    const { id } = await session.make(parameter, session.simple)
    if (other === action) continue
    await session.on(other, id, session.simple(other))
    runs.push(await run(id))
  }
  const isTaken = ({ sent, after }: (typeof runs)[number]) => sent.reply.status < 300 && after === to
  if (!runs.some(each => isTaken(each) && each.before === from)) return
  for (const each of runs) {
    const what = `it makes ${JSON.stringify(each.before)} ${to}, and its text names ${from} alone`
    session.hold(each.sent, what, !isTaken(each) || each.before === from || each.before === to)
  }
}
