import { isDeepStrictEqual } from 'node:util'
import { changedByUse, codes, nextIn, parameters } from '../conventions.ts'
import { type Endpoint, requiredQuery, shapeOf } from '../interface.ts'
import { type Session, Unreachable } from '../session.ts'
import { linkTo, nextPage } from '../wire.ts'
import { LeftOut } from '../world.ts'
import { holdRefusal } from './answers.ts'
import { type Item, itemsOf, page, walk } from './pages.ts'

/** The length of pages that are put together. */
const few = 3
/** The longest page that is asked for. */
const most = 100
/** How far from the usual size of a page, and from the largest, others are asked for. */
const near = 3

/** A parameter and values of it, as far as lists were seen to differ by them. */
export interface Tried {
  name: string
  values: readonly unknown[]
}

/**
 * Holds lists to what pages and filters mean together, whatever they are: small pages put together are the large one;
 * a last page that is full is the last; a cursor leads on in its own list only; two filters keep what both of them keep.
 */
export async function probeLists(
  session: Session,
  endpoint: Endpoint,
  tried: readonly Tried[],
): Promise<void> {
  const names = new Set(endpoint.parameters.map(({ name }) => name))
  for (const name of [parameters.limit, parameters.cursor])
    if (!names.has(name)) throw new Unreachable(`${endpoint.id} has pages, and no parameter ${name}`)
  const others = tried.filter(({ name }) => name !== parameters.limit && name !== parameters.cursor)
  const whole = await walk(session, endpoint, { limit: most })
  await holdItems(session, endpoint, whole)
  await holdSizes(session, endpoint, whole)
  const kept = new Map<string, readonly Item[]>()
  for (const { name, values } of others)
    for (const value of values.slice(0, 4)) {
      const large = await walk(session, endpoint, { [name]: value, limit: most })
      const length = Math.max(1, Math.min(few, Math.floor(large.length / 2)))
      const small = await walk(session, endpoint, { [name]: value, limit: length })
      kept.set(keyOf(name, value), large)
      const what = `pages of ${length} with ${name}=${value} are together not the page of ${most}`
      session.holdOf(endpoint, what, isDeepStrictEqual(large, small))
      await holdEnd(session, endpoint, { [name]: value }, large)
    }
  await holdEnd(session, endpoint, {}, whole)
  await holdCursors(session, endpoint, others)
  await holdPairs(session, endpoint, others, kept, whole)
  const isOrdered = others.some(({ values }) => values.some(value => /^-\w/.test(String(value))))
  if (isOrdered) await session.probe('orders of lists', () => holdOrders(session, endpoint, others, kept))
  await holdFirst(session, endpoint, others, kept)
}

const keyOf = (name: string, value: unknown) => `${name} ${JSON.stringify(value)}`

/** Some items of a list, and those with the greatest numbers, are what is read of them by themselves. */
async function holdItems(session: Session, endpoint: Endpoint, items: readonly Item[]) {
  const reader = session.contract.endpoints.find(
    ({ method, path, record }) => method === 'GET' && record && path === `${endpoint.path}/{${record}}`,
  )
  if (!reader?.record) return
  const largest = (item: Item) => Math.max(...Object.values(item).filter(value => typeof value === 'number'))
  const some = items.toSorted((a, b) => largest(b) - largest(a)).slice(0, few)
  for (const item of some) {
    const id = item[reader.record] ?? item.id
    const alone = await session.exchange(reader, { path: { [reader.record]: id } })
    const { body, status } = alone.reply
    const isBody = typeof body === 'object' && body !== null
    const differing = Object.keys(item).filter(
      name => !changedByUse.has(name) && (!isBody || !isDeepStrictEqual(item[name], (body as Item)[name])),
    )
    session.hold(
      alone,
      `its ${differing} is not what ${endpoint.id} lists: ${JSON.stringify(item)}`,
      status === 410 || differing.length === 0,
    )
  }
}

