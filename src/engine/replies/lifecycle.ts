import type { Contract } from '../contract.ts'
import type { OperationFacts } from '../facts.ts'
import { excerpt } from '../requests/faults.ts'
import { pathReader } from '../routes/paths.ts'
import { ApiError } from './api-error.ts'
import { uriOf } from './uri.ts'

const midnights = new Map<string, Date>()

/** 00:00 UTC of a day. */
export function midnight(day: string): Date {
  const known = midnights.get(day)
  if (known) return known
  const time = new Date(`${day}T00:00:00Z`)
  midnights.set(day, time)
  return time
}

/** What is told of an operation's life: values of header fields. */
interface Lifecycle {
  stability: string | null
  deprecation?: string | null
  sunset?: string | null
  /** absent for an operation that stays */
  link?: (url: string) => string
}

/**
 * What the replies of an operation tell of its life.
 * @param page where the docs are
 * Sources: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version).
 */
export function lifecycleOf(
  id: string,
  { stability, deprecation, path, tag }: OperationFacts,
  page: string,
): Lifecycle {
  if (!deprecation) return { stability }
  const { at, sunset, successor } = deprecation
  const docs = `<${page}#/${encodeURIComponent(tag ?? 'default')}/${encodeURIComponent(id)}>; rel="deprecation"`
  const fill = successor && filler(successor.href, path)
  return {
    stability,
    deprecation: at && `@${midnight(at).getTime() / 1_000}`,
    sunset: sunset && midnight(sunset).toUTCString(),
    link: fill ? url => `<${fill(url)}>; rel="successor-version", ${docs}` : () => docs,
  }
}

/** What is short and stands for itself in a URL, as nearly all identifiers. */
const plain = /^[\w-]{1,40}$/

/** Fills a URL template with a request's own path parameters, of which the longest are no identifiers. */
function filler(href: string, template: string): (url: string) => string {
  const read = pathReader(template)
  const [first = '', ...rest] = href.split('{')
  const begin = uriOf(first)
  const parts = rest.map(part => {
    const [name = '', after = ''] = part.split('}', 2)
    return [name, uriOf(after)] as const
  })
  return url => {
    const values = read(url)
    let text = begin
    for (const [name, after] of parts) {
      const value = values.get(name) ?? ''
      text += (plain.test(value) ? value : uriOf(excerpt(value).replace('…', ''))) + after
    }
    return text
  }
}

/**
 * Refuses an operation from 00:00 UTC of its sunset date on.
 * @throws ApiError
 */
export function refuseAfterSunset(id: string, { deprecation }: OperationFacts, now: Date): void {
  if (!deprecation?.sunset || now.getTime() < midnight(deprecation.sunset).getTime()) return
  const { sunset, successor } = deprecation
  const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
  throw new ApiError('operation_sunset', `${id} ended on ${sunset}${instead}.`)
}

/** The operations that end within the days of warning, or have ended, in words. */
export function upcomingSunsets(
  { facts, lifetimes }: Pick<Contract, 'facts' | 'lifetimes'>,
  now: Date,
): string[] {
  const { sunsetWarnings: seconds = Number.POSITIVE_INFINITY } = lifetimes
  return [...facts].flatMap(([id, { deprecation }]) => {
    if (!deprecation?.sunset) return []
    const left = daysUntil(deprecation.sunset, now)
    if (left * 86_400 > seconds) return []
    const what =
      left > 0 ? `ends on ${deprecation.sunset}, in ${left} days` : `ended on ${deprecation.sunset}`
    return [
      `${id} ${what}${deprecation.successor ? `; ${deprecation.successor.operationId} replaces it` : ''}.`,
    ]
  })
}

/** Days until 00:00 UTC of a date, begun ones counted; 0 or less from then on. */
export function daysUntil(day: string, now: Date): number {
  return Math.ceil((midnight(day).getTime() - now.getTime()) / 86_400_000)
}
