import type { Response } from '../../../src/document/types.ts'
import { codesOf } from '../../../src/engine/extensions.ts'
import { type Change, change, gone, placed, type Severity } from '../change.ts'
import { child, entries, keyIn, type Located } from '../located.ts'
import { compareContent } from './content.ts'
import { compareHeaders } from './headers.ts'
import { compareLinks } from './links.ts'
import type { Pair, Route } from './routes.ts'

/**
 * Judges what changes in the codes of the errors that a response can carry (`x-codes`). Clients are told to expect new
 * ones, and to treat those that they do not know by the status; but those that act on a code may wait in vain.
 */
function* compareCodes(base: Located<Response>, next: Located<Response>): Generator<Change> {
  const [before, after] = [codesOf(base.node), codesOf(next.node)]
  const report = (severity: Severity, rule: string, what: string, why: string) =>
    change(severity, rule, keyIn(next, 'x-codes'), what, why)
  for (const code of before)
    if (!after.includes(code))
      yield report('warning', 'code-removed', `${code} is gone`, 'clients that act on it wait in vain')
  for (const code of after)
    if (!before.includes(code))
      yield before.length > 0
        ? report('warning', 'code-added', `${code} is new`, 'clients that do not know it go by the status')
        : report('info', 'code-named', `${code} is named`, 'clients can act on it')
}

/** Judges what changes in the replies of an operation: in which there are, and in each. */
export function* compareResponses(pair: Pair): Generator<Change> {
  const [before, after] = [responsesOf(pair.base), responsesOf(pair.next)]
  for (const [status, old] of before) {
    const same = coverOf(after, status)
    yield* placed(
      `response ${status}`,
      same ? compareResponse(status, old, same, pair) : [removedResponse(status, old, pair)],
    )
  }
  for (const [status, response] of after) {
    if (before.has(status)) continue
    const old = coverOf(before, status)
    yield* placed(
      `response ${status}`,
      old ? compareResponse(status, old, response, pair) : [addedResponse(status, response, pair)],
    )
  }
}

function responsesOf({ operation }: Route): Map<string, Located<Response>> {
  return new Map(entries(child(operation, 'responses')))
}

/**
 * The response that is declared for a status: its own, that of its range (`4XX`), or the default, which speaks of errors
 * where a success is declared beside it.
 */
function coverOf(responses: Map<string, Located<Response>>, status: string): Located<Response> | undefined {
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

function removedResponse(status: string, response: Located<Response>, { sender }: Pair): Change {
  const [success, failure] =
    sender === 'client'
      ? ['clients that expect it get another answer', 'clients that act on it wait in vain']
      : [
          'clients that answer so are not understood',
          'clients that answer so are treated as for any error of its class',
        ]
  const error = isError(status)
  return gone(
    error ? 'warning' : 'breaking',
    'status-removed',
    response,
    `${status} is gone`,
    error ? failure : success,
  )
}

function addedResponse(status: string, response: Located<Response>, { sender }: Pair): Change {
  const report = (severity: Severity, why: string) =>
    change(severity, 'status-added', response, `${status} is new`, why)
  if (sender === 'service') return report('info', 'clients need not answer so')
  return isError(status)
    ? report('info', 'clients treat an unknown error by its class')
    : report('warning', 'clients that expect another success may not understand it')
}

function* compareResponse(
  status: string,
  base: Located<Response>,
  next: Located<Response>,
  pair: Pair,
): Generator<Change> {
  const { day, stability, trials } = pair
  const answered = pair.sender === 'client' // by the service; a callback is answered by clients
  const reader = answered ? (isError(status) ? 'error' : 'response') : 'request'
  const context = { reader, day, stability, trials } as const
  yield* compareHeaders(child(base, 'headers'), child(next, 'headers'), context)
  yield* compareContent(child(base, 'content'), child(next, 'content'), context, true)
  if (answered) yield* compareCodes(base, next)
  // Where the service would go from the reply to a callback is nothing that clients do.
  if (answered) yield* compareLinks(child(base, 'links'), child(next, 'links'), pair)
}
