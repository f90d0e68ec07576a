import { typesIn } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { madeByService, offset, pageNumber } from '../../records/conventions.ts'
import { type Endpoint, type Kind, needsNothing } from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import { itemsIn, nextOf, saysMore, totalIn } from '../items.ts'
import type { Secret } from '../keys.ts'
import { sizeOf } from '../promises.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { spoiltIn } from './cursors.ts'
import { checkOrder, checkSelection } from './selecting.ts'

/** The number of records that a list has at least, where the check may make some. */
const enough = 4
/** The size of a page that shows all, in a document that bounds none. */
const wide = 100
/** The length of pages that are put together, and the most of them. */
const few = 2
const mostPages = 40

/** A list of records, and how it is read. */
export interface Listed {
  session: Session
  endpoint: Endpoint
  size: Parameter | undefined
  /** the most items that a page may have */
  most: number
  read(query?: Body): Promise<Exchange>
  itemsOf(exchange: Exchange): unknown[] | undefined
  /** the identifiers of the items in a reply, as texts */
  idsIn(exchange: Exchange): string[]
  /** whether no page follows, as far as replies and parameters tell */
  isLast(exchange: Exchange): boolean
}

/**
 * Holds a list of any service to what the names of its parameters say. It shows each record once, on one page or on
 * several. An offset and a number of a page lead to later records. A parameter that is called as a property, with the same
 * values, selects by it, and one of orders puts the records in order.
 */
export async function probeListed(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract, world } = session
  const kind = contract.kinds.find(({ list: candidate }) => candidate === endpoint)
  if (!kind) return
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
  for (const parameter of endpoint.parameters) {
    await checkSelection(list, parameter, items)
    await checkOrder(list, parameter, items)
  }
  const hasCursor = endpoint.parameters.some(({ name }) => madeByService.test(name))
  if (hasCursor && !isPaged && ids.length > few)
    throw new LeftOut(`${endpoint.id} tells its next page in no way that the check knows, or has none`)
}

/** @param key of the caller who asks for it */
export function listedBy(session: Session, endpoint: Endpoint, { maker }: Kind, key?: Secret): Listed {
  const { contract } = session
  const size = sizeOf(contract, endpoint)
  const { maximum = wide } = contract.shape(size?.schema)
  const most = Number(maximum)
  const { query } = session.least(endpoint)
  const itemsOf = ({ reply: { status, body } }: Exchange) =>
    status === 200 ? itemsIn(body, endpoint.path) : undefined
  const idsIn = (exchange: Exchange) =>
    (itemsOf(exchange) ?? []).flatMap(
      item => identifierIn({ endpoint: maker, reply: shownAs(item) })?.toString() ?? [],
    )
  return {
    ...{ session, endpoint, size, most, itemsOf },
    read: (more = {}) =>
      session.ask(
        endpoint,
        { query: { ...query, ...(size && { [size.name]: most }), ...more } },
        key === undefined ? {} : { key },
      ),
    idsIn,
    isLast: page =>
      nextOf(page) === undefined &&
      !saysMore(page.reply.body) &&
      (size ? idsIn(page).length < most : !endpoint.parameters.some(leadsOn)),
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
  kind: Kind,
  whole: Exchange,
  made: readonly string[],
): Promise<boolean> {
  const { session, size, read, idsIn } = list
  const ids = idsIn(whole)
  const { minimum = 1 } = session.contract.shape(size?.schema)
  const length = Math.max(Number(minimum), few, Math.ceil((3 * ids.length) / mostPages))
  const first = size && length < ids.length ? await read({ [size.name]: length }) : whole
  if (nextOf(first) === undefined) return false
  const pages: Exchange[] = []
  for await (const page of pagesAfter(list, first)) {
    pages.push(page)
    const { status } = page.reply
    session.hold(page, `the page that the one before it leads to is answered ${status}`, status < 300)
    if (status >= 300) return true
  }
  const last = pages.at(-1) ?? first
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
  if (made.length > 0 && needsNothing(list.endpoint)) {
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
    const first = Number(shape.minimum ?? shape.default ?? Number.NaN)
    if (isPage && first !== 0 && first !== 1) continue
    const value = isPage ? first + 1 : 1
    const part = await read({ [name]: value, ...(isPage && { [size.name]: 1 }) })
    if (part.reply.status !== 200) continue
    const [found] = idsIn(part)
    // A list without an order of its own tells nothing.
    const [, next] = idsIn(await read())
    const what = `${name}=${value}${isPage ? ` with ${size.name}=1` : ''} begins with ${found}, and the second record is ${second}`
    session.hold(part, what, next !== second || found === second)
  }
}
