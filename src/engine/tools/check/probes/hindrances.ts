import fc from 'fast-check'
import { type Effect, effectsOf, operandOf } from '../../records/effects.ts'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How often others are changed until a record can be made that refers to them. */
const attempts = 12

/**
 * A record hinders a request, or its effect, while a list that the document names has it. The probe shows this with a
 * list that has no other record. The hindrance ends once the record is gone, or has left the list by a change. The
 * session's invariants tell what each request does, and how it changes that record.
 */
export async function probeHindrances(session: Session, endpoints: readonly Endpoint[]) {
  const all = endpoints.flatMap(endpoint =>
    effectsOf(endpoint)
      .filter(({ without, unless }) => without ?? unless)
      .flatMap((effect, index) => waysOf(session, index).map(way => ({ endpoint, effect, way }))),
  )
  await session.eachAtOnce(all, ({ endpoint, effect, way }) =>
    session.attempt(() => holdHindrance(session, endpoint, effect, way)),
  )
}

interface Way {
  /** whether the record that hinders is removed in the end; else a change takes it from the list */
  isRemoved: boolean
  /** whether what it refers to was changed in every way there is; else it is as it was made */
  isChanged: boolean
}

/** All ways for the check's own service; in turn one of two pairs, in which each choice is made once, for a running one. */
const waysOf = ({ either }: Session, index: number): readonly Way[] =>
  [false, true].flatMap(isRemoved =>
    [false, true]
      .filter(isChanged => either({ own: true, running: (isRemoved === isChanged) === (index % 2 === 0) }))
      .map(isChanged => ({ isRemoved, isChanged })),
  )

async function holdHindrance(
  session: Session,
  endpoint: Endpoint,
  effect: Effect,
  { isRemoved, isChanged }: Way,
) {
  const { without, when = {} } = effect
  const named = without ?? effect.unless
  const kind = session.contract.kinds.find(({ list }) => list?.id === named?.list)
  if (!kind || !named) return
  const { maker, reader, remover } = kind
  // It has what the effect asks of it.
  const asked = Object.entries(when).flatMap(([name, value]) =>
    name.startsWith('body.') && typeof value !== 'object' ? [[name.slice('body.'.length), value]] : [],
  )
  const sent = await session.placed({ ...session.least(endpoint, Object.fromEntries(asked)), header: {} })
  const scope = { path: sent.path, body: recordIn(sent.body), before: {} }
  const wanted = Object.entries(named.with).map(([name, operand]) => ({
    name,
    value: operandOf(operand, scope),
    isOfRequest: /^(path|body)\./.test(String(operand)),
  }))
  const condition = wanted.find(({ isOfRequest }) => !isOfRequest)
  if (wanted.some(({ value }) => value === undefined) || !(isRemoved ? remover : condition)) return
  const ofRequest = wanted.filter(({ isOfRequest }) => isOfRequest)
  const references = Object.fromEntries(ofRequest.map(({ name, value }) => [name, value]))
  const made = isChanged
    ? await makeOfChanged(session, maker, references)
    : await session.taken(maker, () => session.least(maker, references))
  const id = made && identifierIn(made)
  if (!made || id === undefined) return
  await session.exchange(endpoint, sent)

  // Whatever else becomes of the record, the list has it.
  for (const [name, value] of Object.entries(recordIn(made.reply.body))) {
    const isKept = wanted.some(candidate => candidate.name === name)
    if (isKept || !(await change(session, kind, id, references, name, value))) continue
    const still = await session.exchange(endpoint, sent)
    if (without && still.reply.status < 300) return
  }
  const gone =
    isRemoved && remover
      ? await session.on(remover, id)
      : condition && (await change(session, kind, id, references, condition.name, condition.value))
  if (!gone || gone.reply.status >= 300) return
  if (reader) await session.on(reader, id)
  const last = await session.exchange(endpoint, sent)
  session.holdSuccess(last, `a request that no record of ${named.list} hinders`)
  if (reader) await session.on(reader, id) // what the request has changed of it has another version
}

/** Makes a record that refers to others in whatever state their changes bring them to. */
async function makeOfChanged(session: Session, maker: Endpoint, references: Body) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const [name, id] of Object.entries(references))
      for (const changer of session.contract.kindOf(name)?.changers ?? [])
        await session.on(changer, id, session.draw(changer))
    const made = await session.exchange(maker, session.least(maker, references))
    if (identifierIn(made) !== undefined) return made
  }
  return undefined
}

/** Gives a property of a record another value than this one, where that can be; what it refers to stays. */
async function change(
  session: Session,
  { maker, parameter, changers }: Kind,
  id: string | number,
  references: Body,
  name: string,
  value: unknown,
): Promise<Exchange | undefined> {
  const changer = changers.find(({ path }) => path === `${maker.path}/{${parameter}}`)
  const { properties = {} } = changer?.takes ?? {}
  if (!changer || !(name in properties)) return undefined
  const { type, enum: values = [] } = session.contract.shape(properties[name])
  const others = (type === 'boolean' ? [true, false] : values).filter(candidate => candidate !== value)
  if (others.length === 0) return undefined
  const kept = Object.entries(references).filter(([property]) => property in properties)
  const override = { place: ['body', name], value: fc.constantFrom(...others) }
  return session.on(changer, id, session.least(changer, Object.fromEntries(kept), override))
}
