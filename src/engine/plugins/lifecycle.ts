import fp from 'fastify-plugin'
import type { Contract, OperationFacts } from '../contract.ts'
import { docsAddresses } from '../docs/addresses.ts'
import type { StageOptions } from '../parts.ts'
import { ApiError } from '../replies/api-error.ts'
import { factsFor, operationOf, pathReader, uriOf } from '../routes/paths.ts'

/**
 * Adds an operation's stability, deprecation (RFC 9745) and sunset (RFC 8594) to each of its replies, errors included.
 * It counts calls of deprecated operations. It refuses those of ended ones, from 00:00 UTC of the day on.
 */
export const lifecycle = fp<StageOptions>(async (app, { contract, parts: { deprecatedCalls, now } }) => {
  const { page } = docsAddresses(contract.model)
  const links = new Map([...contract.facts].map(([id, own]) => [id, linkOf(id, own, page)]))

  app.addHook('onRequest', async request => {
    const id = operationOf(request)
    const { deprecation } = factsFor(request) ?? {}
    if (id === undefined || !deprecation) return
    if (request.caller.kind === 'key') deprecatedCalls.note(request.caller.counter, id)
    const { sunset, successor } = deprecation
    if (!sunset || daysUntil(sunset, now()) > 0) return
    const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
    throw new ApiError('operation_sunset', `${id} ended on ${sunset}${instead}.`)
  })

  app.addHook('onSend', async (request, reply) => {
    const { stability, deprecation } = factsFor(request) ?? {}
    if (stability) reply.header('x-stability', stability)
    if (!deprecation) return
    const { at, sunset } = deprecation
    if (at) reply.header('deprecation', `@${Date.parse(at) / 1_000}`)
    if (sunset) reply.header('sunset', new Date(sunset).toUTCString())
    const link = links.get(operationOf(request) ?? '')?.(request.url)
    reply.header('link', [reply.getHeader('link') ?? [], link ?? []].flat().join(', '))
  })
})

/** Returns a deprecated operation's Link for a request's URL: to the docs, and to the successor (RFC 5829). */
function linkOf(id: string, { path, tag, deprecation }: OperationFacts, page: string) {
  const docs = `<${page}#/${encodeURIComponent(tag ?? 'default')}/${encodeURIComponent(id)}>; rel="deprecation"`
  const { successor } = deprecation ?? {}
  if (!successor) return () => docs
  const read = pathReader(path)
  return (url: string) => {
    const values = read(url)
    // Values that are longer are no identifiers.
    const href = successor.href.replace(/\{([^}]*)\}/g, (_, name) => values.get(name)?.slice(0, 200) ?? '')
    return `<${uriOf(href)}>; rel="successor-version", ${docs}`
  }
}

/** Describes the operations that have ended, or end within the days of warning. */
export function upcomingSunsets({ facts, lifetimes }: Contract, now: Date): string[] {
  const { sunsetWarnings: seconds = Number.POSITIVE_INFINITY } = lifetimes
  return [...facts].flatMap(([id, { deprecation }]) => {
    const { sunset, successor } = deprecation ?? {}
    const left = sunset ? daysUntil(sunset, now) : Number.POSITIVE_INFINITY
    if (!sunset || left * 86_400 > seconds) return []
    const days = left === 1 ? 'day' : 'days'
    const what = left > 0 ? `ends on ${sunset}, in ${left} ${days}` : `ended on ${sunset}`
    return [`${id} ${what}${successor ? `; ${successor.operationId} replaces it` : ''}.`]
  })
}

/** Returns the days until 00:00 UTC of a date, rounded up; 0 or less from then on. */
export function daysUntil(day: string, now: Date): number {
  return Math.ceil((Date.parse(day) - now.getTime()) / 86_400_000)
}
