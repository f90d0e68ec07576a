import fc from 'fast-check'
import { type Endpoint, shapeOf } from '../interface.ts'
import { type Conditions, type Effect, effectsOf, operandOf, type Scope } from '../laws/effects.ts'
import { type Draft, referencesIn, withIdentifiers } from '../requests.ts'
import type { Session } from '../session.ts'
import { innermost } from './differences.ts'

/** How many states are tried of an operation at most. */
const most = 60

/**
 * Sends requests of an operation with effects from each state that they speak of: each value of an enumeration, and numbers
 * below, at and above a bound, of the record and of the body. What must come of it is told by the session's laws.
 */
export async function probeStarts(session: Session, endpoint: Endpoint): Promise<void> {
  const effects = effectsOf(endpoint)
  const ofBody = Object.keys(Object.assign({}, ...effects.map(({ when }) => when)))
    .filter(name => name.startsWith('body.'))
    .map(name => name.slice('body.'.length))
  const shape = shapeOf(session.contract.model, endpoint.request.properties.body ?? {})
  const values = ofBody.map(name => {
    const bounds = effects.flatMap(({ when = {} }) => boundsIn(when, `body.${name}`, noScope))
    return { name, values: valuesFrom(session, shape.properties?.[name], bounds) }
  })
  for (const body of combinations(values))
    for (const [parameter, operand] of recordsOf(effects))
      await fromEach(session, endpoint, { body, parameter, operand })
}

const noScope: Scope = { body: {}, path: {}, before: {} }

/** The records that effects are of, but for those that the request makes. */
const recordsOf = (effects: readonly Effect[]) =>
  new Map(
    effects
      .flatMap(({ of }) => Object.entries(of))
      .filter(([, operand]) => !String(operand).startsWith('reply.')),
  )

interface Start {
  /** what the request's body has */
  body: Record<string, unknown>
  parameter: string
  operand: Effect['of'][string]
}

async function fromEach(session: Session, endpoint: Endpoint, { body, parameter, operand }: Start) {
  const { endpoints } = session.contract
  /** A request about new records, and what operands stand for in it. */
  const prepare = async () => {
    const drawn = session.draw(endpoint, undefined, true)
    const own = 'body' in drawn ? { ...drawn, body: { ...innermost(drawn.body), ...body } } : drawn
    const identifiers = new Map<string, unknown>()
    for (const name of referencesIn(own)) identifiers.set(name, (await session.make(name)).id)
    const draft: Draft = withIdentifiers(own, identifiers)
    const reader = endpoints.find(
      one => one.method === 'GET' && one.record !== undefined && one.record in draft.path,
    )
    const read = reader && (await session.exchange(reader, { path: draft.path }))
    return {
      draft,
      scope: { path: draft.path, body: innermost(draft.body), before: innermost(read?.reply.body) },
    }
  }
  const { scope } = await prepare()
  const effects = effectsOf(endpoint).filter(({ of }) => of[parameter] === operand)
  const named = new Set(
    effects.flatMap(({ needs, when, becomes }) => Object.keys({ ...needs, ...when, ...becomes })),
  )
  const changers = session.contract.changers(parameter)
  const states = [...named].flatMap(name => {
    for (const changer of changers) {
      const { properties = {} } = shapeOf(session.contract.model, changer.request.properties.body ?? {})
      const bounds = effects.flatMap(({ needs = {}, when = {} }) =>
        [needs, when].flatMap(conditions => boundsIn(conditions, name, scope)),
      )
      const values = valuesFrom(session, properties[name], bounds)
      if (values.length > 0) return [{ name, changer, values }]
    }
    return []
  })
  // A number may change what there is of an enumeration, and not the other way round.
  const numbersFirst = states.toSorted(
    (one, other) => Number(typeof other.values[0] === 'number') - Number(typeof one.values[0] === 'number'),
  )
  for (const state of combinations(numbersFirst).slice(0, most)) {
    const { draft, scope } = await prepare()
    const path = { [parameter]: operandOf(operand, scope) }
    for (const { name, changer } of numbersFirst) {
      const value = fc.constant(state[name])
      await session.exchange(changer, {
        ...session.draw(changer, { at: ['body', name], value }, true),
        path,
        header: {},
      })
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

/** The values of an enumeration, or the numbers around bounds. */
function valuesFrom(
  { contract: { model } }: Session,
  schema: Parameters<typeof shapeOf>[1] | undefined,
  bounds: readonly number[],
): unknown[] {
  const { type, enum: values, minimum = -Infinity } = shapeOf(model, schema ?? {})
  if (values) return [...values]
  if (type === 'boolean') return [true, false]
  const around = new Set(bounds.flatMap(bound => [bound - 1, bound, bound + 1]))
  return [...around].filter(number => number >= Number(minimum))
}

/** Every choice of one value of each. */
function combinations(parts: readonly { name: string; values: readonly unknown[] }[]) {
  let all: Record<string, unknown>[] = [{}]
  for (const { name, values } of parts)
    if (values.length > 0) all = all.flatMap(one => values.map(value => ({ ...one, [name]: value })))
  return all
}
