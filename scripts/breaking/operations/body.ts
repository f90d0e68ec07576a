import { type Change, gone } from '../change.ts'
import { child } from '../located.ts'
import { compareContent } from './content.ts'
import { addedPart, compareRequired } from './required.ts'
import { type Pair, requestReaderOf } from './routes.ts'

/** Judges what changes in the body of a request. */
export function* compareBody(pair: Pair): Generator<Change> {
  const { base, next, day, stability, trials } = pair
  const reader = requestReaderOf(pair)
  const [before, after] = [child(base.operation, 'requestBody'), child(next.operation, 'requestBody')]
  if (!before && after) yield addedPart('request body', after, reader)
  if (before && !after)
    yield gone(
      'breaking',
      'request-body-removed',
      before,
      'the body is gone',
      reader === 'request' ? 'what clients send is not read any more' : 'clients that read it find nothing',
    )
  if (!before || !after) return
  yield* compareRequired('request body', before, after, reader)
  const context = { reader, day, stability, trials }
  yield* compareContent(child(before, 'content'), child(after, 'content'), context)
}
