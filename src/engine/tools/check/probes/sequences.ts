import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { identifier, isSameName, isUsualIdentifier } from '../../records/conventions.ts'
import {
  type Endpoint,
  type Interface,
  type Kind,
  recordParameters,
  takesField,
} from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import { choosingForms } from '../forms.ts'
import { itemsIn } from '../items.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { fullest } from './changes.ts'
import { holdConsequences, holdRemovedWith, holdRepeatedPuts } from './consequences.ts'
import { holdDerived } from './derived.ts'
import { checkDifference } from './differences.ts'
import { listedBy, pagesAfter } from './listed.ts'
import { holdRoles } from './roles.ts'
import { holdStates } from './states.ts'
import { holdCases, holdCleared, holdLatest, holdReused, holdTouching, holdWhole } from './worded.ts'

/**
 * Follows records through their lives, by the document's paths and the service's Location header fields. It creates
 * records, tries each operation on them, deletes them and reads in vain. The session's invariants tell what is read in
 * between and listed in the end. Then it shows of each property of a request that it matters.
 */
export async function probeSequences(session: Session, endpoints: readonly Endpoint[]) {
  for (const kind of session.contract.kinds) {
    const operations = [kind.maker, ...operationsOn(session, kind.parameter)]
    if (operations.some(endpoint => endpoints.includes(endpoint)))
      await session.attempt(() => session.thoroughly(() => live(session, kind)))
  }
  if (!session.contract.guided) return holdRepeatedPuts(session)
  for (const endpoint of endpoints) await session.attempt(() => probeProperties(session, endpoint))
}

/** The operations on single records of a kind, wherever their paths are. */
const operationsOn = ({ contract }: Session, parameter: string) =>
  contract.endpoints.filter(({ record }) => record === parameter)

async function live(session: Session, kind: Kind): Promise<void> {
  const { parameter, maker, remover } = kind
  // The invariants judge the reads in between, and after a removal, of any document.
  if (!session.contract.guided) return liveBesideOthers(session, kind)
  const created = await session.taken(maker, () => session.draw(maker))
  session.holdSuccess(created, 'even the last of many requests')
  const id = identifierIn(created)
  session.hold(created, 'Location does not lead to the new record', id !== undefined)
  if (id === undefined) return
  const within = `${maker.path}/{${parameter}}/`
  for (const endpoint of session.contract.endpoints.filter(({ path }) => path.startsWith(within)))
    for (const choice of [undefined, ...choosingForms(session.drawing(endpoint), endpoint)]) {
      const draw = () => ({
        ...session.draw(endpoint, choice?.override),
        path: { [parameter]: id },
        header: {},
      })
      session.holdSuccess(await session.taken(endpoint, draw), 'even the last of many requests')
    }
  if (remover) await remove(session, parameter, remover)
}

/** One record is changed and removed. Those made before and after it stay, and what nobody made is not there. */
async function liveBesideOthers(session: Session, kind: Kind): Promise<void> {
  const { parameter, maker, reader, remover, changers } = kind
  // Records with all that may be in one, so that what is lost of it shows.
  const make = () => session.make(parameter, () => fullest(session, maker))
  const [before, middle, after] = [await make(), await make(), await make()]
  const read = (record: { id: unknown }) => (reader ? session.on(reader, record.id) : undefined)
  const others = refersToItself(session.contract, kind) ? [] : [before, after]
  const seen = await inTurn(others, read)
  for (const changer of changers) await session.on(changer, middle.id, session.draw(changer))
  const kept = await read(middle)
  const removed = remover && (await session.on(remover, middle.id))
  if (removed && removed.reply.status < 300) await holdRemoved(session, kind, removed, middle.id, kept)
  for (const [index, found] of (await inTurn(others, read)).entries()) {
    const earlier = seen[index]
    if (earlier && found && earlier.reply.status < 300) holdUntouched(session, maker, earlier, found)
  }
  const isOneName = recordParameters(session.contract, maker).size <= 1
  if (reader && isOneName) await readNone(session, kind, reader, [before, middle, after])
  if (reader) await holdWithin(session, reader, before.id, after.id)
  if (remover) await removeNamed(session, kind, remover, after.id)
  for (const look of looks) await session.attempt(() => look(session, kind))
}

/** Looks at what follows for a record from requests about it and about others. */
const looks: readonly ((session: Session, kind: Kind) => Promise<void>)[] = [
  holdConsequences,
  holdRemovedWith,
  holdDerived,
  holdStates,
  holdRoles,
  holdCleared,
  holdLatest,
  holdCases,
  holdReused,
  holdTouching,
  holdWhole,
]

