import fc from 'fast-check'
import { valuesIn } from 'spec-served-document/model'
import { type Endpoint, type Interface, isRecordOf } from '../records/interface.ts'
import { type Body, type Draft, recordIn, type WireReply } from '../records/messages.ts'
import { isLearntWithin } from './learnt.ts'
import { referencesIn, withIdentifiers } from './requests.ts'
import type { Session } from './session.ts'
import { LeftOut, Unreachable } from './summary.ts'
import { type Override, Reference } from './values.ts'

/** A request on a record. */
interface Step {
  endpoint: Endpoint
  override?: Override
}

/** A way to bring a record into a state in which an operation takes it. */
export interface Preparation {
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

/**
 * Makes a record in the state that an operation asks for.
 * @param isAmple whether it has so much of everything that much can be taken from it
 */
export async function makePrepared(
  session: Session,
  { parameter, choice, steps }: Preparation,
  isAmple = false,
) {
  const record = await session.make(parameter, maker => {
    const draft = session.draw(maker, choice, true, true)
    return isAmple ? withAmple(session, maker, draft) : draft
  })
  for (const { endpoint, override } of steps)
    await take(session, { endpoint, ...(override && { override }) }, parameter, record.id)
  return record
}

/** The least of each number that a request must have, and that names no record: more may be too much. */
export function leastOf({ contract }: Session, endpoint: Endpoint): Body {
  const { properties = {}, required = [] } = endpoint.takes
  const numbers = required.flatMap(name => {
    const { type, minimum = 1 } = contract.shape(properties[name])
    const isKnown = isLearntWithin(endpoint, ['body', name])
    const isPlain = type === 'integer' && contract.referenceIn(endpoint, name) === undefined && !isKnown
    return isPlain ? [[name, Math.max(1, Number(minimum))]] : []
  })
  return Object.fromEntries(numbers)
}

/** An ample number: what is taken from something with so much of it leaves enough. */
export const ample = 10_000

/** A request with ample numbers, where they name no record. */
export function withAmple({ contract }: Session, endpoint: Endpoint, draft: Draft): Draft {
  const numbers = Object.entries(endpoint.takes.properties ?? {}).flatMap(([name, schema]) => {
    const { type, maximum = Infinity } = contract.shape(schema)
    const isNumber = type === 'integer' && contract.referenceIn(endpoint, name) === undefined
    const isSent = name in recordIn(draft.body) && !isLearntWithin(endpoint, ['body', name])
    return isNumber && isSent ? [[name, Math.min(ample, Number(maximum))]] : []
  })
  return 'body' in draft
    ? { ...draft, body: { ...recordIn(draft.body), ...Object.fromEntries(numbers) } }
    : draft
}

async function take(session: Session, { endpoint, override }: Step, parameter: string, id: unknown) {
  const identifiers = new Map([[parameter, id]])
  const drawn = withIdentifiers(session.draw(endpoint, override, true, true), identifiers)
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
 * Looks for a state in which an operation takes a record, where it refuses those that are new: made with another choice, or
 * after other operations on it.
 * @param isNews whether a reply leads on: the state is kept then
 * @param reachStep finds a request that an operation takes which may lead to the state
 * @returns the first such reply
 */
export async function findPreparation(
  session: Session,
  endpoint: Endpoint,
  isNews: (reply: WireReply) => boolean,
  reachStep: (step: Endpoint) => Promise<unknown>,
): Promise<WireReply | undefined> {
  const parameter = recordOf(session, endpoint)
  if (parameter === undefined) return undefined
  const { choice, steps } = found.get(endpoint) ?? { steps: [] }
  for (const way of waysTo(session, endpoint, parameter).slice(0, mostWays)) {
    if (choice && way.choice) continue
    for (const step of way.steps) await reachStep(step.endpoint)
    const before = way.steps.flatMap(step => found.get(step.endpoint)?.steps ?? [])
    const preparation = { ...(choice && { choice }), ...way, steps: [...steps, ...before, ...way.steps] }
    const reply = await replyAfter(session, endpoint, preparation).catch((error: unknown) => {
      if (error instanceof Unreachable || error instanceof LeftOut) return undefined
      throw error
    })
    if (!reply || !isNews(reply)) continue
    found.set(endpoint, preparation)
    return reply
  }
  return undefined
}

/** The path parameter of the only record that a request names, if requests can make it. */
function recordOf(session: Session, endpoint: Endpoint): string | undefined {
  const [name, ...others] = referencesIn(session.simple(endpoint))
  return name !== undefined && others.length === 0 && session.contract.makers.has(name) ? name : undefined
}

async function replyAfter(
  session: Session,
  endpoint: Endpoint,
  preparation: Preparation,
): Promise<WireReply> {
  const { id } = await makePrepared(session, preparation)
  return (await take(session, { endpoint }, preparation.parameter, id)).reply
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
