import { typesIn } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import {
  identifier,
  isSameName,
  keyName,
  madeByService,
  offset,
  pageNumber,
} from '../../records/conventions.ts'
import { type Endpoint, type Interface, type Kind, needsNothing } from '../../records/interface.ts'
import { type Body, type Draft, recordIn } from '../../records/messages.ts'
import { firstPage, itemsIn, nextOf, nextTold, saysMore, totalIn } from '../items.ts'
import type { Secret } from '../keys.ts'
import { sizeOf, sizeParameter } from '../promises.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { spoiltIn } from './cursors.ts'
import { checkInstants } from './instants.ts'
import { checkCase, checkOrder, checkSelections, checkTruths, type Order, ordersOf } from './selecting.ts'

/** The number of records that a list has at least, where the check may make some. */
const enough = 4
/** The size of a page that shows all, in a document that bounds none. */
const wide = 100
/** The length of pages that are put together, and the most of them. */
const few = 2
const mostPages = 40
/** The most pages of the greatest length that are read for all records. */
const mostWide = 10

/** A list of records, and how it is read. */
export interface Listed {
  session: Session
  endpoint: Endpoint
  size: Parameter | undefined
  /** the most items that a page may have */
  most: number
  read(query?: Body): Promise<Exchange>
  itemsOf(exchange: Exchange): unknown[] | undefined
  /** the records of some pages of the greatest length */
  readSeveral(query?: Body): Promise<Several>
  /** the identifiers of the items in a reply, as texts */
  idsIn(exchange: Exchange): string[]
  /** whether no page follows, as far as replies and parameters tell */
  isLast(exchange: Exchange): boolean
}

/** Records of several pages. */
export interface Several {
  first: Exchange
  items: readonly unknown[]
  ids: readonly string[]
  /** whether these are all pages */
  isAll: boolean
}

/**
 * Holds a list of any service to what the names of its parameters say. It shows each record once, on one page or on
 * several. An offset and a number of a page lead to later records. Parameters that are called as properties, with the same
 * values, select by them, and one of orders puts the records in order.
 */
export async function probeListed(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract, world } = session
  const kind = contract.kinds.find(({ list: candidate }) => candidate === endpoint)
  if (!kind) return (isPlainList(contract, endpoint) ? probePlain : probeBelow)(session, endpoint)
  const made: string[] = []
  if (world.hands.writes)
    for (let count = 0; count < enough; count++) {
      // Simple values are those of which each reader has the same order.
      const draw = (maker: Endpoint) => session.draw(maker, undefined, false, count % 2 === 0)
      made.push(String((await session.make(kind.parameter, draw)).id))
    }
  const list = listedBy(session, endpoint, kind)
  const whole = await list.read()
  const { status, body } = whole.reply
  if (status !== 200) throw new LeftOut(`${endpoint.id} is answered ${status}`)
  const items = itemsIn(body, endpoint.path)
  const { idsIn } = list
  const ids = idsIn(whole)
  if (!items || ids.length < items.length) throw new LeftOut(`${endpoint.id} shows no identifiers`)
  const texts = items.map(item => JSON.stringify(item))
  const twice = texts.find((text, index) => texts.indexOf(text) < index)
  session.hold(whole, `a record stands twice in it: ${twice}`, twice === undefined)
  const isWhole = list.isLast(whole)
  // Records of another one may have been made for one of their own.
  if (isWhole && made.length > 0 && needsNothing(endpoint))
    session.hold(
      whole,
      `it shows none of the records that were just made: ${made}`,
      made.some(id => ids.includes(id)),
    )
  if (isWhole) await holdNewest(list, kind, ids, made, async () => idsIn(await list.read()))
  await holdStarts(list, ids)
  await holdTotal(list, whole)
  const isPaged = await holdPages(list, kind, whole, made)
  await holdParameters(list)
  const hasCursor = endpoint.parameters.some(({ name }) => madeByService.test(name))
  if (hasCursor && !isPaged && ids.length > few)
    throw new LeftOut(`${endpoint.id} tells its next page in no way that the check knows, or has none`)
}

/** The parameters of a list do what their names say. */
async function holdParameters(list: Listed): Promise<void> {
  const { session, endpoint } = list
  const several = await list.readSeveral()
  await checkSelections(list, several)
  await checkInstants(list, several)
  await checkCase(list, several)
  await checkTruths(list, several)
  const orders = ordersOf(session, endpoint, several.items)
  for (const order of orders) await checkOrder(list, order, several.items)
  await holdTies(list, several, orders)
}

