import { isDeepStrictEqual } from 'node:util'
import { codeIn, codes } from '../../records/conventions.ts'
import { type Endpoint, type Kind, takesField } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import { choosingForms, maximumOverrides } from '../forms.ts'
import { declaresEffects } from '../promises.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { type Override, Reference } from '../values.ts'

/** In each state every so many of the ways is tried. */
const waysTried = { own: 1, running: 3 }

/** The ways of asking for an operation that choose a state, and any other. */
const waysOf = (session: Session, endpoint: Endpoint): (Override | undefined)[] => [
  undefined,
  ...choosingForms(session.drawing(endpoint), endpoint).map(({ override }) => override),
]

/**
 * Breaks business rules in the usual ways. A record exists already, is in use by another, has ended, or is the last of
 * its kind. The service must answer as the document declares.
 */
export async function probeRefusals(session: Session, endpoint: Endpoint) {
  const seenKinds = new Set<string>()
  await repeat(session, endpoint, seenKinds)
  if (endpoint.record !== undefined) await afterEachState(session, endpoint, seenKinds)
  if (endpoint.method === 'DELETE' && declaresEffects(session.contract))
    await whileNeeded(session, endpoint, seenKinds)
}

/**
 * A rule of the business refuses the present version as it refuses any; of another version it is not asked.
 * @param seenKinds the refusals that were looked at
 */
async function holdVersions(session: Session, refused: Exchange, seenKinds: Set<string>): Promise<void> {
  const { endpoint, draft, reply } = refused
  const reader = session.contract.endpointFor('GET', endpoint.path)
  const isGuarded = takesField(endpoint, 'if-match') && endpoint.statuses.includes(codes.version.status)
  const kind = `${reply.status} ${codeIn(reply.body)}`
  if (!session.contract.guided || !reader || !isGuarded || reply.status !== 409 || seenKinds.has(kind)) return
  seenKinds.add(kind)
  const { etag } = (await session.exchange(reader, { path: draft.path })).reply.headers
  if (etag === undefined) return
  const present = await session.again(refused, { headers: { 'if-match': etag } })
  const code = codeIn(present.reply.body)
  session.holdSame(present, 'the refusal of the present version', code, codeIn(reply.body))
  const other = await session.again(refused, { headers: { 'if-match': '"another"' } })
  session.holdRefusal(other, 'what a rule refuses, of another version,', codes.version)
}

/** Sends each body twice, as a unique value can't be taken twice. Records that a body names may be missing. */
async function repeat(session: Session, endpoint: Endpoint, seenKinds: Set<string>): Promise<void> {
  if (endpoint.mediaTypes.length === 0) return
  for (const override of [undefined, ...maximumOverrides(session.drawing(endpoint), endpoint)]) {
    const draft = { ...session.draw(endpoint, override), header: {} }
    for (let time = 0; time < 2; time++)
      await holdVersions(session, await session.exchange(endpoint, draft), seenKinds)
    // A refusal of several items names each of them, and does nothing of the items before it.
    const name = override?.place[2] ?? ''
    const first = recordIn(draft.body)
    const { [name]: value } = first
    if (!Array.isArray(draft.body) || typeof value !== 'number') continue
    const body = [...[session.least(endpoint).body].flat(), ...draft.body, { ...first, [name]: value - 1 }]
    await session.exchange(endpoint, { ...draft, body })
  }
}

/** Brings a record into each state that a request can choose. In each it tries every form of the operation. */
async function afterEachState(session: Session, endpoint: Endpoint, seenKinds: Set<string>): Promise<void> {
  const { record = '' } = endpoint
  for (const other of session.contract.kindOf(record)?.changers ?? [])
    for (const [index, state] of waysOf(session, other).slice(1).entries()) {
      const { id } = await session.make(record)
      await session.on(other, id, session.draw(other, state))
      const ways = waysOf(session, endpoint).filter(
        (_, place) => (place + index) % session.either(waysTried) === 0,
      )
      for (const way of ways)
        await holdVersions(session, await session.on(endpoint, id, session.draw(endpoint, way)), seenKinds)
    }
}

/** A record that others name is asked to go. */
async function whileNeeded(session: Session, remover: Endpoint, seenKinds: Set<string>): Promise<void> {
  for (const kind of session.contract.kinds) {
    const { maker, changers } = kind
    const names = Object.entries(recordIn(session.draw(maker).body))
      .filter(([, value]) => value instanceof Reference && value.parameter === remover.record)
      .map(([name]) => name)
    for (const name of names) {
      const made = await session.taken(maker)
      await holdVersions(session, await session.on(remover, recordIn(made.draft.body)[name]), seenKinds)
      for (const changer of changers)
        for (const way of waysOf(session, changer).slice(1))
          await whileNamed(session, remover, kind, name, id =>
            session.on(changer, id, session.least(changer, undefined, way)),
          )
    }
  }
}

/** If a record may be removed while another one names it, the other one stays and names it no more. */
async function whileNamed(
  session: Session,
  remover: Endpoint,
  { maker, reader }: Kind,
  name: string,
  change: (id: unknown) => Promise<unknown>,
): Promise<void> {
  const id = identifierIn(await session.taken(maker))
  if (!reader) return
  await change(id)
  const { [name]: named, ...before } = recordIn((await session.on(reader, id)).reply.body)
  if (named === undefined || (await session.on(remover, named)).reply.status >= 300) return
  const after = await session.on(reader, id)
  const { [name]: dangling, ...rest } = recordIn(after.reply.body)
  const isKept = after.reply.status === reader.success && isDeepStrictEqual(rest, before)
  session.hold(after, `it does not stay as it was when ${remover.id} removes what it names`, isKept)
  session.hold(after, `its ${name} is ${dangling}, which ${remover.id} has removed`, dangling !== named)
}

/**
 * In a service that holds nothing but the caller's own key, changes and deletes all that there is.
 * @param session of a service that nobody has used yet
 */
export async function probeLast(session: Session, endpoint: Endpoint) {
  for (const way of waysOf(session, endpoint))
    await session.on(endpoint, 1, session.least(endpoint, undefined, way))
}
