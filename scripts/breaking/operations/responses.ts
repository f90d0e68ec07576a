import type { Response } from '../../../src/document/types.ts'
import { codesOf } from '../../../src/engine/extensions.ts'
import { type Change, found, lost, placed } from '../change.ts'
import { child, entries, keyIn, type Located } from '../located.ts'
import { compareContent } from './content.ts'
import { compareLinks } from './links.ts'
import { compareHeaders } from './parts.ts'
import type { Pair, Route } from './routes.ts'

/**
 * Judges what changes in the codes of the errors that a response can carry (`x-codes`). Clients are told to expect new
 * ones, and to treat those that they do not know by the status; but those that act on a code may wait in vain.
 */
function* compareCodes(base: Located<Response>, next: Located<Response>): Generator<Change> {
  const [before, after] = [codesOf(base.node), codesOf(next.node)]
  for (const code of before)
    if (!after.includes(code)) yield found('code-removed', keyIn(next, 'x-codes'), `${code} is gone`)
  for (const code of after)
    if (!before.includes(code))
      yield before.length > 0
        ? found('code-added', keyIn(next, 'x-codes'), `${code} is new`)
        : found('code-named', keyIn(next, 'x-codes'), `${code} is named`)
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

function removedResponse(status: string, response: Located<Response>, pair: Pair): Change {
  const reader = replyReaderOf(pair)
  const removed = lost('status-removed', response, `${status} is gone`, { reader })
  if (!isError(status)) return removed
  const why =
    reader === 'response'
      ? 'clients that act on it wait in vain'
      : 'clients that answer so are treated as for any error of its class'
  return { ...removed, severity: 'warning', why }
}

function addedResponse(status: string, response: Located<Response>, pair: Pair): Change {
  const reader = replyReaderOf(pair)
  const added = found('status-added', response, `${status} is new`, { reader })
  return isError(status) && reader === 'response'
    ? { ...added, severity: 'info', why: 'clients treat an unknown error by its class' }
    : added
}

/** The service is answered by clients in a callback. */
const replyReaderOf = ({ sender }: Pair) => (sender === 'client' ? 'response' : 'request')

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
