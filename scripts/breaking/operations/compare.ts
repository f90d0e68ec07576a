import { stabilityOf } from '../../document/lifecycle.ts'
import type { ReadDocument } from '../../document/reading/read.ts'
import { type Change, compareParts, found, lost } from '../change.ts'
import { asPromised, isOver } from '../lifecycle.ts'
import { child, rootOf } from '../located.ts'
import { compareServers } from '../servers.ts'
import { createTrials } from '../trial/trial.ts'
import { compareCall } from './call.ts'
import { keyOf, labelOf, type Pair, type Route, routesOf, titleOf, webhooksOf } from './routes.ts'

/**
 * Judges what changes in the operations of a document. What the base calls experimental may change at any time: of
 * that, all changes are info. The place of each change begins with its operation.
 * @param day today, YYYY-MM-DD in UTC
 */
export function compareOperations(base: ReadDocument, next: ReadDocument, day: string): Generator<Change> {
  const trials = createTrials()
  const shared = { day, trials, reader: 'request', passed: [] } as const
  const before = routesOf(base)
  return compareParts(before, byFormerKey(before, routesOf(next)), {
    place: labelOf,
    both(old, now) {
      const stability = stabilityOf(old.operation.node)
      return asPromised(stability, compareOperation({ ...shared, base: old, next: now, stability }))
    },
    gone: route => asPromised(stabilityOf(route.operation.node), [removedOperation(route, day)]),
    fresh: route => [found('operation-added', route.operation, `${titleOf(route)} is new`)],
  })
}

/** Judges what changes in the requests that the service sends by itself: clients read them, and answer. */
export function compareWebhooks(base: ReadDocument, next: ReadDocument, day: string): Generator<Change> {
  const shared = { day, trials: createTrials(), reader: 'response', passed: [] } as const
  return compareParts(webhooksOf(base), webhooksOf(next), {
    place: route => `webhook ${labelOf(route)}`,
    both(old, now) {
      const stability = stabilityOf(old.operation.node)
      return asPromised(stability, compareCall({ ...shared, base: old, next: now, stability }))
    },
    gone: ({ operation, path }) =>
      asPromised(stabilityOf(operation.node), [
        lost('webhook-removed', operation, `${path} is gone`, { isOver: isOver(operation.node, day) }),
      ]),
    fresh: ({ operation, path }) => [found('webhook-added', operation, `${path} is new`)],
  })
}

/** Operations by the keys that they had before: one that moved is told by its name. */
function byFormerKey(before: ReadonlyMap<string, Route>, after: ReadonlyMap<string, Route>) {
  const gone = new Map([...before].flatMap(([key, { id }]) => (after.has(key) ? [] : [[id, key]])))
  return new Map(
    [...after].map(([key, route]) => {
      const former = route.id === undefined || before.has(key) ? undefined : gone.get(route.id)
      return [former ?? key, route]
    }),
  )
}

function removedOperation(route: Route, day: string): Change {
  return lost('operation-removed', route.operation, `${titleOf(route)} is gone`, {
    isOver: isOver(route.operation.node, day),
  })
}

function* compareOperation(pair: Pair): Generator<Change> {
  const { base, next, day } = pair
  if (keyOf(base) !== keyOf(next))
    yield found('operation-moved', next.operation, `${titleOf(base)} became ${titleOf(next)}`, {
      isOver: isOver(base.operation.node, day),
    })
  yield* compareCall(pair)
  const serversOf = ({ operation }: Route) =>
    child(operation, 'servers') ?? child(rootOf(operation.from), 'servers')
  if (base.operation.node.servers || next.operation.node.servers)
    yield* compareServers(serversOf(base), serversOf(next))
}
