import type { FastifyInstance } from 'fastify'
import type { OperationFacts } from '../facts.ts'
import { excerpt } from '../requests/faults.ts'
import { operationOf } from '../routes/operation.ts'
import { pathReader } from '../routes/paths.ts'
import { ApiError } from './api-error.ts'

type Operations = ReadonlyMap<string, OperationFacts>

const midnight = (day: string) => new Date(`${day}T00:00:00Z`)

/**
 * Tells of an operation's stability, deprecation and sunset on each of its responses, errors included.
 * @param page where the docs are
 * Sources: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version).
 */
export function registerLifecycleHeaders(app: FastifyInstance, operations: Operations, page: string): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const id = operationOf(request)
    const facts = operations.get(id ?? '')
    if (facts?.stability) reply.header('X-Stability', facts.stability)
    if (!facts?.deprecation) return payload
    const { at, sunset, successor } = facts.deprecation
    const links = [
      ...(successor ? [`<${fill(successor.href, facts.path, request.url)}>; rel="successor-version"`] : []),
      `<${page}#/${encodeURIComponent(facts.tag ?? 'default')}/${id}>; rel="deprecation"`,
    ]
    const own = reply.getHeader('link')
    if (at) reply.header('Deprecation', `@${midnight(at).getTime() / 1_000}`)
    if (sunset) reply.header('Sunset', midnight(sunset).toUTCString())
    reply.header('Link', [...(typeof own === 'string' ? [own] : []), ...links].join(', '))
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
 * @throws ApiError
 */
export function refuseAfterSunset(id: string, { deprecation }: OperationFacts, now: Date): void {
  if (!deprecation?.sunset || now < midnight(deprecation.sunset)) return
  const { sunset, successor } = deprecation
  const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
  throw new ApiError('operation_sunset', `${id} ended on ${sunset}${instead}.`)
}

/** The operations that end within some days, or have ended, in words. */
export function upcomingSunsets(operations: Operations, now: Date, days = 30): string[] {
  return [...operations].flatMap(([id, { deprecation }]) => {
    if (!deprecation?.sunset) return []
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
