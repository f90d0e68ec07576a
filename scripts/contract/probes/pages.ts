import { changedByUse } from '../conventions.ts'
import { type Endpoint, requiredQuery } from '../interface.ts'
import type { Exchange, Session } from '../session.ts'
import { nextPage } from '../wire.ts'
import { isBody } from './differences.ts'

export type Item = Record<string, unknown>
type Query = Record<string, unknown>

/** More pages than the records of a check can fill. */
const mostPages = 10_000

/** One page of a list; what the list can't be asked without is `base`, unless the query has it. */
export const page = (session: Session, endpoint: Endpoint, query: Query, base = baseOf(session, endpoint)) =>
  session.exchange(endpoint, { path: {}, query: { ...base, ...query }, header: {} })

/** How many values are tried for what a list can't be asked without. */
const tried = 24
/** So many items a list needs for its pages to tell something. */
const telling = 8

const bases = new WeakMap<Session, Map<Endpoint, Query>>()

function baseOf(session: Session, endpoint: Endpoint): Query {
  if (requiredQuery(endpoint).length === 0) return {}
  const known = bases.get(session) ?? new Map<Endpoint, Query>()
  bases.set(session, known)
  const base = known.get(endpoint) ?? session.draw(endpoint, undefined, true).query
  known.set(endpoint, base)
  return base
}

/**
 * Chooses what a list with required parameters is asked for: of some values those with the longest page. More records
 * are made while none has enough to tell what pages are.
 */
export async function chooseBase(
  session: Session,
  endpoint: Endpoint,
  makeMore: () => Promise<void>,
): Promise<void> {
  if (requiredQuery(endpoint).length === 0) return
  const known = bases.get(session) ?? new Map<Endpoint, Query>()
  bases.set(session, known)
  const drawn = Array.from({ length: tried }, () => session.draw(endpoint, undefined, true).query)
  for (let round = 0; round < 6; round++) {
    let most = -1
    for (const base of drawn) {
      const { length } = itemsOf(await page(session, endpoint, {}, base))
      if (length > most) known.set(endpoint, base)
      most = Math.max(most, length)
    }
    if (most >= telling) return
    await makeMore()
  }
}

/** The items of a page, but for what of them changes by their use, which is written at whatever time. */
export const itemsOf = ({ reply }: Exchange): Item[] =>
  Array.isArray(reply.body) ? reply.body.map(item => (isBody(item) ? withoutUse(item) : item)) : []

/** A record without what changes by its use. */
export const withoutUse = (record: Item): Item =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !changedByUse.has(name)))

/** The items of all pages of a list, by their Link header fields (RFC 8288). */
export async function walk(session: Session, endpoint: Endpoint, query: Query): Promise<Item[]> {
  let exchange = await page(session, endpoint, query)
  const items: Item[] = []
  for (let pages = 0; pages < mostPages; pages++) {
    const { status } = exchange.reply
    session.hold(exchange, `${JSON.stringify(query)} is answered ${status}`, status === endpoint.success)
    items.push(...itemsOf(exchange))
    const next = nextPage(exchange.request.url, exchange.reply)
    if (next === undefined) return items
    exchange = await session.sendRaw(endpoint, { ...exchange.request, url: next }, exchange.draft)
  }
  session.add(endpoint, 'its pages do not come to an end', exchange)
  return items
}
