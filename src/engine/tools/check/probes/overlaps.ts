import { showsSecret } from 'spec-served-document/reading/facts'
import { codeIn, identifier } from '../../records/conventions.ts'
import { effectsOf } from '../../records/effects.ts'
import type { Endpoint, Kind } from '../../records/interface.ts'
import { type Body, type Draft, recordIn } from '../../records/messages.ts'
import { referencesIn, withIdentifiers } from '../requests.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { Reference } from '../values.ts'
import { anAmount, bodiesFor } from './starts.ts'

/** Each pair of two operations is tried, or one in so many. */
const pairsTried = { own: 1, running: 2 }
/** How often two operations are sent at once, about: whether they overlap is chance. */
const rounds = { own: 3, running: 1 }
/** How many bodies are tried of an operation at most. */
const choices = { own: 2, running: 1 }

/**
 * Sends two requests about one record at once. In the end all is as if one had come after the other. What that is, the
 * same requests tell, one after the other, in both orders. Then the record is removed, which shows whether the service
 * still counts rightly what hinders that.
 */
export async function probeOverlaps(session: Session, endpoints: readonly Endpoint[]) {
  const { kinds, model } = session.contract
  for (const kind of kinds.filter(({ maker }) => !showsSecret(model, maker))) {
    const acting = session.contract.endpoints.filter(endpoint => actsOn(session, endpoint, kind))
    const isDue = (pair: Pair<Endpoint>) =>
      pair.some(candidate => decides(candidate, kind)) &&
      pair.some(candidate => endpoints.includes(candidate))
    const isTried = ([first, second]: Pair<Endpoint>, index: number) =>
      first === second || index % session.either(pairsTried) === 0
    await session.eachAtOnce(pairsOf(acting).filter(isDue).filter(isTried), pair =>
      session.attempt(async () => {
        const all = bodiesOf(session, pair)
        for (const [index, bodies] of all.entries()) {
          // Two requests of one kind meet in the fewest places.
          const most = session.either(rounds)
          const count = pair[0] === pair[1] ? most : Math.ceil(most / all.length)
          const turns = Array.from({ length: count }, (_, turn) => turn + index)
          await overlap(session, kind, pair, bodies, turns, index % 2 === 0)
        }
      }),
    )
  }
}

type Pair<Of> = readonly [Of, Of]

const pairsOf = <Of>(all: readonly Of[]): Pair<Of>[] =>
  all.flatMap((first, index) => all.slice(index).map((second): Pair<Of> => [first, second]))

/** The choices of two bodies. */
function bodiesOf(session: Session, [first, second]: Pair<Endpoint>): Pair<Body>[] {
  const [ones, others] = [first, second].map(endpoint =>
    bodiesFor(session, endpoint).slice(-session.either(choices)),
  )
  if (first === second || !others) return pairsOf(ones ?? [])
  return (ones ?? []).flatMap(body => others.map((beside): Pair<Body> => [body, beside]))
}

/** Whether a request may change a record of a kind, or refer to one. */
function actsOn(session: Session, endpoint: Endpoint, { parameter, maker, reader }: Kind): boolean {
  const { method, operation, path } = endpoint
  if (method === 'GET' || operation.deprecated || endpoint === maker || !reader) return false
  const isHeld = effectsOf(endpoint).some(({ of }) => parameter in of)
  return isHeld || path.includes(`{${parameter}}`) || referencesIn(session.least(endpoint)).has(parameter)
}

/** Whether a request depends on a record, or changes it in another way than by its body. */
const decides = (endpoint: Endpoint, { parameter }: Kind) =>
  effectsOf(endpoint).some(
    ({ of, needs = {}, without, becomes = {} }) =>
      parameter in of &&
      (without !== undefined ||
        Object.keys(needs).length > 0 ||
        Object.entries(becomes).some(([name, value]) => value !== `before.${name}`)),
  )

async function overlap(
  session: Session,
  kind: Kind,
  pair: Pair<Endpoint>,
  bodies: Pair<Body>,
  turns: readonly number[],
  isExact: boolean,
): Promise<void> {
  const drawn = pair.map((endpoint, index) => {
    const body = { ...referencesOf(endpoint, kind), ...bodies[index] }
    return session.least(endpoint, Object.keys(body).length > 0 ? body : undefined)
  })
  const open = () => openStage(session, kind, pair, drawn, isExact)
  const due = new Set<string>()
  const orders = [
    [0, 1],
    [1, 0],
  ]
  const inOrder = async (order: readonly number[]) => {
    const { steps, outcome } = await open()
    const sent: Exchange[] = []
    for (const index of order) {
      const step = steps[index]
      if (step) sent[index] = await session.exchange(step.endpoint, step.draft)
    }
    return outcome(sent)
  }
  for (const turn of turns) {
    const { steps, outcome } = await open()
    const isTurned = turn % 2 === 1
    const sent = await session.together(isTurned ? steps.toReversed() : steps)
    const found = await outcome(isTurned ? sent.toReversed() : sent)
    while (!due.has(found) && orders.length > 0) due.add(await inOrder(orders.pop() ?? []))
    const what = `${pair.map(item => item.id).join(' and ')} at once end as they do in no order: ${found} instead of ${[...due].join(' or ')}`
    for (const first of sent.slice(0, 1)) session.hold(first, what, due.has(found))
  }
}

