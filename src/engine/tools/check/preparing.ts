import fc from 'fast-check'
import { valuesIn } from 'spec-served-document/model'
import { type Endpoint, type Interface, isRecordOf } from '../records/interface.ts'
import { type Body, recordIn } from '../records/messages.ts'
import type { Session } from './session.ts'
import { LeftOut, Unreachable } from './summary.ts'
import { type Override, Reference } from './values.ts'

/** A request on a record. */
interface Step {
  endpoint: Endpoint
  override?: Override
}

/** A way to bring a record into a state in which an operation takes it. */
interface Preparation {
  parameter: string
  /** a choice in the request that makes it */
  choice?: Override
  steps: readonly Step[]
}

/** How many ways are tried for an operation. */
const mostWays = 24

/** The ways that replies have shown; undefined where there is none. */
const found = new WeakMap<Endpoint, Preparation | undefined>()

/** How records are prepared for an operation, as far as replies have shown. */
export const preparationFor = (endpoint: Endpoint): Preparation | undefined => found.get(endpoint)

/** Makes a record in the state that an operation asks for. */
export async function makePrepared(session: Session, { parameter, choice, steps }: Preparation) {
  const record = await session.make(parameter, maker => session.draw(maker, choice, true, true))
  for (const { endpoint, override } of steps)
    await take(session, { endpoint, ...(override && { override }) }, parameter, record.id)
  return record
}

/** The least of each number that a request must have, and that names no record: more may be too much. */
export function leastOf({ contract }: Session, endpoint: Endpoint): Body {
  const { properties = {}, required = [] } = endpoint.takes
  const numbers = required.flatMap(name => {
    const { type, minimum = 1 } = contract.shape(properties[name])
    const isPlain = type === 'integer' && contract.referenceIn(endpoint, name) === undefined
    return isPlain ? [[name, Math.max(1, Number(minimum))]] : []
  })
  return Object.fromEntries(numbers)
}

async function take(session: Session, { endpoint, override }: Step, parameter: string, id: unknown) {
  const drawn = session.draw(endpoint, override, true, true)
  const path: Body = { ...drawn.path }
  // Others that it names have all that may be in one, as there may be nothing of one that says nothing.
  for (const [name, value] of Object.entries(path))
    if (value instanceof Reference && value.parameter !== parameter)
      path[name] = (
        await session.make(value.parameter, maker => session.draw(maker, undefined, false, true))
      ).id
  const body =
    'body' in drawn && !override ? { body: { ...recordIn(drawn.body), ...leastOf(session, endpoint) } } : {}
  return session.exchange(endpoint, {
    ...drawn,
    ...body,
    path: { ...path, ...session.pathOf(parameter, id) },
    header: {},
  })
}

/**
 * Looks for the state in which an operation takes a record, where it refuses those that are new: made with another choice,
 * or after other operations on it.
 * @returns whether there is one
 */
export async function findPreparation(session: Session, endpoint: Endpoint): Promise<boolean> {
  const parameter = recordOf(session.contract, endpoint)
  if (parameter === undefined || found.has(endpoint)) return found.get(endpoint) !== undefined
  found.set(endpoint, undefined)
  for (const preparation of waysTo(session, endpoint, parameter).slice(0, mostWays)) {
    const isReached = await reaches(session, endpoint, preparation).catch((error: unknown) => {
      if (error instanceof Unreachable || error instanceof LeftOut) return false
      throw error
    })
    if (!isReached) continue
    found.set(endpoint, preparation)
    return true
  }
  return false
}

/** The path parameter of the only record that a path names, if requests can make it. */
function recordOf({ makers }: Interface, { path }: Endpoint): string | undefined {
  const [name, ...others] = [...path.matchAll(/\{([^{}]+)\}/g)].map(match => match[1] ?? '')
  return name !== undefined && others.length === 0 && makers.has(name) ? name : undefined
}

async function reaches(session: Session, endpoint: Endpoint, preparation: Preparation): Promise<boolean> {
  const { id } = await makePrepared(session, preparation)
  const { reply } = await take(session, { endpoint }, preparation.parameter, id)
  return reply.status < 400
}

/** The ways to other states, the shortest first. */
function waysTo(session: Session, endpoint: Endpoint, parameter: string): Preparation[] {
  const { contract } = session
  const { maker, changers } = contract.kindOf(parameter) ?? {}
  if (!maker) return []
  const actions = actionsOn(contract, parameter).filter(action => action !== endpoint)
  const additions = contract.endpoints.filter(
    ({ method, path }) =>
      path.includes(`{${parameter}}/`) && (method === 'PUT' || (method === 'POST' && path !== endpoint.path)),
  )
  const steps: Step[] = [
    ...additions.filter(addition => !actions.includes(addition)).map(asStep),
    ...actions.map(action => ({ endpoint: action })),
    ...(changers ?? []).flatMap(changer =>
      choicesOf(session, changer).map(override => ({ endpoint: changer, override })),
    ),
  ]
  return [
    ...steps.map(step => ({ parameter, steps: [step] })),
    ...choicesOf(session, maker).map(choice => ({ parameter, choice, steps: [] })),
    ...actions.flatMap(first =>
      actions
        .filter(action => action !== first)
        .map(last => ({ parameter, steps: [first, last].map(asStep) })),
    ),
  ]
}

const asStep = (endpoint: Endpoint): Step => ({ endpoint })

/** The operations that do something with a record, as `POST /orders/{orderId}/cancel`. */
export const actionsOn = ({ endpoints }: Interface, parameter: string): Endpoint[] =>
  endpoints.filter(
    endpoint => endpoint.method === 'POST' && endpoint.makes === undefined && isRecordOf(endpoint, parameter),
  )

/** Each value of the enumerations and truth values of a body. */
function choicesOf({ contract: { shape } }: Session, { takes }: Endpoint): Override[] {
  return Object.entries(takes.properties ?? {}).flatMap(([name, schema]) => {
    const declared = shape(schema)
    const values = valuesIn(declared) ?? (declared.type === 'boolean' ? [true, false] : [])
    return values
      .filter(value => value !== null)
      .map(value => ({ place: ['body', name], value: fc.constant(value) }))
  })
}