/** The path parameter of the record below which a list is, whose items a POST makes, and which nothing else names. */
export function parentOf(contract: Interface, { method, path }: Endpoint): string | undefined {
  const [, parent] = /^[^{}]+\/\{([^{}]+)\}\/[^{}]+$/.exec(path) ?? []
  const maker = method === 'GET' ? contract.endpointFor('POST', path) : undefined
  const isKind = contract.kinds.some(({ list }) => list?.path === path)
  return maker?.success === 201 && parent !== undefined && contract.makers.has(parent) && !isKind
    ? parent
    : undefined
}

/** Whether an operation of a service of others lists what no operation makes, and takes parameters. */
export const isPlainList = ({ guided, kinds, shape }: Interface, endpoint: Endpoint): boolean => {
  const { gives, parameters } = endpoint
  const isList = [gives, ...Object.values(gives.properties ?? {}).map(shape)].some(
    ({ type }) => type === 'array',
  )
  const isMade = kinds.some(({ list }) => list === endpoint)
  return (
    !guided &&
    !isMade &&
    isList &&
    needsNothing(endpoint) &&
    parameters.some(({ in: place }) => place === 'query')
  )
}

/** Holds a list of records that are there already to the same, as far as a property tells them apart. */
async function probePlain(session: Session, endpoint: Endpoint): Promise<void> {
  const { reply } = await session.ask(endpoint)
  const items = (itemsIn(reply.body, endpoint.path) ?? []).map(recordIn)
  const record = session.contract.endpoints.find(
    ({ path }) => path === `${endpoint.path}/{${nameAtEnd(path)}}`,
  )?.record
  const tellsApart = (name: string) =>
    items.every(item => /^(string|number)$/.test(typeof item[name])) &&
    new Set(items.map(item => item[name])).size === items.length
  const names = Object.keys(items[0] ?? {}).filter(tellsApart)
  const isUsual = [
    isSameName(record ?? identifier.one),
    isSameName(identifier.one),
    (name: string) => keyName.test(name),
  ]
  const [key] = isUsual.flatMap(isOne => names.filter(isOne))
  if (items.length < few || key === undefined)
    throw new LeftOut(`${endpoint.id} shows too little to tell its records apart`)
  const list = listedBy(session, endpoint, { maker: { ...endpoint, makes: key } })
  const whole = await list.read()
  await holdStarts(list, list.idsIn(whole))
  await holdTotal(list, whole)
  await holdPages(list, undefined, whole, [])
  await holdParameters(list)
}

/** The parameter with which a path ends. */
const nameAtEnd = (path: string) => /\{([^{}]+)\}$/.exec(path)?.[1] ?? ''

/** Holds a list below a record to the same, where no operation is about one of its items. */
async function probeBelow(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract, world } = session
  const maker = contract.endpointFor('POST', endpoint.path)
  const parent = parentOf(contract, endpoint)
  if (!maker || parent === undefined || !world.hands.writes)
    throw new LeftOut(`${endpoint.id} needs records that are made below another one`)
  const { id } = await session.make(parent, session.simple)
  const path = { [parent]: id }
  const named = { ...maker, makes: identifier.one }
  const made: string[] = []
  for (let count = 0; count < enough; count++) {
    const draft = count % 2 === 0 ? session.simple(maker) : session.draw(maker)
    const { reply } = await session.exchange(maker, { ...draft, path, header: {} })
    const key = identifierIn({ endpoint: named, reply: { ...reply, headers: {} } })
    if (key !== undefined) made.push(String(key))
  }
  const list = listedBy(session, endpoint, { maker: named }, undefined, path)
  const { first, items, ids, isAll } = await list.readSeveral()
  if (!list.itemsOf(first) || ids.length < items.length || made.length === 0)
    throw new LeftOut(`${endpoint.id} shows no identifiers`)
  const lost = isAll ? made.find(candidate => !ids.includes(candidate)) : undefined
  session.hold(first, `it lacks ${lost}, which was made below the same record`, lost === undefined)
  await holdStarts(list, ids)
  await holdTotal(list, first)
  await holdParameters(list)
}

/**
 * @param key of the caller who asks for it
 * @param path of a list below a record
 */