/** A record that another one names is removed, if the service says so. */
async function removeNamed(session: Session, kind: Kind, remover: Endpoint, id: unknown): Promise<void> {
  const isNamed = namesOf(kind)
  for (const { maker } of session.contract.kinds) {
    const name = Object.keys(maker.takes.properties ?? {}).find(isNamed)
    if (name === undefined || maker === kind.maker || maker.path.includes('{')) continue
    const simple = session.simple(maker)
    const draft = { ...simple, body: { ...recordIn(simple.body), [name]: id } }
    if (session.fits(maker, draft)) await session.exchange(maker, draft)
  }
  const before = kind.reader && (await session.on(kind.reader, id))
  const removed = await session.on(remover, id)
  if (removed.reply.status < 300) await holdRemoved(session, kind, removed, id, before)
}

/** Whether a property names a record of a kind: `petId`, or `pet` for those of `/pets`. */
function namesOf({ parameter, maker: { path } }: Kind): (property: string) => boolean {
  const list = path.split('/').at(-1) ?? ''
  return property =>
    isSameName(parameter)(property) || isUsualIdentifier(property, path) || isSameName(`${property}s`)(list)
}

/** The list below a record lacks what was made below another one. */
async function holdWithin(session: Session, reader: Endpoint, id: unknown, other: unknown): Promise<void> {
  const { contract } = session
  for (const list of contract.endpoints) {
    const isWithin =
      list.path.startsWith(`${reader.path}/`) && !list.path.slice(reader.path.length).includes('{')
    const maker = isWithin && list.method === 'GET' ? contract.endpointFor('POST', list.path) : undefined
    if (!maker) continue
    await session.on(maker, id, session.simple(maker))
    const made = await session.on(maker, other, session.simple(maker))
    const listed = await session.on(list, id)
    const key = recordIn(made.reply.body)[identifier.one]
    const items = itemsIn(listed.reply.body, list.path)
    if (made.reply.status >= 300 || listed.reply.status >= 300 || key === undefined || !items) continue
    const isShown = items.some(item => recordIn(item)[identifier.one] === key)
    session.hold(listed, `it lists ${key}, which was made below another record`, !isShown)
  }
}

/**
 * A record that was removed is not what it was: it is not found, or shown as removed. The list does not show one that is
 * not found any more.
 * @param before the record as it was read before
 */
async function holdRemoved(
  session: Session,
  kind: Kind,
  { endpoint, reply }: Exchange,
  id: unknown,
  before: Exchange | undefined,
): Promise<void> {
  const { list, reader } = kind
  // A 202 accepts work that is done later (RFC 9110, section 15.3.3).
  if (reply.status === 202) return
  // A second removal tells if no operation reads the record.
  const found = await session.on(reader ?? endpoint, id)
  // The invariants tell where 404 is declared.
  const isSame =
    before !== undefined &&
    !declaresAbsence(reader) &&
    before.reply.status < 300 &&
    found.reply.status === before.reply.status &&
    isDeepStrictEqual(found.reply.body, before.reply.body)
  session.hold(found, `it was removed by ${endpoint.id}, and is read as before`, !isSame)
  if (!list || (found.reply.status !== 404 && found.reply.status !== 410)) return
  const listed = listedBy(session, list, kind)
  for await (const page of pagesAfter(listed, await listed.read()))
    session.hold(
      page,
      `it lists ${id}, which was removed and is not found`,
      !listed.idsIn(page).includes(String(id)),
    )
}

/** Does something for each, one after the other. */
async function inTurn<Of, Done>(all: readonly Of[], work: (item: Of) => Promise<Done> | undefined) {
  const done: (Done | undefined)[] = []
  for (const item of all) done.push(await work(item))
  return done
}

/** A record is as it was, as far as clients write its texts. */
function holdUntouched({ hold }: Session, { takes }: Endpoint, earlier: Exchange, found: Exchange): void {
  const cause = 'as another one was changed and removed'
  hold(found, `it is not there any more, ${cause}`, found.reply.status < 300)
  const [was, is] = [recordIn(earlier.reply.body), recordIn(found.reply.body)]
  for (const name of Object.keys(takes.properties ?? {}))
    if (typeof was[name] === 'string' && typeof is[name] === 'string')
      hold(found, `its ${name} is another, ${cause}`, was[name] === is[name])
}