/** The properties of a body by which effects name a record. */
const referencesOf = (endpoint: Endpoint, { parameter }: Kind): Body =>
  Object.fromEntries(
    effectsOf(endpoint).flatMap(({ of }) => {
      const [, name] = /^body\.(.+)/.exec(String(of[parameter])) ?? []
      return name === undefined ? [] : [[name, new Reference(parameter)]]
    }),
  )

/**
 * Makes a record, and two requests about it. Those that are about another one, which refers to it, have one each.
 * @param isExact whether the record has just what both take, so that nothing is left, or else something besides
 */
async function openStage(
  session: Session,
  kind: Kind,
  pair: Pair<Endpoint>,
  drawn: readonly Draft[],
  isExact: boolean,
) {
  const { contract } = session
  const { parameter } = kind
  const { id } = await session.make(parameter)
  const kinds = pair.map((endpoint, index) =>
    referencesIn(drawn[index]).has(parameter) ? undefined : ownKind(session, endpoint, kind),
  )
  const taken = pair.flatMap((endpoint, index) =>
    amountNames(endpoint).map(name => Number(recordIn(drawn[index]?.body)[name] ?? 0)),
  )
  const sum = taken.reduce((sumSoFar, amountTaken) => sumSoFar + amountTaken, 0)
  const takesAny = taken.length > 0 || kinds.some(Boolean)
  const amount = isExact && sum > 0 ? sum + kinds.filter(Boolean).length : anAmount + kinds.length
  for (const changer of takesAny ? kind.changers : []) {
    const body = amountsIn(session, kind, changer, amount)
    if (Object.keys(body).length > 0) await session.on(changer, id, session.least(changer, body))
  }
  const pathIds = new Map<string, unknown>([[parameter, id]])
  const steps: { endpoint: Endpoint; draft: Draft }[] = []
  for (const [index, endpoint] of pair.entries()) {
    const identifiers = new Map(pathIds)
    const other = kinds[index]
    if (other) {
      const least = Object.fromEntries(amountNames(other.maker).map(name => [name, 1]))
      const draft = withIdentifiers(session.least(other.maker, least), pathIds)
      const made = await session.exchange(other.maker, await session.placed({ ...draft, header: {} }))
      identifiers.set(other.parameter, identifierIn(made))
    }
    const draft = withIdentifiers(drawn[index], identifiers)
    if (draft) steps.push({ endpoint, draft: { ...(await session.placed(draft)), header: {} } })
  }

  /** The statuses of requests, the records that they are about, without identifiers and other texts, and the removal. */
  async function outcome(sent: readonly Exchange[]): Promise<string> {
    const records: (readonly [name: string, id: unknown])[] = [[parameter, id]]
    for (const { endpoint, reply, draft } of sent) {
      const made = identifierIn({ endpoint, reply })
      if (made !== undefined && endpoint.makes) records.push([endpoint.makes, made])
      records.push(...Object.entries(draft.path).filter(([name]) => name !== parameter))
    }
    const states: unknown[] = []
    for (const [name, record] of records)
      for (const reader of contract.readers(name)) {
        const { status, body } = (await session.on(reader, record)).reply
        states.push(status < 300 ? comparable(session, reader, body) : status)
      }
    const last = kind.remover && (await session.on(kind.remover, id))
    const answers = [...sent, ...(last ? [last] : [])].map(({ reply }) => [reply.status, codeIn(reply.body)])
    return JSON.stringify([answers, states])
  }
  return { steps, outcome }
}

/** The kind of the records that an operation is about, if these refer to a record of another kind. */
function ownKind(session: Session, { record }: Endpoint, { parameter }: Kind): Kind | undefined {
  const otherKind = record === parameter ? undefined : session.contract.kindOf(record)
  return otherKind && referencesIn(session.least(otherKind.maker)).has(parameter) ? otherKind : undefined
}

/** The properties of a body that a request takes away from another record, or adds to it. */
const amountNames = (endpoint: Endpoint) =>
  effectsOf(endpoint)
    .flatMap(({ becomes = {} }) => Object.values(becomes))
    .flatMap(value => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    .flatMap(operand => /^body\.(.+)/.exec(String(operand))?.[1] ?? [])

/** The numbers of a record that requests add to or take from, in a body. */
function amountsIn({ contract }: Session, { parameter }: Kind, { takes }: Endpoint, amount: number): Body {
  const names = contract.endpoints
    .flatMap(effectsOf)
    .filter(({ of }) => parameter in of)
    .flatMap(({ becomes = {} }) =>
      Object.entries(becomes).flatMap(([name, value]) => (typeof value === 'object' && value ? name : [])),
    )
  return Object.fromEntries(
    names.filter(name => name in (takes.properties ?? {})).map(name => [name, amount]),
  )
}

/** The numbers, truth values and values of enumerations in a record; of anything else only whether it is there. */
function comparable({ contract }: Session, reader: Endpoint, body: unknown): Body {
  return Object.fromEntries(
    Object.entries(recordIn(body)).map(([name, value]) => {
      const isName = name === identifier.one || contract.referenceIn(reader, name) !== undefined
      const isText = typeof value === 'string' && !contract.shape(reader.gives.properties?.[name]).enum
      return [name, isName || isText ? '…' : value]
    }),
  )
}
