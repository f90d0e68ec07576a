import { textOf } from '../../../src/engine/extensions.ts'
import { type Change, change, placed } from '../change.ts'
import { compareDeprecation, compareStability } from '../lifecycle.ts'
import { keyIn } from '../located.ts'
import { compareAccess } from './access.ts'
import { compareBody } from './body.ts'
import { compareCallbacks } from './callbacks.ts'
import { compareParameters } from './parameters.ts'
import { compareResponses } from './responses.ts'
import type { Pair } from './routes.ts'
import { compareCredentials } from './security.ts'

/** Judges what changes in a call, whoever sends it: its names and promises, what is sent, answered and called back. */
export function* compareCall(pair: Pair): Generator<Change> {
  const { base, next } = pair
  yield* compareNames(pair)
  yield* compareStability(base.operation, next.operation)
  yield* compareDeprecation(base.operation, next.operation, { ...pair, mayBeEndless: false })
  if (pair.sender === 'client') yield* compareAccess(pair)
  else yield* compareCredentials(base.operation, next.operation)
  yield* compareParameters(pair)
  yield* placed('request body', compareBody(pair))
  yield* compareResponses(pair)
  yield* compareCallbacks(pair, compareCall)
}

function* compareNames({ base, next }: Pair): Generator<Change> {
  const [was, is] = [base.id, next.id]
  const [before, after] = [base, next].map(({ operation }) => textOf(operation.node, 'x-successor'))
  if (was !== is)
    yield change(
      was === undefined ? 'info' : 'breaking',
      'operation-id-changed',
      keyIn(next.operation, 'operationId'),
      `the operationId was ${was ?? 'none'} and is ${is ?? 'none'}`,
      'generated clients name their methods after it',
    )
  if (before !== after)
    yield change(
      'info',
      'successor-changed',
      keyIn(next.operation, 'x-successor'),
      `the successor was ${before ?? 'none'} and is ${after ?? 'none'}`,
      'clients may take another way',
    )
}
