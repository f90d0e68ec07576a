import { typesIn } from 'spec-served-document/model'
import { type Endpoint, isRecordOf, type Kind, needsNothing } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { itemsIn } from '../items.ts'
import { actionsOn, leastOf, makePrepared, preparationFor, withAmple } from '../preparing.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { Unreachable } from '../summary.ts'
import { listedBy } from './listed.ts'

/** An operation that adds something to a record, which its path or a property of its body names. */
interface Adder {
  endpoint: Endpoint
  property?: string
}

/** A record to which something is added, and how it is. */
export interface Whole {
  session: Session
  kind: Kind
  reader: Endpoint
  adder: Adder
  id: string | number
  read(): Promise<Body>
  /** Adds something. @param body properties of the request that adds it */
  add(body?: Body): Promise<Exchange>
}

/** Names of numbers that say how much is left of something, and of means. */
const leftName = /left|avail|remain|free|vacan|stock/i
const meanName = /^(avg|average|mean)|(avg|average|mean)$/i
const countName = /count$|^(num|number)_?of|_?total$/i
const sumName = /^(total|sum)|(total|sum|count)$/i
/** Operations that give back what another one has taken. */
const undoing = /^(cancel|void|revoke|release|refund|abort|withdraw|undo)/i
/** How many records are tried: one may have room for nothing. */
const tries = 4
/** How much is added to a record to go beyond the most that it may have. */
const mostAdded = 12
/** How often the most that may be asked for at once is asked for, to leave little. */
const mostTakings = 6

/**
 * Holds a service of others to what follows for a record from what is added to it and taken away: numbers that count it,
 * have its mean, or say what is left.
 */
export async function holdConsequences(session: Session, kind: Kind): Promise<void> {
  for (const adder of addersOf(session, kind))
    await session.attempt(async () => {
      const openWhole = () => wholeFor(session, kind, adder)
      for (let time = 0; time < tries; time++) if (await holdCounts(await openWhole())) break
      await holdMeans(await openWhole())
    })
}

/** The operations that add something to the records of a kind. */
export function addersOf({ contract }: Session, { parameter, reader }: Kind): Adder[] {
  if (!reader) return []
  return contract.endpoints.flatMap((endpoint): Adder[] => {
    const { method, path, mediaTypes, takes } = endpoint
    if (method !== 'POST' || mediaTypes.length === 0) return []
    if (isRecordOf(endpoint, parameter)) return [{ endpoint }]
    if (path.includes(`{${parameter}}`)) return []
    const property = Object.keys(takes.properties ?? {}).find(
      name => contract.referenceIn(endpoint, name) === parameter,
    )
    return property === undefined ? [] : [{ endpoint, property }]
  })
}

/** @param isAmple whether it has so much of everything that much can be taken from it */
export async function wholeFor(session: Session, kind: Kind, adder: Adder, isAmple = false): Promise<Whole> {
  const { parameter, reader } = kind
  const { endpoint, property } = adder
  if (!reader) throw new Unreachable(`No operation reads what {${parameter}} names`)
  const preparation = preparationFor(endpoint)
  const isPrepared = preparation?.parameter === parameter
  const { id } = isPrepared
    ? await makePrepared(session, preparation, isAmple)
    : await session.make(parameter, maker => {
        const draft = session.simple(maker)
        return isAmple ? withAmple(session, maker, draft) : draft
      })
  return {
    ...{ session, kind, reader, adder, id },
    read: async () => recordIn((await session.on(reader, id)).reply.body),
    add(body = {}) {
      const simple = session.simple(endpoint)
      const named = {
        ...recordIn(simple.body),
        ...leastOf(session, endpoint),
        ...(property !== undefined && { [property]: id }),
        ...body,
      }
      const draft = { ...simple, body: named, header: {} }
      return property === undefined ? session.on(endpoint, id, draft) : session.exchange(endpoint, draft)
    },
  }
}

export const numberOf = (record: Body, name: string): number | undefined => {
  const { [name]: value } = record
  return typeof value === 'number' ? value : undefined
}

/** By how much the numbers of a record have changed, those that have not left out. */
function changesOf(before: Body, after: Body): Map<string, number> {
  const names = Object.keys(after).filter(name => numberOf(before, name) !== undefined)
  const changes = names.map(name => [name, Number(after[name]) - Number(before[name])] as const)
  return new Map(changes.filter(([, change]) => change !== 0))
}

/**
 * Two additions change a number alike: it counts them, or says what they leave.
 * @returns whether both were taken
 */
