import type { Server } from '../../../src/document/types.ts'
import { stabilityOf } from '../../document/lifecycle.ts'
import type { ReadDocument } from '../../document/reading/read.ts'
import { type Change, found, lost, placed } from '../change.ts'
import { asPromised, isOver } from '../lifecycle.ts'
import { child, type Located, rootOf } from '../located.ts'
import { compareServers } from '../servers.ts'
import { createTrials } from '../trial/trial.ts'
import { compareCall } from './call.ts'
import { keyOf, labelOf, type Pair, type Route, routesOf, titleOf } from './routes.ts'

/**
 * Judges what changes in the operations of a document. What the base calls experimental may change at any time: of
 * that, all changes are info. The place of each change begins with its operation.
 * @param day today, YYYY-MM-DD in UTC
 */
export function* compareOperations(base: ReadDocument, next: ReadDocument, day: string): Generator<Change> {
  const [before, after] = [routesOf(base), routesOf(next)]
  const trials = createTrials()
  const kept = new Set<Route>()
  for (const route of before.values()) {
    const same = after.get(keyOf(route)) ?? moved(route, before, after)
    if (same) kept.add(same)
    const stability = stabilityOf(route.operation.node)
    const changes = same
      ? compareOperation({ base: route, next: same, day, stability, trials, sender: 'client', passed: [] })
      : [removedOperation(route, day)]
    yield* placed(labelOf(same ?? route), asPromised(stability, changes))
  }
  for (const route of after.values())
    if (!kept.has(route))
      yield* placed(labelOf(route), [found('operation-added', route.operation, `${titleOf(route)} is new`)])
}

type Routes = ReadonlyMap<string, Route>

function moved({ id }: Route, before: Routes, after: Routes): Route | undefined {
  return [...after.values()].find(other => id !== undefined && other.id === id && !before.has(keyOf(other)))
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
  if (base.operation.node.servers || next.operation.node.servers)
    yield* compareServers(serversOf(base), serversOf(next))
}

function serversOf({ operation }: Route): Located<readonly Server[]> | undefined {
  return child(operation, 'servers') ?? child(rootOf(operation.from), 'servers')
}
