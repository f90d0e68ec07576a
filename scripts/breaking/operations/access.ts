import { textOf } from '../../../src/engine/extensions.ts'
import { type Change, change } from '../change.ts'
import { keyIn } from '../located.ts'
import type { Pair } from './routes.ts'
import { compareRequirements } from './security.ts'

/** Judges what changes in who may call an operation, and what a call costs. */
export function* compareAccess({ base, next }: Pair): Generator<Change> {
  yield* compareRequirements(base.operation, next.operation)
  const [before, after] = [base.operation.node, next.operation.node]
  const [had, has] = [before, after].map(node => textOf(node, 'x-required-scope'))
  const scope = keyIn(next.operation, 'x-required-scope')
  if (had !== has && has === undefined)
    yield change(
      'info',
      'scope-removed',
      scope,
      `the scope ${had} is no longer needed`,
      'more keys may call it',
    )
  else if (had !== has)
    yield change(
      'breaking',
      had === undefined ? 'scope-added' : 'scope-changed',
      scope,
      `the scope was ${had ?? 'none'} and is ${has}`,
      'keys that may call it now are refused',
    )
  const [free, isFree] = [before['x-quota-free'] === true, after['x-quota-free'] === true]
  const quota = keyIn(next.operation, 'x-quota-free')
  if (free && !isFree)
    yield change(
      'breaking',
      'quota-counted',
      quota,
      'it uses up quota now',
      'clients reach their limits sooner',
    )
  if (!free && isFree)
    yield change('info', 'quota-free', quota, 'it uses up no quota any more', 'clients can do more')
}
