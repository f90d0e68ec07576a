import { isDeepStrictEqual } from 'node:util'
import { codes, foldText, identifier, nextIn, parameters } from '../../records/conventions.ts'
import { needsNothing, type Shape } from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import { LeftOut, Unreachable } from '../summary.ts'
import { linkTo, nextPage } from '../wire.ts'
import { spoiltCursors } from './cursors.ts'
import { type Item, itemsOf, listOf, type PagedList } from './pages.ts'

/** The length of pages that are put together. */
const few = 3
/** How many of them are put together, whatever the list holds already; of a service that runs elsewhere fewer. */
const mostPages = { own: 40, running: 6 }
/** How many values are tried of a filter that has no enumeration. */
const fewValues = { own: 4, running: 2 }
/** The longest page that is asked for. */
const most = 100
/** How many pairs of values are tried of two filters: of a service that runs elsewhere those that tell the most. */
const pairsTried = { own: Infinity, running: 3 }
/** How far from the usual size of a page, and from the largest, others are asked for. */
const near = 3

/** A parameter and values of it, as far as lists were seen to differ by them. */
export interface Tried {
  name: string
  shape: Shape
  values: readonly unknown[]
}

/** The items that a list keeps with two filters. */
interface Filtered {
  filter: Body
  items: readonly Item[]
}

/** The items that a list keeps with one value of a parameter. */
interface Kept {
  name: string
  value: unknown
  items: readonly Item[]
}

/**
 * Checks what pages and filters of lists mean together. Small pages put together are the large one. A full last page
 * is the last. A cursor leads on in its own list only. Two filters keep what both of them keep.
 */
export async function probeLists(list: PagedList, tried: readonly Tried[]): Promise<void> {
  const { session, endpoint } = list
  for (const name of [parameters.limit, parameters.cursor])
    if (!endpoint.parameters.some(parameter => parameter.name === name))
      throw new Unreachable(`${endpoint.id} has pages, and no parameter ${name}`)
  const others = tried.filter(({ name }) => name !== parameters.limit && name !== parameters.cursor)
  const pages = session.either(mostPages)
  const whole = await list.walk({ limit: most })
  holdOrder(list, whole)
  await holdSizes(list, whole)
  await holdEnd(list, {}, whole)
  const filters = others.flatMap(({ name, values, shape }) =>
    (shape.enum ? values : values.slice(0, session.either(fewValues))).map(value => ({ name, value })),
  )
  const kept = await session.eachAtOnce(filters, async ({ name, value }): Promise<Kept> => {
    const items = await list.walk({ [name]: value, limit: most })
    const smallest = Math.max(1, Math.min(few, Math.floor(items.length / 2)))
    // A list that was long before is put together from other pages than the longest.
    const limit = Math.min(most - 1, Math.max(smallest, Math.ceil(items.length / pages)))
    const small = await list.walk({ [name]: value, limit })
    const what = `pages of ${limit} with ${name}=${value} are together not the page of ${most}`
    session.holdOf(endpoint, what, isDeepStrictEqual(items, small))
    await holdEnd(list, { [name]: value }, items)
    return { name, value, items }
  })
  await holdCursors(list, others)
  const listed = new Set(
    others.flatMap(({ name, shape }) => (shape.enum || shape.type === 'boolean' ? name : [])),
  )
  const pairs = await holdPairs(list, kept, whole, listed)
  const isOrdered = others.some(({ values }) => values.some(value => /^-\w/.test(String(value))))
  if (isOrdered) await session.probe('orders of lists', () => holdOrders(list, kept, pairs))
  await holdFirst(list, {})
  for (const { name } of others) {
    const long = kept.find(candidate => candidate.name === name && candidate.items.length > 1)
    if (long) await holdFirst(list, { [name]: long.value })
  }
}

/** A list has the order that its description says: by the identifier, or by a property. */
function holdOrder({ session, endpoint }: PagedList, whole: readonly Item[]): void {
  const [, words = ''] = /\bordered by ([^.,;]+)/.exec(endpoint.operation.description ?? '') ?? []
  const name = words.split(' ').at(-1) ?? ''
  // Items begin with their identifier.
  const values = whole.map(item => (name === 'identifier' ? Object.values(item)[0] : item[name]))
  if (values.includes(undefined)) return
  const folded = values.map(value => (typeof value === 'string' ? foldText(value) : value))
  const isSorted = [values, folded].some(keys =>
    keys.every((key, index) => index === 0 || !isBefore(key, keys[index - 1])),
  )
  session.holdOf(endpoint, `it is not ordered by ${name}, as its description says`, isSorted)
}