export function listedBy(
  session: Session,
  endpoint: Endpoint,
  { maker }: Pick<Kind, 'maker'>,
  key?: Secret,
  path?: Draft['path'],
): Listed {
  const { contract } = session
  const size = isPlainList(contract, endpoint) ? sizeParameter(endpoint) : sizeOf(contract, endpoint)
  const { maximum = wide } = contract.shape(size?.schema)
  const most = Number(maximum)
  const { query } = session.least(endpoint)
  const itemsOf = ({ reply: { status, body } }: Exchange) =>
    status === 200 ? itemsIn(body, endpoint.path) : undefined
  const idsIn = (exchange: Exchange) =>
    (itemsOf(exchange) ?? []).flatMap(
      item => identifierIn({ endpoint: maker, reply: shownAs(item) })?.toString() ?? [],
    )
  const read: Listed['read'] = (more = {}) =>
    session.ask(
      endpoint,
      { query: { ...query, ...(size && { [size.name]: most }), ...more }, ...(path && { path }) },
      key === undefined ? {} : { key },
    )
  const isLast = (page: Exchange) =>
    nextOf(page) === undefined &&
    !saysMore(page.reply.body) &&
    (size ? idsIn(page).length < most : !endpoint.parameters.some(leadsOn))
  return {
    ...{ session, endpoint, size, most, itemsOf, read, idsIn, isLast },
    async readSeveral(more) {
      const first = await read(more)
      const pages: Exchange[] = []
      for await (const page of pagesAfter({ session }, first)) if (pages.push(page) === mostWide) break
      const items = pages.flatMap(page => itemsOf(page) ?? [])
      const ids = pages.flatMap(idsIn)
      const last = pages.at(-1) ?? first
      const isAll = last.reply.status === 200 && isLast(last) && ids.length === items.length
      return { first, items, ids, isAll }
    },
  }
}

/** An item of a list, as if it were the reply to its creation. */
const shownAs = (body: unknown): Exchange['reply'] => ({
  status: 200,
  headers: {},
  text: '',
  length: 0,
  body,
})

/** Whether a parameter asks for a part of a list. */
const leadsOn = ({ in: place, name }: Parameter) =>
  place === 'query' && (offset.test(name) || pageNumber.test(name) || /cursor|token|after|before/i.test(name))

/** The pages of a list from one on, as far as each tells the next one. */
export async function* pagesAfter({ session }: Pick<Listed, 'session'>, first: Exchange) {
  let page = first
  for (let count = 0; count < mostPages; count++) {
    yield page
    const url = nextOf(page)
    if (url === undefined) return
    page = await session.again(page, { url })
  }
}

/**
 * Small pages, each as the one before it leads to it, are together the whole list, and come to an end.
 * @returns whether there are several
 */
async function holdPages(
  list: Listed,
  kind: Kind | undefined,
  whole: Exchange,
  made: readonly string[],
): Promise<boolean> {
  const { session, size, read, idsIn } = list
  const ids = idsIn(whole)
  const length = lengthOf(list, ids.length)
  const first = size && length < ids.length ? await read({ [size.name]: length }) : whole
  if (nextOf(first) === undefined) return false
  const { pages, last } = await allFrom(list, first)
  if (last.reply.status >= 300) return true
  const shown = pages.flatMap(idsIn)
  const twice = shown.find((id, index) => shown.indexOf(id) < index)
  session.hold(last, `its pages show ${twice} twice, as each leads to the next`, twice === undefined)
  await holdSpoiltCursor(session, first)
  const hasEnd = nextOf(last) === undefined
  if (twice !== undefined) return true
  // The records of one page are fewer than so many pages have.
  if (list.isLast(whole)) session.hold(last, 'its pages do not come to an end', hasEnd)
  if (!hasEnd) return true
  const lost = ids.find(id => !shown.includes(id))
  session.hold(last, `its pages lack ${lost}, which stands on a larger one`, lost === undefined)
  if (kind && made.length > 0 && needsNothing(list.endpoint)) {
    const what = `its pages show none of the records that were just made: ${made}`
    const isShown = made.some(id => shown.includes(id))
    session.hold(last, what, isShown)
    await holdNewest(list, kind, shown, made, async () => {
      const later: string[] = []
      for await (const page of pagesAfter(list, await session.again(first))) later.push(...idsIn(page))
      return later
    })
  }
  return true
}

/** The length of pages of which many are the whole list. */
function lengthOf({ session, size }: Listed, count: number): number {
  const { minimum = 1 } = session.contract.shape(size?.schema)
  return Math.max(Number(minimum), few, Math.ceil((3 * count) / mostPages))
}

/** A page and those that follow it. The last one may be an error, which is a fault where the one before leads to it. */
async function allFrom(list: Listed, first: Exchange): Promise<{ pages: Exchange[]; last: Exchange }> {
  const pages: Exchange[] = []
  for await (const page of pagesAfter(list, first)) {
    const before = pages.at(-1)
    const { status } = page.reply
    // Some services have no page after one that is full and the last.
    if (before && status >= 400 && status < 500 && nextTold(before) === undefined) break
    pages.push(page)
    const what = `the page that the one before it leads to is answered ${status}`
    list.session.hold(page, what, status < 300)
  }
  return { pages, last: pages.at(-1) ?? first }
}

/** The most orders of which small pages are put together. */
const mostTied = 3

