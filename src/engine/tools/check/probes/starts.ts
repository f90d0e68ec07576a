import fc from 'fast-check'
import {
  type Conditions,
  type Effect,
  effectsOf,
  type List,
  operandOf,
  place,
  type Scope,
} from '../../records/effects.ts'
import type { Endpoint } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'

/** How many states are tried of an operation at most, with each body and of each record; of a running service with all. */
const most = { own: 60, running: 12 }
/** Greater than the number of states, and prime: so many steps on, one after the other, each comes once. */
const stride = 7_919

/**
 * Sends requests of an operation with effects from each state of the record and of the body that the effects name.
 * These are each value of an enumeration, and numbers around a bound. The session's invariants tell what comes of it.
 */
export async function probeStarts(session: Session, endpoint: Endpoint): Promise<void> {
  const bodies = bodiesFor(session, endpoint)
  const records = recordsOf(effectsOf(endpoint))
  const { own, running } = most
  const count = session.either({ own, running: Math.ceil(running / bodies.length / records.size) })
  for (const body of bodies)
    for (const record of records) await fromEach(session, endpoint, body, record, count)
}

/** The properties of a body that the effects of an operation name, in each choice of their values. */
export function bodiesFor(session: Session, endpoint: Endpoint): Body[] {
  const effects = effectsOf(endpoint)
  const amounts = amountsOf(effects)
  const ofBody = [...Object.keys(Object.assign({}, ...effects.map(({ when }) => when))), ...amounts]
    .filter(name => name.startsWith('body.'))
    .map(name => name.slice('body.'.length))
  const values = [...new Set(ofBody)].map(name => {
    const bounds = effects.flatMap(({ when = {} }) => boundsIn(when, `body.${name}`, noScope))
    if (amounts.includes(`body.${name}`)) bounds.push(anAmount)
    return { name, values: valuesFrom(session, endpoint, name, bounds) }
  })
  return combinations(values)
}

const noScope: Scope = { body: {}, path: {}, before: {} }

/** A number that shows whether it is added: not 0 or 1, which others may add as well. */
export const anAmount = 3

/** The operands that effects add or take away. */
const amountsOf = (effects: readonly Effect[]) =>
  effects
    .flatMap(({ becomes = {} }) => Object.values(becomes))
    .flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    .filter(operand => typeof operand === 'string')

/** The records that effects are of, but for those that the request makes. */
const recordsOf = (effects: readonly Effect[]) =>
  new Map(
    effects
      .flatMap(({ of }) => Object.entries(of))
      .filter(([, operand]) => !String(operand).startsWith('reply.')),
  )

/**
 * @param body the request's body
 * @param count the number of states
 */
async function fromEach(
  session: Session,
  endpoint: Endpoint,
  body: Body,
  [parameter, operand]: readonly [string, Effect['of'][string]],
  count: number,
): Promise<void> {
  const { contract } = session
  /** A request about new records, and what operands stand for in it. */
  const prepare = async () => {
    const least = session.least(endpoint, body)
    const ids = await ownRecord(session, endpoint)
    const draft = await session.placed({ ...least, path: { ...least.path, ...ids } })
    const { path } = draft
    const reader = contract.endpoints.find(
      candidate => candidate.method === 'GET' && candidate.record !== undefined && candidate.record in path,
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
  // All that an action on a record does not name stays as it is, whatever it is.
  if (endpoint.method === 'POST' && operand === `path.${parameter}`)
    for (const { takes } of changers) for (const name of Object.keys(takes.properties ?? {})) named.add(name)
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
    (a, b) => Number(typeof b.values[0] === 'number') - Number(typeof a.values[0] === 'number'),
  )
  // One that hinders alone is looked at by the probe of hindrances.
  const isAmongThem = (list: string) => contract.kindOf(endpoint.record)?.list?.id === list
  const hindering = effects.flatMap(({ without, unless }) => without ?? unless ?? []).slice(0, 1)
  const all = combinations([
    ...numbersFirst,
    ...hindering.map(({ list }) => ({ name: list, values: isAmongThem(list) ? [0, 1] : [0, 2] })),
  ])
  const few = Array.from(
    { length: Math.min(all.length, count) },
    (_, index) => all[session.either({ own: index, running: (index * stride) % all.length })] ?? {},
  )
  await session.eachAtOnce(few, async state => {
    const { draft, scope: operands } = await prepare()
    const id = operandOf(operand, operands)
    for (const list of hindering)
      for (let made = 0; made < Number(state[list.list]); made++) await hinder(session, list, operands)
    for (const { name, changer } of numbersFirst) {
      const override = { place: ['body', name], value: fc.constant(state[name]) }
      await session.on(changer, id, session.least(changer, undefined, override))
    }
    // The requests that bring the records there are followed up where they are looked at themselves.
    await session.thoroughly(async () => void (await session.exchange(endpoint, { ...draft, header: {} })))
  })
}

/** The record of the path, if effects add or take away something of it: made with an amount of that. */
async function ownRecord(session: Session, endpoint: Endpoint): Promise<Body> {
  const { record = '' } = endpoint
  const maker = session.contract.makers.get(record)
  const names = amountsOf(effectsOf(endpoint)).flatMap(operand => /^before\.(.+)/.exec(operand)?.[1] ?? [])
  if (!maker || names.length === 0) return {}
  const id = await madeWith(session, maker, Object.fromEntries(names.map(name => [name, anAmount])))
  return id === undefined ? {} : { [record]: id }
}

/** Makes a record that a list has. */
async function hinder(session: Session, { list, with: wanted }: List, scope: Scope): Promise<void> {
  const kind = session.contract.kinds.find(candidate => candidate.list?.id === list)
  const fromRequest = Object.entries(wanted).filter(([, operand]) => place.test(String(operand)))
  const references = fromRequest.map(([name, operand]) => [name, operandOf(operand, scope)])
  if (kind) await madeWith(session, kind.maker, Object.fromEntries(references))
}

/** Makes a record with some values. What it refers to may have to change before it can be made. @returns its id */
async function madeWith(session: Session, maker: Endpoint, values: Body) {
  const draft = await session.placed({ ...session.least(maker, values), header: {} })
  for (let attempt = 0; attempt < 10; attempt++) {
    const id = identifierIn(await session.exchange(maker, draft))
    if (id !== undefined) return id
    for (const [name, referred] of Object.entries(recordIn(draft.body)))
      for (const changer of session.contract.kindOf(session.contract.referenceIn(maker, name))?.changers ??
        [])
        await session.on(changer, referred)
  }
  return undefined
}

/** The numbers that conditions compare something with. */
function boundsIn(conditions: Conditions, name: string, scope: Scope): number[] {
  const wanted = conditions[name] ?? null
  const bound = typeof wanted !== 'object' || wanted === null ? wanted : Object.values(wanted)[0]
  const value = operandOf(bound ?? null, scope)
  return typeof value === 'number' ? [value] : []
}

/** The values of an enumeration in the body of a request, or the numbers around bounds; none of what it does not take. */
function valuesFrom({ contract }: Session, { takes }: Endpoint, name: string, bounds: readonly number[]) {
  if (!(name in (takes.properties ?? {}))) return []
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
    if (values.length > 0) all = all.flatMap(item => values.map(value => ({ ...item, [name]: value })))
  return all
}