const isBefore = (a: unknown, b: unknown) =>
  typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b)

/** A page has the requested number of items, and a cursor to further ones. Sizes are near the default and the maximum. */
async function holdSizes({ session, endpoint, page }: PagedList, whole: readonly Item[]) {
  const declared = endpoint.parameters.find(({ name }) => name === parameters.limit)
  const { default: usual, maximum = most } = session.contract.shape(declared?.schema)
  const sizes = [usual, maximum]
    .filter(edge => typeof edge === 'number')
    .flatMap(edge => Array.from({ length: 2 * near + 1 }, (_, index) => edge - near + index))
  for (const limit of new Set(sizes.filter(size => size >= 1 && size <= maximum))) {
    const some = await page({ limit })
    const items = itemsOf(some)
    const leadsOn = nextPage(some.request.url, some.reply) !== undefined
    const what = `a page of ${limit} has ${items.length} of ${whole.length} items, and leads on: ${leadsOn}`
    const isWhole = isDeepStrictEqual(items, whole.slice(0, limit))
    session.hold(some, what, isWhole && leadsOn === whole.length > limit)
    const link = linkTo('next', some.reply)
    if (link === undefined) continue
    const next = await session.again(some, { url: link })
    const isNext = isDeepStrictEqual(itemsOf(next), whole.slice(limit, 2 * limit))
    session.hold(next, `rel="next" of a page of ${limit} does not lead to the ${limit} after it`, isNext)
  }
}

/** A list that just fills a page has no further one. */
async function holdEnd({ session, page }: PagedList, query: Body, { length }: readonly Item[]) {
  if (length === 0) return
  let rest = length
  let from: Body = {}
  for (; rest > most; rest -= most)
    from = { cursor: cursorIn(await page({ ...query, ...from, limit: most })) }
  const last = await page({ ...query, ...from, limit: rest })
  const isLast = nextPage(last.request.url, last.reply) === undefined
  session.hold(last, `a page that holds the last ${rest} leads on`, itemsOf(last).length === rest && isLast)
}

const cursorIn = ({ reply }: Exchange) => reply.headers[nextIn(parameters.cursor)]

/** A cursor leads on with any limit, and in no other list. */
async function holdCursors(list: PagedList, others: readonly Tried[]) {
  const { session, endpoint, page } = list
  const cursor = cursorIn(await page({ limit: 1 }))
  if (cursor === undefined) {
    const what = `a list of ${endpoint.id} that has a second page`
    throw session.world.hands.writes ? new Unreachable(`There is no ${what}`) : new LeftOut(`needs ${what}`)
  }
  const onward = await page({ limit: 2, cursor })
  const start = await page({ limit: 3 })
  const leadsOn = isDeepStrictEqual(itemsOf(onward), itemsOf(start).slice(1))
  session.hold(onward, 'a cursor with another limit does not lead on', leadsOn)
  for (const other of session.contract.endpoints) {
    const hasPages = other.parameters.some(({ name }) => name === parameters.cursor)
    if (other === endpoint || !hasPages || !needsNothing(other)) continue
    const otherCursor = cursorIn(await listOf(session, other).page({ limit: 1 }))
    if (otherCursor === undefined) continue
    session.holdRefusal(
      await page({ limit: 1, cursor: otherCursor }),
      `a cursor of ${other.id}`,
      codes.invalid,
    )
  }
  for (const spoiltCursor of spoiltCursors(cursor)) {
    const spoilt = await page({ limit: 1, cursor: spoiltCursor })
    const { status } = spoilt.reply
    session.hold(spoilt, `a cursor with another number in it is answered ${status}`, status < 500)
  }
  // Requests are read strictly: what decoders skip is no part of a cursor.
  for (const wrongCursor of [`${cursor}=`, `${cursor}!`, `!${cursor}`, `${cursor} `])
    session.holdStatus(await page({ limit: 1, cursor: wrongCursor }), `the cursor "${wrongCursor}"`, 400)
  // A cursor is of its list alone where the document says how it is refused.
  for (const { name, values } of endpoint.statuses.includes(400) ? others : []) {
    const usual = endpoint.parameters.find(parameter => parameter.name === name)?.schema
    const strange = values.filter(value => !usual || !('default' in usual) || usual.default !== value)
    // Values such as false count, although some programs take them for absent.
    for (const value of new Set([...strange.slice(0, 1), ...strange.filter(candidate => !candidate)])) {
      const other = await page({ limit: 1, cursor, [name]: value })
      session.holdStatus(other, `a cursor of another list, with ${name}=${value},`, 400)
    }
  }
}

