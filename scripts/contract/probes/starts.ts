import fc from 'fast-check'
import type { Endpoint } from '../interface.ts'
import { type Conditions, type Effect, effectsOf, operandOf, type Scope } from '../invariants/effects.ts'
import { type Body, recordIn } from '../requests.ts'
import type { Session } from '../session.ts'

/** How many states are tried of an operation at most. */
const most = 60

/**
 * Sends requests of an operation with effects from each state of the record and of the body that the effects name.
 * These are each value of an enumeration, and numbers around a bound. The session's invariants tell what comes of it.
 */
export async function probeStarts(session: Session, endpoint: Endpoint): Promise<void> {
  const effects = effectsOf(endpoint)
  const ofBody = Object.keys(Object.assign({}, ...effects.map(({ when }) => when)))
    .filter(name => name.startsWith('body.'))
    .map(name => name.slice('body.'.length))
  const values = ofBody.map(name => {
    const bounds = effects.flatMap(({ when = {} }) => boundsIn(when, `body.${name}`, noScope))
    return { name, values: valuesFrom(session, endpoint, name, bounds) }
  })
  for (const body of combinations(values))
    for (const record of recordsOf(effects)) await fromEach(session, endpoint, body, record)
}

const noScope: Scope = { body: {}, path: {}, before: {} }

/** The records that effects are of, but for those that the request makes. */
const recordsOf = (effects: readonly Effect[]) =>
  new Map(
    effects
      .flatMap(({ of }) => Object.entries(of))
      .filter(([, operand]) => !String(operand).startsWith('reply.')),
  )

/** @param body the request's body */
async function fromEach(
  session: Session,
  endpoint: Endpoint,
  body: Body,
  [parameter, operand]: readonly [string, Effect['of'][string]],
): Promise<void> {
  const { contract } = session
  /** A request about new records, and what operands stand for in it. */
  const prepare = async () => {
    const draft = await session.placed(session.least(endpoint, body))
    const { path } = draft
    const reader = contract.endpoints.find(
      one => one.method === 'GET' && one.record !== undefined && one.record in path,
    )
    const before = recordIn(reader && (await session.exchange(reader, { path })).reply.body)
    return { draft, scope: { path, body: recordIn(draft.body), before } }
  }
  const { scope } = await prepare()
  const effects = effectsOf(endpoint).filter(({ of }) => of[parameter] === operand)
  const named = new Set(
    effects.flatMap(({ needs, when, becomes }) => Object.keys({ ...needs, ...when, ...becomes })),
  )
  const changers = contract.kindOf(parameter)?.changers ?? []
  const states = [...named].flatMap(name => {
    const bounds = effects.flatMap(({ needs = {}, when = {} }) =>
      [needs, when].flatMap(conditions => boundsIn(conditions, name, scope)),
    )
    const able = changers.map(changer => ({
      name,
      changer,
      values: valuesFrom(session, changer, name, bounds),
    }))
    return able.filter(({ values }) => values.length > 0).slice(0, 1)
  })
  // A number may change what there is of an enumeration, and not the other way round.
  const numbersFirst = states.toSorted(
    (one, other) => Number(typeof other.values[0] === 'number') - Number(typeof one.values[0] === 'number'),
  )
  for (const state of combinations(numbersFirst).slice(0, most)) {
    const { draft, scope } = await prepare()
    const id = operandOf(operand, scope)
    for (const { name, changer } of numbersFirst) {
      const override = { at: ['body', name], value: fc.constant(state[name]) }
      await session.on(changer, id, session.least(changer, undefined, override))
    }
    await session.exchange(endpoint, { ...draft, header: {} })
  }
}

/** The numbers that conditions compare something with. */
function boundsIn(conditions: Conditions, name: string, scope: Scope): number[] {
  const wanted = conditions[name] ?? null
  const bound = typeof wanted !== 'object' || wanted === null ? wanted : Object.values(wanted)[0]
  const value = operandOf(bound ?? null, scope)
  return typeof value === 'number' ? [value] : []
}

/** The values of an enumeration in the body of a request, or the numbers around bounds. */
function valuesFrom({ contract }: Session, { takes }: Endpoint, name: string, bounds: readonly number[]) {
  const { type, enum: values, minimum = -Infinity } = contract.shape(takes.properties?.[name])
  if (values) return [...values]
  if (type === 'boolean') return [true, false]
  const around = new Set(bounds.flatMap(bound => [bound - 1, bound, bound + 1]))
  return [...around].filter(number => number >= Number(minimum))
}

/** Every choice of one value of each. */
function combinations(parts: readonly { name: string; values: readonly unknown[] }[]) {
  let all: Body[] = [{}]
  for (const { name, values } of parts)
    if (values.length > 0) all = all.flatMap(one => values.map(value => ({ ...one, [name]: value })))
  return all
}
