import type { Contract } from '../contract.ts'
import type { OperationFacts } from '../facts.ts'
import { excerpt } from '../requests/faults.ts'
import { pathReader } from '../routes/paths.ts'
import { ApiError } from './api-error.ts'

/**
 * A text as a URI, which it is but for characters that no URI has (RFC 3986, section 2); what is percent-encoded stays. For
 * header fields too: these hold no letters beyond ASCII.
 */
export const uriOf = (text: string) =>
  text.toWellFormed().replace(/[^!#-;=?-Z[\]_a-z~]/gu, one => encodeURIComponent(one))

/** 00:00 UTC of a day. */
export const midnight = (day: string) => new Date(`${day}T00:00:00Z`)

/**
 * What the replies of an operation tell of its life, by the names of header fields; `link` is that of a request's URL.
 * @param page where the docs are
 * Sources: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version).
 */
export function lifecycleOf(id: string, facts: OperationFacts, page: string) {
  const { stability, deprecation, path, tag } = facts
  if (!deprecation) return { stability }
  const { at, sunset, successor } = deprecation
  const docs = `<${page}#/${encodeURIComponent(tag ?? 'default')}/${encodeURIComponent(id)}>; rel="deprecation"`
  const read = pathReader(path)
  return {
    stability,
    deprecation: at && `@${midnight(at).getTime() / 1_000}`,
    sunset: sunset && midnight(sunset).toUTCString(),
    link(url: string): string {
      if (!successor) return docs
      const values = read(url)
      // The longest are no identifiers.
      const fill = (_: string, name: string) => excerpt(values.get(name) ?? '').replace('…', '')
      return `<${uriOf(successor.href.replace(/\{([^}]*)\}/g, fill))}>; rel="successor-version", ${docs}`
    },
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
    const { sunset, successor } = deprecation ?? {}
    const left = sunset ? daysUntil(sunset, now) : Number.POSITIVE_INFINITY
    if (!sunset || left * 86_400 > seconds) return []
    const what = left > 0 ? `ends on ${sunset}, in ${left} days` : `ended on ${sunset}`
    return [`${id} ${what}${successor ? `; ${successor.operationId} replaces it` : ''}.`]
  })
}

/** Days until 00:00 UTC of a date, begun ones counted; 0 or less from then on. */
export function daysUntil(day: string, now: Date): number {
  return Math.ceil((midnight(day).getTime() - now.getTime()) / 86_400_000)
}