/** A list's first page has the same filters and the same order, wherever it is linked from. */
async function holdFirst({ session, page }: PagedList, query: Body) {
  const first = await page({ ...query, limit: 1 })
  const next = nextPage(first.request.url, first.reply)
  const onward = next === undefined ? first : await session.again(first, { url: next })
  for (const pageRead of [first, onward]) {
    const url = linkTo('first', pageRead.reply)
    if (url === undefined) continue
    const again = await session.again(first, { url })
    const isFirst = isDeepStrictEqual(itemsOf(again), itemsOf(first))
    session.hold(again, `rel="first" of a page with ${JSON.stringify(query)} leads elsewhere`, isFirst)
  }
}

/** Returns the items of a list that are in another one, too. */
const inBoth = (items: readonly Item[], other: readonly Item[]) =>
  items.filter(item => other.some(same => isDeepStrictEqual(same, item)))

/**
 * Two filters keep what both of them keep, on each of its pages.
 * @param listed the parameters of which each value is tried on several pages
 * @returns the pairs that keep anything
 */
async function holdPairs(
  list: PagedList,
  kept: readonly Kept[],
  whole: readonly Item[],
  listed: ReadonlySet<string>,
) {
  const { session, endpoint, walk } = list
  const pairs: Filtered[] = []
  const paged = new Set<string>()
  const filters = kept.filter(({ items }) => items.length > 0 && items.length < whole.length)
  const pairsOfFilters = filters.flatMap((first, index) =>
    filters.slice(index + 1).flatMap(second => {
      const due = inBoth(first.items, second.items)
      // A pair that keeps less than each filter alone shows whether both count.
      const isTelling = due.length > 0 && due.length < Math.min(first.items.length, second.items.length)
      return second.name === first.name ? [] : [{ first, second, due, isTelling }]
    }),
  )
  const byNames = Map.groupBy(
    pairsOfFilters.toSorted((a, b) => Number(b.isTelling) - Number(a.isTelling)),
    ({ first, second }) => `${first.name} ${second.name}`,
  )
  const tried = [...byNames.values()].flatMap(some => some.slice(0, session.either(pairsTried)))
  await session.eachAtOnce(tried, async ({ first, second, due }) => {
    const filter = { [first.name]: first.value, [second.name]: second.value }
    const both = await walk({ ...filter, limit: most })
    const query = `${first.name}=${first.value} with ${second.name}=${second.value}`
    const what = `${query} keeps ${both.length} items, and each of them alone has ${due.length} in common`
    session.holdOf(endpoint, what, isDeepStrictEqual(both, due))
    if (due.length > 0) pairs.push({ filter, items: due })
    const names = [first, second]
      .map(({ name, value }) => (listed.has(name) ? `${name}=${value}` : name))
      .join()
    if (both.length < 2 || paged.has(names)) return
    paged.add(names)
    const halves = await walk({ ...filter, limit: Math.min(most, Math.ceil(both.length / 2)) })
    const isSame = isDeepStrictEqual(halves, both)
    session.holdOf(endpoint, `pages with ${query} are together not the whole`, isSame)
    await holdFirst(list, filter)
  })
  return pairs
}

/** Checks that a list with one or two filters has the requested order, as the whole list has. */
async function holdOrders(
  { session, endpoint, walk }: PagedList,
  kept: readonly Kept[],
  pairs: readonly Filtered[],
): Promise<void> {
  const orders = kept.filter(({ name }) => name === parameters.sort)
  const single = kept.map(({ name, value, items }) => ({ filter: { [name]: value }, items }))
  const cases = [...single, ...pairs].flatMap(({ filter, items }) =>
    (parameters.sort in filter ? [] : orders).map(order => ({ filter, items, order })),
  )
  await session.eachAtOnce(cases, async ({ filter, items, order }) => {
    const ordered = await walk({ ...filter, [parameters.sort]: order.value, limit: most })
    const what = `with ${JSON.stringify(filter)} the order ${order.value} is not that of the whole list`
    session.holdOf(endpoint, what, isDeepStrictEqual(ordered, inBoth(order.items, items)))
  })
}

/** Reads the longest page before and after a change of its last record. The invariants hold its ETags. */
export async function changeLast({ session, endpoint, page }: PagedList): Promise<void> {
  const kind = session.contract.kinds.find(({ list }) => list === endpoint)
  const { [kind?.parameter ?? '']: named, [identifier.one]: id = named } =
    itemsOf(await page({ limit: most })).at(-1) ?? {}
  if (id === undefined) return
  for (const changer of kind?.changers ?? []) await session.on(changer, id, session.draw(changer))
  await page({ limit: most })
}
