import type { Callback, CallbackItem } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { type Change, found, lost, placed } from '../change.ts'
import { asPromised, isOver } from '../lifecycle.ts'
import { child, entries, type Located } from '../located.ts'
import {
  isKnown,
  labelOf,
  meaningOf,
  operationsOf,
  type Pair,
  type Route,
  sourcesOf,
  titleOf,
} from './routes.ts'

/** What is sent to one address. */
interface Target {
  /** the address, with runtime expressions */
  address: string
  item: Located<CallbackItem>
}

/** Judges what changes in a call; it is handed over, as modules do not import each other in a circle. */
type CompareCall = (pair: Pair) => Generator<Change>

/**
 * Judges what changes in the calls that come back for a request. In them the service sends and clients read, so that
 * what they hold is judged as a reply is, and what is answered as a request is.
 */
export function* compareCallbacks(pair: Pair, compareCall: CompareCall): Generator<Change> {
  const [before, after] = [callbacksOf(pair.base), callbacksOf(pair.next)]
  for (const [name, callback] of before) {
    if (pair.passed.includes(callback.node)) continue
    const same = after.get(name)
    const inner = { ...pair, passed: [...pair.passed, callback.node] }
    yield* placed(
      `callback ${name}`,
      same
        ? compareTargets(callback, same, inner, compareCall)
        : [removed(callback, 'the callback', targetsOf(callback).flatMap(callsOf), pair)],
    )
  }
  for (const [name, callback] of after) {
    if (!before.has(name))
      yield* placed(`callback ${name}`, [added(callback, 'the callback', targetsOf(callback), pair)])
  }
}

function callbacksOf({ operation }: Route): Map<string, Located<Callback>> {
  return new Map(entries(child(operation, 'callbacks')))
}

function targetsOf(callback: Located<Callback>): Target[] {
  return entries(callback).map(([address, item]) => ({ address, item }))
}

function callsOf({ address, item }: Target): Route[] {
  return operationsOf(address, item)
}

function removed(what: Located<object>, name: string, calls: readonly Route[], { base, day }: Pair): Change {
  const isPast = ({ operation }: Route) => isOver(operation.node, day)
  return lost('callback-removed', what, `${name} is gone`, {
    isOver: isPast(base) || (calls.length > 0 && calls.every(isPast)),
  })
}

/** Who gives an address for the first time knows what comes; who gave it before gets a call that is new to it. */
function added(
  what: Located<object>,
  name: string,
  targets: readonly Target[],
  { base, next }: Pair,
): Change {
  const known = [...callbacksOf(base).values()].flatMap(targetsOf)
  const given = known.flatMap(({ address }) => sourcesOf(address, base))
  const unasked = targets.some(({ address }) => {
    const sources = sourcesOf(address, next)
    return sources.length > 0 && sources.every(source => given.includes(source))
  })
  const harmless = found('callback-added', what, `${name} is new`)
  return unasked
    ? { ...harmless, severity: 'warning', why: 'clients that gave their address for another get it too' }
    : harmless
}

function* compareTargets(
  base: Located<Callback>,
  next: Located<Callback>,
  pair: Pair,
  compareCall: CompareCall,
): Generator<Change> {
  const after = new Map(targetsOf(next).map(target => [meaningOf(target.address, pair.next), target]))
  const left: Target[] = []
  for (const target of targetsOf(base)) {
    const key = meaningOf(target.address, pair.base)
    const same = after.get(key)
    if (same) yield* compareTarget(target, same, pair, compareCall)
    else left.push(target)
    after.delete(key)
  }
  const fresh = [...after.values()]
  for (const target of left) {
    const other = fresh.shift()
    if (other) {
      yield moved(target, other, pair)
      yield* compareTarget(target, other, pair, compareCall)
    } else yield removed(target.item, target.address, callsOf(target), pair)
  }
  for (const target of fresh) yield added(target.item, target.address, [target], pair)
}

/** Clients must give their address where it is looked for; of what OpenAPI does not know nobody can tell where. */
function moved(from: Target, to: Target, { base, next }: Pair): Change {
  const what = `the address was ${from.address} and is ${to.address}`
  const sources = [...sourcesOf(from.address, base), ...sourcesOf(to.address, next)]
  return sources.every(isKnown)
    ? found('callback-moved', to.item, what)
    : found('callback-changed', to.item, what)
}

function* compareTarget(from: Target, to: Target, pair: Pair, compareCall: CompareCall): Generator<Change> {
  const [before, after] = [callsOf(from), callsOf(to)]
  for (const base of before) {
    const next = after.find(({ method }) => method === base.method)
    const stability = textOf(base.operation.node, 'x-stability') ?? pair.stability
    const sender = pair.sender === 'client' ? ('service' as const) : ('client' as const)
    const changes = next
      ? compareCall({ ...pair, base, next, stability, sender })
      : [removed(base.operation, titleOf(base), [base], pair)]
    yield* placed(labelOf(next ?? base), asPromised(stability, changes))
  }
  for (const route of after)
    if (!before.some(({ method }) => method === route.method))
      yield* placed(labelOf(route), [added(route.operation, titleOf(route), [to], pair)])
}
