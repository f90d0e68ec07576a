import { textOf } from '../../../src/engine/extensions.ts'
import { type Change, found, lost, placed } from '../change.ts'
import { compareDeprecation, compareStability } from '../lifecycle.ts'
import { child, keyIn } from '../located.ts'
import { compareCallbacks } from './callbacks.ts'
import { compareContent } from './content.ts'
import { addedPart, compareParameters, compareRequired } from './parts.ts'
import { compareResponses } from './responses.ts'
import { type Pair, requestReaderOf } from './routes.ts'
import { compareCredentials, compareRequirements } from './security.ts'

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
  const told = (name: string, was = 'none', is = 'none') => `the ${name} was ${was} and is ${is}`
  const [was, is] = [base.id, next.id]
  const rule = was === undefined ? 'operation-id-changed/first' : 'operation-id-changed'
  if (was !== is) yield found(rule, keyIn(next.operation, 'operationId'), told('operationId', was, is))
  const [before, after] = [base, next].map(({ operation }) => textOf(operation.node, 'x-successor'))
  if (before !== after)
    yield found('successor-changed', keyIn(next.operation, 'x-successor'), told('successor', before, after))
}

/** Judges what changes in who may call an operation, and what a call costs. */
function* compareAccess({ base, next }: Pair): Generator<Change> {
  yield* compareRequirements(base.operation, next.operation)
  const [before, after] = [base.operation.node, next.operation.node]
  const [had, has] = [before, after].map(node => textOf(node, 'x-required-scope'))
  const scope = keyIn(next.operation, 'x-required-scope')
  if (has === undefined && had !== undefined)
    yield found('scope-removed', scope, `the scope ${had} is no longer needed`)
  else if (had !== has)
    yield found(
      had === undefined ? 'scope-added' : 'scope-changed',
      scope,
      `the scope was ${had ?? 'none'} and is ${has}`,
    )
  const [free, isFree] = [before['x-quota-free'] === true, after['x-quota-free'] === true]
  const quota = keyIn(next.operation, 'x-quota-free')
  if (free && !isFree) yield found('quota-counted', quota, 'it uses up quota now')
  if (!free && isFree) yield found('quota-free', quota, 'it uses up no quota any more')
}

/** Judges what changes in the body of a request. */
function* compareBody(pair: Pair): Generator<Change> {
  const reader = requestReaderOf(pair)
  const [before, after] = [
    child(pair.base.operation, 'requestBody'),
    child(pair.next.operation, 'requestBody'),
  ]
  if (!before && after) yield addedPart('request-body', after, reader)
  if (before && !after) yield lost('request-body-removed', before, 'the body is gone', { reader })
  if (!before || !after) return
  yield* compareRequired('request-body', before, after, reader)
  yield* compareContent(child(before, 'content'), child(after, 'content'), { ...pair, reader })
}