/** A record that nobody made is not found, nor changed or removed, where the document declares that. */
async function readNone(
  session: Session,
  { parameter, remover, changers }: Kind,
  reader: Endpoint,
  made: readonly { id: unknown }[],
): Promise<void> {
  const least = session.least(reader)
  const draft = { ...least, path: { ...least.path, [parameter]: unmade(made.map(({ id }) => id)) } }
  if (![reader, ...changers, remover].some(declaresAbsence) || !session.fits(reader, draft)) return
  const missing = await session.exchange(reader, draft)
  const { status } = missing.reply
  if (declaresAbsence(reader)) {
    session.hold(missing, `a record that nobody made is answered ${status}`, status >= 300)
    // Its identifier has the form that the document gives: nothing else is wrong with the request.
    const isForm = typeof draft.path[parameter] === 'number' && (status === 400 || status === 422)
    const what = `a record that nobody made is answered ${status}, which is not declared, and 404 is`
    session.hold(missing, what, !isForm || reader.statuses.includes(status))
  }
  // The path may name several records, and another one of them may be missing.
  if ((status !== 404 && status !== 410) || Object.keys(draft.path).length > 1) return
  const below = session.contract.endpoints.filter(
    ({ path, method }) =>
      path.startsWith(`${reader.path}/`) && namesIn(path) === 1 && /^(GET|POST)$/.test(method),
  )
  for (const endpoint of [...changers, ...(remover ? [remover] : []), ...below]) {
    // A PUT may make what it does not find (RFC 9110, section 9.3.4).
    const isBelow = below.includes(endpoint)
    if (!declaresAbsence(endpoint) || (endpoint.path !== reader.path && !isBelow)) continue
    if (!isBelow && endpoint.statuses.includes(201)) continue
    const path = { ...draft.path }
    const sent = await session.exchange(endpoint, { ...session.simple(endpoint), path, header: {} })
    const what = isBelow ? 'a request below' : endpoint === remover ? 'a removal of' : 'a change of'
    session.hold(
      sent,
      `${what} a record that nobody made is answered ${sent.reply.status}, and 404 is declared`,
      sent.reply.status >= 300,
    )
  }
}

const namesIn = (path: string) => path.split('{').length - 1

const declaresAbsence = (endpoint: Endpoint | undefined) =>
  endpoint?.statuses.some(status => status === 404 || status === 410) ?? false

/** Whether records name others of their kind, which may go and change with them. */
const refersToItself = (contract: Interface, { parameter, maker }: Kind) =>
  Object.keys(maker.takes.properties ?? {}).some(
    name => contract.referenceIn(maker, name) === parameter || /parent|previous|next/i.test(name),
  )

/** An identifier like these, which none of them has. */
function unmade(ids: readonly unknown[]): unknown {
  const numbers = ids.map(Number)
  if (numbers.every(Number.isSafeInteger)) return Math.max(...numbers) + 1_000_003
  return ids.every(id => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(id)))
    ? randomUUID()
    : `${ids[0]}x`
}

/** A deleted record is gone wherever it was to be seen. */
async function remove(session: Session, parameter: string, remover: Endpoint): Promise<void> {
  const { id } = await session.make(parameter)
  session.holdStatus(await session.on(remover, id), 'the removal of a record')
  for (const endpoint of operationsOn(session, parameter)) {
    session.holdStatus(await session.on(endpoint, id), 'a deleted record', 404)
    if (!takesField(endpoint, 'if-match')) continue
    // It has no other version either.
    const named = await session.on(endpoint, id, undefined, { headers: { 'if-match': '"1"' } })
    session.holdStatus(named, 'a deleted record, with If-Match,', 404)
  }
}

/** Shows that each property of a request's body matters if no reply shows it. An invariant covers the others. */
async function probeProperties(session: Session, endpoint: Endpoint): Promise<void> {
  for (const [name, schema] of unshownIn(session.contract, endpoint)) {
    const place = endpoint.takes.type === 'array' ? ['body', '0', name] : ['body', name]
    await checkDifference(session, endpoint, `the property ${name} of its body`, place, schema)
  }
}

/** Lists the properties of a request's body, or of its items, that no reply of the operation shows. */
export function unshownIn({ shape }: Interface, { takes, gives }: Endpoint) {
  const [sentShape, shownShape] = [takes, gives].map(item =>
    item.type === 'array' ? shape(item.items) : item,
  )
  return Object.entries(sentShape?.properties ?? {}).filter(
    ([name]) => !(name in (shownShape?.properties ?? {})),
  )
}