/** A page has as many items as were asked for, and leads on where there are more: at sizes near the usual and the largest. */
async function holdSizes(session: Session, endpoint: Endpoint, whole: readonly Item[]) {
  const declared = endpoint.parameters.find(({ name }) => name === parameters.limit)?.schema ?? {}
  const { default: usual, maximum } = shapeOf(session.contract.model, declared)
  for (const edge of new Set([usual, maximum])) {
    if (typeof edge !== 'number') continue
    for (
      let limit = Math.max(1, edge - near);
      limit <= Math.min(edge + near, Number(maximum ?? most));
      limit++
    ) {
      const some = await page(session, endpoint, { limit })
      const isWhole = isDeepStrictEqual(itemsOf(some), whole.slice(0, limit))
      const leadsOn = nextPage(some.request.url, some.reply) !== undefined
      session.hold(
        some,
        `a page of ${limit} has ${itemsOf(some).length} of ${whole.length} items, and ${leadsOn ? 'leads' : 'does not lead'} on`,
        isWhole && leadsOn === whole.length > limit,
      )
      const link = linkTo('next', some.reply)
      if (link === undefined) continue
      const next = await session.sendRaw(endpoint, { ...some.request, url: link }, some.draft)
      const isNext = isDeepStrictEqual(itemsOf(next), whole.slice(limit, 2 * limit))
      session.hold(next, `rel="next" of a page of ${limit} does not lead to the ${limit} after it`, isNext)
    }
  }
}

/** A list that just fills a page has no further one. */
async function holdEnd(
  session: Session,
  endpoint: Endpoint,
  query: Record<string, unknown>,
  all: readonly Item[],
) {
  if (all.length === 0 || all.length > most) return
  const last = await page(session, endpoint, { ...query, limit: all.length })
  const { [nextIn(parameters.cursor)]: next } = last.reply.headers
  session.hold(
    last,
    `a page that holds all ${all.length} leads on to another`,
    itemsOf(last).length === all.length && next === undefined && linkTo('next', last.reply) === undefined,
  )
}

async function holdCursors(session: Session, endpoint: Endpoint, others: readonly Tried[]) {
  const first = await page(session, endpoint, { limit: 1 })
  const cursor = first.reply.headers[nextIn(parameters.cursor)]
  if (cursor === undefined) {
    const what = `a list of ${endpoint.id} that has a second page`
    throw session.world.hands.writes ? new Unreachable(`There is no ${what}`) : new LeftOut(`needs ${what}`)
  }
  const onward = await page(session, endpoint, { limit: 2, cursor })
  const start = await page(session, endpoint, { limit: 3 })
  session.hold(
    onward,
    'a cursor with another limit does not lead on',
    isDeepStrictEqual(itemsOf(onward), itemsOf(start).slice(1)),
  )
  const back = linkTo('first', onward.reply)
  if (back !== undefined) {
    const again = await session.sendRaw(endpoint, { ...onward.request, url: back }, onward.draft)
    const isFirst = isDeepStrictEqual(itemsOf(again), itemsOf(start).slice(0, 2))
    session.hold(again, 'rel="first" does not lead to the first page', isFirst)
  }
  for (const list of session.contract.endpoints) {
    const isOther = list !== endpoint && list.parameters.some(({ name }) => name === parameters.cursor)
    if (!isOther || list.method !== 'GET' || list.path.includes('{') || requiredQuery(list).length > 0)
      continue
    const own = (await page(session, list, { limit: 1 })).reply.headers[nextIn(parameters.cursor)]
    if (own === undefined) continue
    const strange = await page(session, endpoint, { limit: 1, cursor: own })
    holdRefusal(session, strange, `a cursor of ${list.id}`, 400, codes.invalid)
  }
  // Requests are read strictly: what decoders skip is no part of a cursor.
  for (const one of [`${cursor}=`, `${cursor}!`, `!${cursor}`, `${cursor} `]) {
    const strange = await page(session, endpoint, { limit: 1, cursor: one })
    const { status } = strange.reply
    session.hold(strange, `the cursor "${one}" is answered ${status}`, status === 400)
  }
  // A cursor is of its list alone where the document says how it is refused.
  for (const { name, values } of endpoint.statuses.includes(400) ? others : []) {
    const usual = endpoint.parameters.find(parameter => parameter.name === name)?.schema
    const strange = values.filter(one => !usual || !('default' in usual) || usual.default !== one)
    // What is nothing to some programs, such as false, is something all the same.
    for (const value of new Set([...strange.slice(0, 1), ...strange.filter(one => !one)])) {
      const other = await page(session, endpoint, { limit: 1, cursor, [name]: value })
      session.hold(
        other,
        `a cursor of another list is answered ${other.reply.status} with ${name}=${value}`,
        other.reply.status === 400,
      )
    }
  }
}

