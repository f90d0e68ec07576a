import { codesOf } from 'spec-served-document/model'
import type { Response } from 'spec-served-document/types'
import { type Change, compareParts, found, lost } from '../change.ts'
import { child, entries, keyIn, type Located } from '../located.ts'
import { compareContent } from './content.ts'
import { compareLinks } from './links.ts'
import { compareHeaders } from './parts.ts'
import type { Pair, Route } from './routes.ts'

/** Judges what changes in the replies of an operation: in which there are, and in each. */
export function compareResponses(pair: Pair): Generator<Change> {
  const reader = pair.reader === 'request' ? 'response' : 'request'
  const ruleOf = <R extends 'status-added' | 'status-removed'>(rule: R, status: string) =>
    isError(status) ? (`${rule}/error` as const) : rule
  return compareParts(responsesOf(pair.base), responsesOf(pair.next), {
    find: coverOf,
    part: (_response, status) => `response ${status}`,
    both: (base, next, status) => compareResponse(status, base, next, pair),
    gone: (response, status) => [
      lost(ruleOf('status-removed', status), response, `${status} is gone`, { reader }),
    ],
    fresh: (response, status) => [
      found(ruleOf('status-added', status), response, `${status} is new`, { reader }),
    ],
  })
}

function responsesOf({ operation }: Route): Map<string, Located<Response>> {
  return new Map(entries(child(operation, 'responses')))
}

/**
 * Returns the response that is declared for a status: its own, that of its range (`4XX`), or the default. The default
 * speaks of errors where a success is declared beside it.
 */
function coverOf<T>(responses: ReadonlyMap<string, T>, status: string): T | undefined {
  const isOther = !isError(status) && [...responses.keys()].some(declared => !isError(declared))
  return (
    responses.get(status) ??
    responses.get(`${status[0]}XX`) ??
    (isOther ? undefined : responses.get('default'))
  )
}

function isError(status: string): boolean {
  return !/^[123]/.test(status)
}

function* compareResponse(
  status: string,
  base: Located<Response>,
  next: Located<Response>,
  pair: Pair,
): Generator<Change> {
  const isOurs = pair.reader === 'request' // else clients answer, who were called back
  const context = { ...pair, reader: isOurs ? (isError(status) ? 'error' : 'response') : 'request' } as const
  yield* compareHeaders(child(base, 'headers'), child(next, 'headers'), context)
  yield* compareContent(child(base, 'content'), child(next, 'content'), context, true)
  if (!isOurs) return // clients name no codes, and where the service would go from their reply is not their business
  yield* compareCodes(base, next)
  yield* compareLinks(child(base, 'links'), child(next, 'links'), pair)
}

/**
 * Judges what changes in the codes of the errors that a response can carry (`x-codes`). Clients are asked to expect new
 * ones, and to treat unknown ones by the status. But clients that act on a code may wait in vain.
 */
function* compareCodes(base: Located<Response>, next: Located<Response>): Generator<Change> {
  const [before, after] = [codesOf(base.node), codesOf(next.node)]
  const where = keyIn(next, 'x-codes')
  for (const code of before) if (!after.includes(code)) yield found('code-removed', where, `${code} is gone`)
  for (const code of after)
    if (before.length === 0) yield found('code-named', where, `${code} is named`)
    else if (!before.includes(code)) yield found('code-added', where, `${code} is new`)
}
