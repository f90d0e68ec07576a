import fc from 'fast-check'
import { type Endpoint, type Interface, shapeOf } from '../interface.ts'
import { type Effect, effectsOf, operandOf } from '../laws/effects.ts'
import { type Draft, referencesIn, withIdentifiers } from '../requests.ts'
import { type Exchange, identifierIn, type Session } from '../session.ts'
import { innermost } from './differences.ts'

/**
 * A record that stands in the way of a request, or of one of its effects, does so only while the list that the document
 * names has it: it has when it is the only one there, and has not any more once it has changed so that the list leaves it
 * out, or is gone. The session's laws tell what each request does, and what else becomes of that record.
 */
export async function probeHindrances(session: Session, endpoints: readonly Endpoint[]) {
  for (const endpoint of endpoints)
    for (const effect of effectsOf(endpoint))
      if (effect.without ?? effect.unless)
        await session.attempt(() => holdHindrance(session, endpoint, effect))
}

async function holdHindrance(session: Session, endpoint: Endpoint, effect: Effect) {
  const { contract } = session
  const { without, unless, when = {} } = effect
  const named = without ?? unless
  const list = contract.endpoints.find(({ id }) => id === named?.list)
  const [parameter, maker] = [...contract.makers].find(([, { path }]) => path === list?.path) ?? []
  if (parameter === undefined || !maker || !named) return
  const drawn = session.draw(endpoint, undefined, true)
  // It has what the effect asks of it.
  const asked = Object.entries(when).flatMap(([name, value]) =>
    name.startsWith('body.') && typeof value !== 'object' ? [[name.slice('body.'.length), value]] : [],
  )
  const draft: Draft = {
    ...drawn,
    header: {},
    ...(drawn.body !== undefined && { body: { ...innermost(drawn.body), ...Object.fromEntries(asked) } }),
  }
  const identifiers = new Map<string, unknown>()
  for (const name of referencesIn(draft)) identifiers.set(name, (await session.make(name)).id)
  const sent = withIdentifiers(draft, identifiers)
  const scope = { path: sent.path, body: innermost(sent.body), before: {} }
  const wanted = Object.entries(named.with).map(([name, operand]) => ({
    name,
    value: operandOf(operand, scope),
    isOfRequest: /^(path|body)\./.test(String(operand)),
  }))
  if (wanted.some(({ value }) => value === undefined)) return
  const references = Object.fromEntries(
    wanted.filter(({ isOfRequest }) => isOfRequest).map(({ name, value }) => [name, value]),
  )
  const made = await session.taken(maker, () => {
    const own = session.draw(maker, undefined, true)
    return { ...own, body: { ...innermost(own.body), ...references } }
  })
  const id = identifierIn(contract, parameter, made)
  if (id === undefined) return
  await session.exchange(endpoint, sent)

  const path = { [parameter]: id }
  const [condition] = wanted.filter(({ isOfRequest }) => !isOfRequest)
  // Whatever else becomes of the record, the list has it.
  for (const [name, value] of Object.entries(innermost(made.reply.body))) {
    if (
      wanted.some(one => one.name === name) ||
      !(await change(session, parameter, id, references, [name, value]))
    )
      continue
    const still = await session.exchange(endpoint, sent)
    if (without && still.reply.status < 300) return
  }
  const gone = condition
    ? await change(session, parameter, id, references, [condition.name, condition.value])
    : await send(session, of(contract, parameter, /^DELETE$/), { path })
  if (!gone || gone.reply.status >= 300) return
  const read = () => send(session, of(contract, parameter, /^GET$/), { path })
  await read()
  const last = await session.exchange(endpoint, sent)
  const { status } = last.reply
  session.hold(last, `it is answered ${status} although no record of ${list?.id} hinders it`, status < 300)
  await read() // what the request has changed of it has another version
}

/** Gives a property of a record another value than this one, where that can be; what it refers to stays. */
async function change(
  session: Session,
  parameter: string,
  id: string | number,
  references: Readonly<Record<string, unknown>>,
  [name, value]: readonly [name: string, value: unknown],
): Promise<Exchange | undefined> {
  const { contract } = session
  const changer = of(contract, parameter, /^(PUT|PATCH)$/)
  const { properties = {} } = shapeOf(contract.model, changer?.request.properties.body ?? {})
  const declared = properties[name]
  if (!changer || !declared) return undefined
  const shape = shapeOf(contract.model, declared)
  const others = (shape.type === 'boolean' ? [true, false] : (shape.enum ?? [])).filter(one => one !== value)
  if (others.length === 0) return undefined
  const draft = session.draw(changer, { at: ['body', name], value: fc.constantFrom(...others) }, true)
  const kept = Object.entries(references).filter(([own]) => own in properties)
  const body = { ...innermost(draft.body), ...Object.fromEntries(kept) }
  return send(session, changer, { ...draft, path: { [parameter]: id }, header: {}, body })
}

const send = async (session: Session, endpoint: Endpoint | undefined, draft: Partial<Draft>) =>
  endpoint && session.exchange(endpoint, draft)

/** The operation of such a method on the records that a path parameter names. */
const of = ({ endpoints, makers }: Interface, parameter: string, method: RegExp) =>
  endpoints.find(
    one =>
      one.record === parameter &&
      method.test(one.method) &&
      one.path === `${makers.get(parameter)?.path}/{${parameter}}`,
  )
