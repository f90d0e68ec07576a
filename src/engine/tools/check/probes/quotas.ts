import type { RateLimits } from 'spec-served-document/contract/extensions'
import { fields } from '../../records/conventions.ts'
import type { WireReply } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import type { Quotas } from '../world.ts'

type Windows = RateLimits['windows']

/** Quotas of a key, by window. @param of the quota of the window at an index, which counts from 0 */
export function quotasFor(windows: Windows, of: (index: number) => number): NonNullable<Quotas> {
  return Object.fromEntries(windows.map(({ name }, index) => [name, of(index)])) as NonNullable<Quotas> // as many as windows
}

/** Returns the header field that tells a caller its quotas (draft-ietf-httpapi-ratelimit-headers). */
export function policyOf(windows: Windows, quotas: Readonly<Record<string, unknown>>): string {
  return windows.map(({ name, seconds }) => `"${name}";q=${quotas[name]};w=${seconds}`).join(',')
}

/** The windows that a reply's header fields tell of. */
export function windowsIn({ headers }: WireReply) {
  const limits = new Map(
    [...(headers[fields.policy] ?? '').matchAll(/"(\w+)";q=(\d+)/g)].map(([, name, q]) => [name, Number(q)]),
  )
  const matches = [...(headers[fields.windows] ?? '').matchAll(/"(\w+)";r=(\d+);t=(\d+)/g)]
  return matches.map(([, name = '', left, seconds]) => ({
    name,
    limit: limits.get(name),
    left: Number(left),
    seconds: Number(seconds),
  }))
}

/** Returns what is left of each window, by a reply's header fields. */
export const leftBy = (reply: WireReply) => windowsIn(reply).map(({ left }) => left)

/** Windows and bans end on a whole second. @returns in seconds since 1970 */
export const endOf = ({ clock }: Session, seconds: number) =>
  Math.floor(clock.now().getTime() / 1_000) + seconds

/** The header fields of a caller who has used `used` of each window, all of which began now. */
export function checkQuotaFields(
  session: Session,
  exchange: Exchange,
  who: string,
  quotas: Readonly<Record<string, unknown>>,
  used: number,
): void {
  const { windows } = session.limits
  const left = (window: string) => Math.max(0, Number(quotas[window]) - used)
  const [tightest] = windows.toSorted((a, b) => left(a.name) - left(b.name) || b.seconds - a.seconds)
  const { name: tightestName = '', seconds: tightestSeconds = 0 } = tightest ?? {}
  const expected = {
    [fields.policy]: policyOf(windows, quotas),
    [fields.windows]: windows.map(({ name, seconds }) => `"${name}";r=${left(name)};t=${seconds}`).join(','),
    [fields.limit]: String(quotas[tightestName]),
    [fields.remaining]: String(left(tightestName)),
    [fields.reset]: String(endOf(session, tightestSeconds)),
  }
  for (const [field, value] of Object.entries(expected))
    session.holdSame(exchange, `of ${who}, ${field}`, exchange.reply.headers[field], value)
}

/** A banned caller is told its quotas as ever. Nothing is left of them until the ban ends, in so many seconds. */
export function checkBannedQuotas(
  session: Session,
  exchange: Exchange,
  before: Exchange,
  wait: number,
): void {
  const { headers } = exchange.reply
  const policy = before.reply.headers[fields.policy] ?? ''
  const quotas = windowsIn(before.reply).map(({ limit }) => String(limit))
  const hold = (name: string, isRight: boolean) =>
    session.hold(exchange, `a banned caller gets ${name} ${headers[name]}`, isRight)
  hold(fields.policy, headers[fields.policy] === policy)
  hold(fields.windows, headers[fields.windows] === policy.replace(/;q=\d+;w=\d+/g, `;r=0;t=${wait}`))
  hold(fields.limit, quotas.includes(headers[fields.limit] ?? ''))
  hold(fields.remaining, headers[fields.remaining] === '0')
  hold(fields.reset, headers[fields.reset] === String(endOf(session, wait)))
}
