import type { Endpoint } from '../interface.ts'
import type { Report } from '../report.ts'
import type { Exchange, Session } from '../session.ts'
import { linkTo } from '../world.ts'

export type Item = Record<string, unknown>
type Query = Record<string, unknown>

/** More pages than the records of a check can fill. */
const mostPages = 1_000

/** One page of a list. */
export const page = (session: Session, endpoint: Endpoint, query: Query) =>
  session.exchange(endpoint, { path: {}, query, header: {} })

export const itemsOf = ({ reply }: Exchange): Item[] => (Array.isArray(reply.body) ? reply.body : [])

/** The items of all pages of a list, by their Link header fields (RFC 8288). */
export async function walk(
  session: Session,
  endpoint: Endpoint,
  query: Query,
  report: Report,
): Promise<Item[]> {
  let exchange = await page(session, endpoint, query)
  const items: Item[] = []
  for (let pages = 0; pages < mostPages; pages++) {
    const { status } = exchange.reply
    report.hold(exchange, `${JSON.stringify(query)} is answered ${status}`, status === endpoint.success)
    items.push(...itemsOf(exchange))
    const next = linkTo('next', exchange.reply)
    if (next === undefined) return items
    exchange = await session.sendRaw(endpoint, { ...exchange.request, url: next }, exchange.draft)
  }
  report.add(endpoint, 'its pages do not come to an end', exchange)
  return items
}
