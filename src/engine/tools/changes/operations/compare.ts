import { stabilityOf } from 'spec-served-document/reading/notice'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { type Change, compareParts, found, lost } from '../change.ts'
import { asPromised, isOver } from '../deprecations.ts'
import { canonical, child, keyIn, rootOf } from '../located.ts'
import { createTrials } from '../schemas/trial.ts'
import { compareServers } from '../servers.ts'
import { compareCall } from './call.ts'
import { labelOf, type Pair, type Route, routeKey, routesBelow, titleOf, webhooksOf } from './routes.ts'

/**
 * Judges what changes in the operations of a document. What the base calls experimental may change at any time: of
 * that, all changes are info. The place of each change begins with its operation.
 * @param day today, YYYY-MM-DD in UTC
 * @param prefixes of all paths in the base, and in the next one
 */
export function* compareOperations(
  base: ReadDocument,
  next: ReadDocument,
  day: string,
  [before, after]: readonly [string, string] = ['', ''],
): Generator<Change> {
  const shared = { day, trials: createTrials(), passed: [] }
  yield* compareRoutes('operation', [routesBelow(base, before), routesBelow(next, after)], shared)
  yield* compareRoutes('webhook', [webhooksOf(base), webhooksOf(next)], shared)
}

type Routes = ReadonlyMap<string, Route>

/** Compares operations or webhooks. Clients read the request of a webhook as they read a reply. */
function compareRoutes(
  kind: 'operation' | 'webhook',
  [before, after]: readonly [Routes, Routes],
  shared: Pick<Pair, 'day' | 'trials' | 'passed'>,
): Generator<Change> {
  const reader = kind === 'webhook' ? 'response' : 'request'
  return compareParts(before, byFormerKey(before, after), {
    part: route => (kind === 'webhook' ? `webhook ${labelOf(route)}` : labelOf(route)),
    both(old, now) {
      const stability = stabilityOf(old.operation.node)
      const pair = { ...shared, reader, base: old, next: now, stability } as const
      return asPromised(stability, kind === 'webhook' ? compareCall(pair) : compareOperation(pair))
    },
    gone(route) {
      const end = { isOver: isOver(route.operation.node, shared.day) }
      const gone = lost(`${kind}-removed`, route.operation, `${titleOf(route)} is gone`, end)
      return asPromised(stabilityOf(route.operation.node), [gone])
    },
    fresh: route => [found(`${kind}-added`, route.operation, `${titleOf(route)} is new`)],
  })
}

/** Operations by the keys that they had before: one that moved is named by its new name. */
function byFormerKey(before: Routes, after: Routes): Routes {
  const gone = new Map([...before].flatMap(([key, { id }]) => (after.has(key) ? [] : [[id, key]])))
  return new Map(
    [...after].map(([key, route]) => {
      const former = route.id === undefined || before.has(key) ? undefined : gone.get(route.id)
      return [former ?? key, route]
    }),
  )
}

function* compareOperation(pair: Pair): Generator<Change> {
  const { base, next, day } = pair
  if (routeKey(base) !== routeKey(next))
    yield found('operation-moved', next.operation, `${titleOf(base)} became ${titleOf(next)}`, {
      isOver: isOver(base.operation.node, day),
    })
  yield* compareCall(pair)
  yield* compareEffects(base.operation, next.operation)
  const serversOf = ({ operation }: Route) =>
    child(operation, 'servers') ?? child(rootOf(operation.from), 'servers')
  if (base.operation.node.servers || next.operation.node.servers)
    yield* compareServers(serversOf(base), serversOf(next))
}

/** Judges what changes in what an operation does to records, or refuses because of them (`x-effects`). */
function* compareEffects(base: Route['operation'], next: Route['operation']): Generator<Change> {
  const textsIn = ({ node }: Route['operation']) => [node['x-effects'] ?? []].flat().map(canonical)
  const [before, after] = [textsIn(base), textsIn(next)]
  const where = keyIn(next, 'x-effects')
  for (const text of before)
    if (!after.includes(text)) yield found('effect-removed', where, `${text} is gone`)
  for (const [index, text] of after.entries())
    if (!before.includes(text))
      yield found('effect-added', { place: [...where.place, `${index}`] }, `${text} is new`)
}
