import { changedByUse } from '../../records/conventions.ts'
import { type Endpoint, requiredQuery } from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { nextPage } from '../wire.ts'

export type Item = Body

/** More pages than the records of a check can fill. */
const mostPages = 10_000
/** How many values of a required parameter are tried, and how often more records are made for them. */
const tried = 24
const rounds = 6
/** The number of items that a list needs for its pages to tell something. */
const enough = 8

/** A list, asked for with what it can't be asked without. */
export interface PagedList {
  session: Session
  endpoint: Endpoint
  page(query?: Body): Promise<Exchange>
  /** The items of all its pages, by their Link header fields (RFC 8288). @param most the pages that are read at most */
  walk(query?: Body, most?: number): Promise<Item[]>
}

/**
 * A list; of some values of what it can't be asked without those with the longest page.
 * @param makeMore makes more records while none has enough to tell what pages are
 */
export async function openList(
  session: Session,
  endpoint: Endpoint,
  makeMore: () => Promise<void>,
): Promise<PagedList> {
  if (requiredQuery(endpoint).length === 0) return listOf(session, endpoint)
  const lists = Array.from({ length: tried }, () => listOf(session, endpoint, session.least(endpoint).query))
  for (let round = 1; ; round++) {
    let [best = listOf(session, endpoint)] = lists
    let most = -1
    for (const list of lists) {
      const { length } = itemsOf(await list.page())
      if (length > most) best = list
      most = Math.max(most, length)
    }
    if (most >= enough || round === rounds) return best
    await makeMore()
  }
}

export function listOf(session: Session, endpoint: Endpoint, base: Body = {}): PagedList {
  const page = (query = {}) => session.exchange(endpoint, { query: { ...base, ...query } })
  return {
    session,
    endpoint,
    page,
    async walk(query = {}, most = Infinity) {
      let exchange = await page(query)
      const items: Item[] = []
      for (let pages = 0; pages < mostPages; pages++) {
        session.holdStatus(exchange, JSON.stringify(query))
        items.push(...itemsOf(exchange))
        const next = nextPage(exchange.request.url, exchange.reply)
        if (next === undefined || pages + 1 >= most) return items
        exchange = await session.again(exchange, { url: next })
      }
      session.add(endpoint, 'its pages do not come to an end', exchange)
      return items
    },
  }
}

/** The items of a page, but for what of them changes by their use, which is written at whatever time. */
export const itemsOf = ({ reply }: Exchange): Item[] =>
  (Array.isArray(reply.body) ? reply.body : []).map(item =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !changedByUse.has(name))),
  )