async function holdCounts(whole: Whole): Promise<boolean> {
  const { session, reader } = whole
  const before = await whole.read()
  const first = await whole.add()
  const between = await whole.read()
  const second = await whole.add()
  const after = await whole.read()
  if (first.reply.status >= 300 || second.reply.status >= 300) return false
  const [early, late] = [changesOf(before, between), changesOf(between, after)]
  for (const [name, change] of early) {
    const isCount = change === 1 && late.get(name) === 1 && countName.test(name)
    const isSum = change > 0 && Number(late.get(name)) > 0 && sumName.test(name)
    if (isCount || isSum) await holdCount(whole, name, first)
    const amount = amountOf(first, change)
    const isLeft =
      amount !== undefined && -Number(late.get(name)) === numberOf(recordIn(second.draft.body), amount)
    if (isLeft) await holdLeft(whole, name, amount, first)
    // The reply is held to its schema, whose bound a service may count wrongly.
    const { maximum = Infinity } = session.contract.shape(reader.gives.properties?.[name])
    for (let more = 0; change > 0 && Number(maximum) <= mostAdded && more < mostAdded; more++) {
      const { status } = (await whole.add()).reply
      if (status >= 300 || Number((await whole.read())[name]) > Number(maximum)) break
    }
  }
  return true
}

/** The property of a request that has what a number has become less by. */
function amountOf({ draft, endpoint }: Exchange, change: number): string | undefined {
  const sent = recordIn(draft.body)
  return Object.keys(endpoint.takes.properties ?? {}).find(name => change < 0 && sent[name] === -change)
}

/**
 * A number that is that of the records in a list is so after one of them is removed, and a sum over the parts of a record is
 * another one without a part.
 */
async function holdCount(
  { session, adder, id, kind, reader, read }: Whole,
  name: string,
  first: Exchange,
): Promise<void> {
  const { endpoint, property } = adder
  const { list, remover, maker } = session.contract.kinds.find(some => some.maker === endpoint) ?? {}
  const key = identifierIn(first)
  if (!remover || !maker || key === undefined) return
  const isPart = remover.path.startsWith(`${reader.path}/`) && sumName.test(name)
  const isNested = list?.path === endpoint.path && property === undefined
  const isSelected = list?.parameters.some(({ in: place, name: of }) => place === 'query' && of === property)
  if (!isPart && !isNested && !isSelected) return
  const path = isNested ? { [kind.parameter]: id } : undefined
  const listed = list && listedBy(session, list, { maker }, undefined, path)
  const query = isSelected && property !== undefined ? { [property]: id } : {}
  const count = async () => {
    const { ids, isAll } = (await listed?.readSeveral(query)) ?? {}
    return isAll ? ids?.length : undefined
  }
  const [shown, listedBefore] = [numberOf(await read(), name), isPart ? undefined : await count()]
  if (shown === undefined || (!isPart && shown !== listedBefore)) return
  const removed = await session.on(remover, key)
  if (removed.reply.status >= 300) return
  const [now, left] = [numberOf(await read(), name), isPart ? undefined : await count()]
  const rest = isPart ? 'of a part' : `that leaves ${left} in its list`
  const what = `${name} of {${kind.parameter}} ${id} stays ${shown} after a removal ${rest}`
  session.hold(removed, what, left === shown || now !== shown)
}

/** No more is given than is left, and what is given back is left again. */
async function holdLeft(whole: Whole, name: string, amount: string, first: Exchange): Promise<void> {
  const { session, adder, kind, id, read, add } = whole
  const { maximum = Infinity } = session.contract.shape(adder.endpoint.takes.properties?.[amount])
  const { minimum } = session.contract.shape(whole.reader.gives.properties?.[name])
  if (!leftName.test(name) && Number(minimum) !== 0) return
  await holdGivenBack(whole, name, first)
  for (let time = 0; time < mostTakings; time++) {
    const left = numberOf(await read(), name) ?? 0
    if (left < 0) return
    const asked = Math.min(left + 1, Number(maximum))
    const sent = await add({ [amount]: asked })
    const now = numberOf(await read(), name) ?? 0
    const what = `${amount}=${asked} is taken of ${left}, and ${name} of {${kind.parameter}} ${id} becomes ${now}`
    session.hold(sent, what, sent.reply.status >= 300 || now >= 0)
    if (asked > left || sent.reply.status >= 300) return
  }
}