/** Small pages of a list in the order of a property that several records have alike are together the whole list. */
async function holdTies(list: Listed, whole: Several, orders: readonly Order[]): Promise<void> {
  const { session, size, read, idsIn } = list
  const { ids, items } = whole
  const tiesIn = ({ property }: Order) =>
    items.length - new Set(items.map(item => JSON.stringify(Object(item)[property]))).size
  const tied = orders.filter(order => tiesIn(order) > 0).toSorted((a, b) => tiesIn(b) - tiesIn(a))
  const length = lengthOf(list, ids.length)
  if (!size || !whole.isAll || length >= ids.length) return
  for (const order of tied.slice(0, mostTied)) {
    const first = await read({ ...order.query, [size.name]: Math.min(length, list.most) })
    if (nextOf(first) === undefined) return
    const { pages, last } = await allFrom(list, first)
    if (last.reply.status >= 300 || nextOf(last) !== undefined) continue
    const shown = pages.flatMap(idsIn)
    const lost = ids.find(id => !shown.includes(id))
    const twice = shown.find((id, index) => shown.indexOf(id) < index)
    const what = lost === undefined ? `show ${twice} twice` : `lack ${lost}`
    const isRight = lost === undefined && twice === undefined
    session.hold(
      last,
      `its pages with ${order.asked} ${what}, where several have the same ${order.property}`,
      isRight,
    )
  }
}

/** A cursor whose numbers are others is refused or leads on, and is no failure: clients keep cursors that grow old. */
async function holdSpoiltCursor(session: Session, page: Exchange): Promise<void> {
  const url = nextOf(page)
  for (const spoilt of url === undefined ? [] : spoiltIn(page.request.url, url)) {
    const exchange = await session.quietly(() => session.again(page, { url: spoilt }))
    const { status } = exchange.reply
    session.hold(exchange, `a cursor with another number in it is answered ${status}`, status < 500)
  }
}

/** A list that lacks the record that was made last, and shows it once another one was made, is late by one. */
async function holdNewest(
  { session, endpoint }: Listed,
  { parameter }: Kind,
  ids: readonly string[],
  made: readonly string[],
  idsNow: () => Promise<readonly string[]>,
): Promise<void> {
  const last = made.at(-1)
  if (last === undefined || ids.includes(last) || !made.some(other => ids.includes(other))) return
  const { id } = await session.make(parameter)
  const later = await idsNow()
  const [isLastShown, isNewestShown] = [last, String(id)].map(candidate => later.includes(candidate))
  const what = `it shows ${last} only once another record was made, and not ${id}, the newest one`
  session.holdOf(endpoint, what, !isLastShown || isNewestShown === true)
}

/** The number of all items is the same, however many of them a page shows. */
async function holdTotal(list: Listed, whole: Exchange): Promise<void> {
  const { session, size, read, idsIn } = list
  const total = totalIn(whole.reply)
  // If it is not the number of records, there are more of them, or it is the sum of something else.
  if (!size || total !== idsIn(whole).length || total <= few) return
  const { minimum = 1 } = session.contract.shape(size.schema)
  const length = Math.max(Number(minimum), few)
  const part = await read({ [size.name]: length })
  const is = totalIn(part.reply)
  const isSame = part.reply.status !== 200 || is === undefined || is === total
  session.hold(part, `its total is ${total}, and ${is} with ${size.name}=${length}`, isSame)
}

/** An offset of 1 leads to the second record, and so does the second page of one record each. */
async function holdStarts({ session, endpoint, size, read, idsIn }: Listed, ids: readonly string[]) {
  const [, second] = ids
  if (!size || second === undefined) return
  const { minimum = 1 } = session.contract.shape(size.schema)
  if (Number(minimum) > 1) return
  for (const parameter of endpoint.parameters.filter(
    candidate => candidate.in === 'query' && !candidate.required,
  )) {
    const { name } = parameter
    const isPage = pageNumber.test(name)
    const shape = session.contract.shape(parameter.schema)
    if (!(isPage || offset.test(name)) || !typesIn(shape).includes('integer')) continue
    // Pages count from 1 or from 0, as the document says.
    const first = isPage ? firstPage(parameter) : 0
    if (first === undefined) continue
    const value = first + 1
    const part = await read({ [name]: value, ...(isPage && { [size.name]: 1 }) })
    if (part.reply.status !== 200) continue
    const [found] = idsIn(part)
    // A list without an order of its own tells nothing.
    const [, next] = idsIn(await read())
    const what = `${name}=${value}${isPage ? ` with ${size.name}=1` : ''} begins with ${found}, and the second record is ${second}`
    session.hold(part, what, next !== second || found === second)
  }
}
