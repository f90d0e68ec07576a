import type { FastifyInstance } from 'fastify'
import { excerpt } from '../requests/faults.ts'
import { operationOf } from '../routes/operation.ts'
import { pathReader } from '../routes/paths.ts'
import { ApiError } from './api-error.ts'

/** What an operation's life looks like; the generated facts have it. Dates are YYYY-MM-DD. */
export interface LifecycleFacts {
  path: string
  tag: string | null
  stability: string | null
  deprecation: {
    at: string
    sunset: string
    successor: { operationId: string; href: string } | null
  } | null
}

type Operations = Readonly<Record<string, LifecycleFacts>>

const midnight = (day: string) => new Date(`${day}T00:00:00Z`)

/**
 * Tells of an operation's stability, deprecation and sunset on each of its responses, errors included.
 * Sources: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version).
 */
export function registerLifecycleHeaders(app: FastifyInstance, operations: Operations): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const id = operationOf(request)
    const facts = operations[id ?? '']
    if (facts?.stability) reply.header('X-Stability', facts.stability)
    if (!facts?.deprecation) return payload
    const { at, sunset, successor } = facts.deprecation
    const links = [
      ...(successor ? [`<${fill(successor.href, facts.path, request.url)}>; rel="successor-version"`] : []),
      `</docs#/${encodeURIComponent(facts.tag ?? 'default')}/${id}>; rel="deprecation"`,
    ]
    const own = reply.getHeader('link')
    reply.headers({
      Deprecation: `@${midnight(at).getTime() / 1_000}`,
      Sunset: midnight(sunset).toUTCString(),
      Link: [...(typeof own === 'string' ? [own] : []), ...links].join(', '),
    })
    return payload
  })
}

/** A URL template with the request's own path parameters, of which the longest are no identifiers. */
function fill(href: string, template: string, url: string): string {
  const values = pathReader(template)(url)
  return href.replace(/\{(\w+)\}/g, (_, name: string) => excerpt(values.get(name) ?? '').replace('…', ''))
}

/**
 * Refuses an operation from 00:00 UTC of its sunset date on.
 * @throws ApiError 410
 */
export function refuseAfterSunset(id: string, { deprecation }: LifecycleFacts, now: Date): void {
  if (!deprecation || now < midnight(deprecation.sunset)) return
  const { sunset, successor } = deprecation
  const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
  throw new ApiError(410, 'operation_sunset', `${id} ended on ${sunset}${instead}.`)
}

/** The operations that end within some days, or have ended, in words. */
export function upcomingSunsets(operations: Operations, now: Date, days = 30): string[] {
  return Object.entries(operations).flatMap(([id, { deprecation }]) => {
    if (!deprecation) return []
    const left = daysUntil(deprecation.sunset, now)
    if (left > days) return []
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
