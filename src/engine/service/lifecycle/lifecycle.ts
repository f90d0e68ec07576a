import fp from 'fastify-plugin'
import { docsAddresses } from '../contract/addresses.ts'
import type { Contract, OperationFacts } from '../contract/contract.ts'
import type { Destination } from '../contract/destination.ts'
import { pathReader, uriOf } from '../contract/path-templates.ts'
import { ApiError } from '../errors/api-error.ts'
import type { StageOptions } from '../parts.ts'

declare module '../contract/destination.ts' {
  interface Destination {
    /** absent: the operation is stable, and stays */
    lifecycle?: {
      fields: Readonly<Record<string, string>>
      /** Returns the Link for a request's URL, and the path before it; absent: the operation is not deprecated. */
      link?: (url: string, prefix: string) => string
      /** 00:00 UTC of the sunset, in ms since 1970, and the message from then on */
      ends?: { at: number; message: string }
    }
  }
}

/**
 * Adds an operation's stability, deprecation (RFC 9745) and sunset (RFC 8594) to each of its replies, errors included.
 * It counts calls of deprecated operations. It refuses those of ended ones, from 00:00 UTC of the day on.
 */
export const lifecycle = fp<StageOptions>(async (app, { contract, parts: { deprecatedCalls, time } }) => {
  const { page } = docsAddresses(contract.model)
  app.addHook('onRoute', ({ config }) => {
    if (config?.operationId === undefined || !config.facts) return
    const own = lifecycleOf(config.operationId, config.facts, page)
    if (own) config.lifecycle = own
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { lifecycle, operationId = '' } = request.destination
    if (!lifecycle?.link) return done()
    if (request.caller.kind === 'key') deprecatedCalls.note(request.caller.counter, operationId)
    const { ends } = lifecycle
    if (!ends || time() < ends.at) done()
    else done(new ApiError('operation_sunset', ends.message))
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { lifecycle } = request.destination
    if (!lifecycle) return done(null, payload)
    const { fields, link } = lifecycle
    reply.headers(fields)
    if (link) {
      const own = reply.getHeader('link')
      const told = link(request.url, app.prefixOf(request))
      reply.header('link', own === undefined ? told : [own, told].flat().join(', '))
    }
    done(null, payload)
  })
})

function lifecycleOf(id: string, facts: OperationFacts, page: string): Destination['lifecycle'] {
  const { stability, deprecation } = facts
  if (!stability && !deprecation) return undefined
  const { at, sunset, successor } = deprecation ?? {}
  const fields = {
    ...(stability && { 'x-stability': stability }),
    ...(at && { deprecation: `@${Date.parse(at) / 1_000}` }),
    ...(sunset && { sunset: new Date(sunset).toUTCString() }),
  }
  if (!deprecation) return { fields }
  const instead = successor ? `; use ${successor.operationId} (${successor.href})` : ''
  const ends = sunset && { at: Date.parse(sunset), message: `${id} ended on ${sunset}${instead}.` }
  return { fields, link: linkOf(id, facts, page), ...(ends && { ends }) }
}

/** Returns a deprecated operation's Link for a request's URL: to the docs, and to the successor (RFC 5829). */
function linkOf(id: string, { path, tag, deprecation }: OperationFacts, page: string) {
  const place = `${page}#/${encodeURIComponent(tag ?? 'default')}/${encodeURIComponent(id)}`
  const docs = (prefix: string) => `<${prefix}${place}>; rel="deprecation"`
  const { href } = deprecation?.successor ?? {}
  if (href === undefined) return (_url: string, prefix: string) => docs(prefix)
  const write = (uri: string, prefix: string) => `<${prefix}${uri}>; rel="successor-version", ${docs(prefix)}`
  const read = pathReader(path)
  const [before = '', name, after = ''] = href.split(/\{([^}]*)\}/)
  const index = path.split('/').indexOf(`{${name}}`)
  const isOne = name !== undefined && href.length === before.length + name.length + 2 + after.length
  const [head, tail] = [uriOf(before), uriOf(after)]
  return (url: string, prefix: string) => {
    // Most paths have a single plain value, which needs no escaping.
    const value = isOne && !url.includes('?') ? (url.split('/')[index] ?? '') : ''
    if (plainValue.test(value)) return write(head + value + tail, prefix)
    const values = read(url)
    // Values that are longer are no identifiers.
    return write(
      uriOf(href.replace(/\{([^}]*)\}/g, (_, name) => values.get(name)?.slice(0, 200) ?? '')),
      prefix,
    )
  }
}

const plainValue = /^[\w.~-]{1,200}$/

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
