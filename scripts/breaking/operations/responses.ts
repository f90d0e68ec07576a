import type { Response } from '../../../src/document/types.ts'
import { type Change, change, gone, placed, type Severity } from '../change.ts'
import { child, entries, type Located } from '../located.ts'
import { compareContent } from './content.ts'
import { compareHeaders } from './headers.ts'
import { compareLinks } from './links.ts'
import type { Pair, Route } from './routes.ts'

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
  for (const [status, response] of after)
    if (!coverOf(before, status)) yield* placed(`response ${status}`, [addedResponse(status, response, pair)])
}

function responsesOf({ operation }: Route): Map<string, Located<Response>> {
  return new Map(entries(child(operation, 'responses')))
}

/** The response that is declared for a status: its own, that of its range (`4XX`), or the default. */
function coverOf(responses: Map<string, Located<Response>>, status: string): Located<Response> | undefined {
  return responses.get(status) ?? responses.get(`${status[0]}XX`) ?? responses.get('default')
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
  const { day, stability } = pair
  const answered = pair.sender === 'client' // by the service; a callback is answered by clients
  const reader = answered ? (isError(status) ? 'error' : 'response') : 'request'
  const context = { reader, day, stability } as const
  yield* compareHeaders(child(base, 'headers'), child(next, 'headers'), context)
  yield* compareContent(child(base, 'content'), child(next, 'content'), context, true)
  // Where the service would go from the reply to a callback is nothing that clients do.
  if (answered) yield* compareLinks(child(base, 'links'), child(next, 'links'), pair)
}
