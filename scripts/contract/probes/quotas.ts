import type { RateLimits } from '../../../src/engine/extensions.ts'
import { fields } from '../conventions.ts'
import type { Exchange, Session } from '../session.ts'
import type { WireReply } from '../wire.ts'
import type { Quotas } from '../world.ts'

type Windows = RateLimits['windows']

/** Quotas of a key, by window. @param of of the window at an index, which counts from 0 */
export function quotasFor(windows: Windows, of: (index: number) => number): Quotas {
  return Object.fromEntries(windows.map(({ name }, index) => [name, of(index)])) as Quotas // as many as windows
}

/** What a caller with such quotas is told of them (draft-ietf-httpapi-ratelimit-headers). */
export function policyOf(windows: Windows, quotas: Readonly<Record<string, unknown>>): string {
  return windows.map(({ name, seconds }) => `"${name}";q=${quotas[name]};w=${seconds}`).join(',')
}

/** What is left of each window, by a reply's header fields. */
export const leftBy = ({ headers }: WireReply) =>
  [...(headers[fields.windows] ?? '').matchAll(/;r=(\d+)/g)].map(match => Number(match[1]))

/** The plan whose keys have quotas of their own. */
export function customPlanOf({ plans }: RateLimits): string | undefined {
  return Object.entries(plans).find(([, { custom }]) => custom)?.[0]
}

/** The header fields of a caller who has used `used` of each window, all of which began now. */
export function holdState(
  session: Session,
  exchange: Exchange,
  who: string,
  now: Date,
  windows: Windows,
  quotas: Record<string, unknown>,
  used: number,
): void {
  const { headers } = exchange.reply
  const left = (name: string) => Math.max(0, Number(quotas[name]) - used)
  const tightest = windows.toSorted((a, b) => left(a.name) - left(b.name) || b.seconds - a.seconds)[0]
  const expected: Record<string, string> = {
    [fields.policy]: policyOf(windows, quotas),
    [fields.windows]: windows.map(({ name, seconds }) => `"${name}";r=${left(name)};t=${seconds}`).join(','),
    [fields.limit]: String(quotas[tightest?.name ?? '']),
    [fields.remaining]: String(left(tightest?.name ?? '')),
    // Windows end on a whole second.
    [fields.reset]: String(Math.floor(now.getTime() / 1_000) + (tightest?.seconds ?? 0)),
  }
  for (const [name, value] of Object.entries(expected))
    session.hold(
      exchange,
      `${who} is told ${name} ${headers[name]}, and not ${value}`,
      headers[name] === value,
    )
}

/** A banned caller is told its quotas as ever, and that nothing is left of them until the ban ends, in so many seconds. */
export function holdBanned(
  session: Session,
  exchange: Exchange,
  before: Exchange,
  wait: number,
  now: Date,
): void {
  const { headers } = exchange.reply
  const policy = before.reply.headers[fields.policy] ?? ''
  const quotas = [...policy.matchAll(/;q=(\d+)/g)].map(match => match[1])
  const hold = (name: string, isRight: boolean) =>
    session.hold(exchange, `a banned caller is told ${name} ${headers[name]}`, isRight)
  hold(fields.policy, headers[fields.policy] === policy)
  // It ends on a whole second, as windows do.
  hold(fields.windows, headers[fields.windows] === policy.replace(/;q=\d+;w=\d+/g, `;r=0;t=${wait}`))
  hold(fields.limit, quotas.includes(headers[fields.limit]))
  hold(fields.remaining, headers[fields.remaining] === '0')
  hold(fields.reset, headers[fields.reset] === String(Math.floor(now.getTime() / 1_000) + wait))
}