/** The first page of a list is that of the same filters, in the same order, wherever it is linked from. */
async function holdFirst(
  session: Session,
  endpoint: Endpoint,
  others: readonly Tried[],
  kept: ReadonlyMap<string, readonly Item[]>,
) {
  for (const { name, values } of others) {
    const value = values.find(one => (kept.get(keyOf(name, one))?.length ?? 0) > 1)
    if (value === undefined) continue
    const first = await page(session, endpoint, { [name]: value, [parameters.limit]: 1 })
    const next = nextPage(first.request.url, first.reply)
    const onward =
      next === undefined
        ? first
        : await session.sendRaw(endpoint, { ...first.request, url: next }, first.draft)
    for (const one of [first, onward]) {
      const url = linkTo('first', one.reply)
      if (url === undefined) continue
      const again = await session.sendRaw(endpoint, { ...first.request, url }, first.draft)
      const isFirst = isDeepStrictEqual(itemsOf(again), itemsOf(first))
      session.hold(again, `rel="first" of a page with ${name}=${value} leads elsewhere`, isFirst)
    }
  }
}

async function holdPairs(
  session: Session,
  endpoint: Endpoint,
  others: readonly Tried[],
  kept: ReadonlyMap<string, readonly Item[]>,
  whole: readonly Item[],
) {
  const filters = others.flatMap(({ name, values }) =>
    values.flatMap(value => {
      const items = kept.get(keyOf(name, value))
      return items && items.length > 0 && items.length < whole.length ? [{ name, value, items }] : []
    }),
  )
  for (const [i, one] of filters.entries())
    for (const other of filters.slice(i + 1)) {
      if (one.name === other.name) continue
      const query = { [one.name]: one.value, [other.name]: other.value, limit: most }
      const both = await walk(session, endpoint, query)
      const due = one.items.filter(item => other.items.some(same => isDeepStrictEqual(same, item)))
      session.holdOf(
        endpoint,
        `${one.name}=${one.value} with ${other.name}=${other.value} keeps ${both.length} items, and each of them alone has ${due.length} in common`,
        isDeepStrictEqual(both, due),
      )
    }
}

/** What a filter keeps stands in the order asked for, as in the whole list. */
async function holdOrders(
  session: Session,
  endpoint: Endpoint,
  others: readonly Tried[],
  kept: ReadonlyMap<string, readonly Item[]>,
) {
  const orders = others.find(({ name }) => name === parameters.sort)?.values ?? []
  for (const { name, values } of others)
    for (const value of name === parameters.sort ? [] : values.slice(0, 2)) {
      const items = kept.get(keyOf(name, value)) ?? []
      for (const order of orders) {
        const query = { [name]: value, [parameters.sort]: order, [parameters.limit]: most }
        const sorted = await walk(session, endpoint, query)
        const whole = kept.get(keyOf(parameters.sort, order)) ?? []
        const due = whole.filter(item => items.some(same => isDeepStrictEqual(same, item)))
        const what = `with ${name}=${value} the order ${order} is not that of the whole list`
        session.holdOf(endpoint, what, isDeepStrictEqual(sorted, due))
      }
    }
}