/** An operation that gives something back leaves more. */
async function holdGivenBack(
  { session, adder, kind, id, read, add }: Whole,
  name: string,
  first: Exchange,
): Promise<void> {
  const made = session.contract.kinds.find(({ maker }) => maker === adder.endpoint)
  const key = identifierIn(first)
  if (!made || key === undefined || !leftName.test(name)) return
  const isUndoing = ({ path }: Endpoint) => undoing.test(path.split('/').at(-1) ?? '')
  const actions = actionsOn(session.contract, made.parameter).filter(isUndoing)
  const [undo = made.remover] = actions
  if (!undo) return
  const before = numberOf(await read(), name)
  const undone = await session.on(undo, key)
  if (undone.reply.status >= 300 || undone.reply.status === 202) return
  const now = numberOf(await read(), name)
  const stays = `${name} of {${kind.parameter}} ${id} stays`
  session.hold(undone, `${stays} ${now} after it`, now !== before)
  for (const other of actionsOn(session.contract, made.parameter).filter(endpoint => !isUndoing(endpoint)))
    await session.attempt(async () => {
      const unused = numberOf(await read(), name)
      const added = identifierIn(await add())
      const used = numberOf(await read(), name)
      if (added === undefined || used === unused) return
      const { status } = (await session.on(other, added, session.simple(other))).reply
      if (status >= 300 || numberOf(await read(), name) !== used) return
      const again = await session.on(undo, added)
      const left = numberOf(await read(), name)
      session.hold(
        again,
        `${stays} ${left} after ${other.id} and it`,
        again.reply.status >= 300 || left !== used,
      )
    })
}

/** The mean of two numbers lies between them. */
async function holdMeans({ session, adder, reader, kind, id, read, add }: Whole): Promise<void> {
  const { shape } = session.contract
  const numbers = Object.entries(adder.endpoint.takes.properties ?? {}).flatMap(([sent, schema]) => {
    const { type, minimum = 0, maximum = Infinity } = shape(schema)
    const from = Math.max(Number(minimum), 1)
    return type === 'integer' && from + 1 <= Number(maximum) ? [{ name: sent, least: from }] : []
  })
  const [number, ...others] = numbers
  const names = Object.entries(reader.gives.properties ?? {}).filter(
    ([shown, schema]) => meanName.test(shown) && typesIn(shape(schema)).includes('number'),
  )
  if (!number || others.length > 0 || names.length === 0) return
  const { name, least } = number
  const first = await add({ [name]: least })
  const between = await read()
  const second = await add({ [name]: least + 1 })
  const after = await read()
  if (first.reply.status >= 300 || second.reply.status >= 300) return
  for (const [mean] of names) {
    const found = numberOf(after, mean)
    if (between[mean] !== least || found === undefined) continue
    const what = `${mean} of {${kind.parameter}} ${id} is ${found}, and its ${name} are ${least} and ${least + 1}`
    session.hold(second, what, found > least && found < least + 1)
  }
}

/** A removal takes along what its text says. */
export async function holdRemovedWith(session: Session, kind: Kind): Promise<void> {
  const { remover } = kind
  const text = `${remover?.operation.summary ?? ''} ${remover?.operation.description ?? ''}`
  for (const adder of remover ? addersOf(session, kind) : []) {
    const child = session.contract.kinds.find(({ maker }) => maker === adder.endpoint)
    const list = adder.endpoint.path.split('/').at(-1) ?? ''
    const says = new RegExp(`\\b(all|its|their|and|with)\\b[^.]*\\b${list}\\b`, 'i')
    const isSaid = text
      .split(/(?<=[.;:])\s+/)
      .some(sentence => says.test(sentence) && !keeping.test(sentence))
    if (!child?.reader || !isSaid) continue
    const whole = await wholeFor(session, kind, adder)
    const added = await whole.add()
    const key = identifierIn(added)
    if (!remover || added.reply.status >= 300 || key === undefined) continue
    const removed = await session.on(remover, whole.id)
    if (removed.reply.status >= 300 || removed.reply.status === 202) continue
    const { status } = (await session.on(child.reader, key)).reply
    const what = `the ${list} that it says to remove are there: ${child.reader.id} of ${key} is answered ${status}`
    session.hold(removed, what, status >= 300)
  }
}

/** Words of an operation that keeps something, or refuses. */
const keeping = /\b(not|keep|kept|remain|stay|unless|refuse|only if|cannot|can['’]t|without|while|still)\b/i

/** The same PUT twice puts one record into a list once (RFC 9110, section 9.2.2). */
export async function holdRepeatedPuts(session: Session): Promise<void> {
  for (const put of session.contract.endpoints) {
    const { method, path, record } = put
    const list = session.contract.endpointFor('GET', path.slice(0, path.lastIndexOf('/')))
    if (method !== 'PUT' || record === undefined || !list || !needsNothing(list)) continue
    await session.attempt(async () => {
      const first = await session.taken(put)
      const second = first.reply.status < 300 && (await session.again(first))
      if (!second || second.reply.status >= 300) return
      const listed = await session.ask(list)
      const texts = (itemsIn(listed.reply.body, list.path) ?? []).map(item => JSON.stringify(item))
      const twice = texts.find((text, index) => texts.indexOf(text) < index)
      session.hold(
        listed,
        `it has a record twice after the same ${put.id} twice: ${twice}`,
        twice === undefined,
      )
    })
  }
}
