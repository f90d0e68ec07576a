import type { Callback, CallbackItem } from '../../../src/document/types.ts'
import { textOf } from '../../../src/engine/extensions.ts'
import { type Change, compareParts, found, lost } from '../change.ts'
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
export function compareCallbacks(pair: Pair, compareCall: CompareCall): Generator<Change> {
  const isPassed = ({ node }: Located<Callback>) => pair.passed.includes(node)
  return compareParts(callbacksOf(pair.base), callbacksOf(pair.next), {
    place: (_callback, name) => `callback ${name}`,
    both: (base, next) =>
      isPassed(base)
        ? []
        : compareTargets(base, next, { ...pair, passed: [...pair.passed, base.node] }, compareCall),
    gone: callback =>
      isPassed(callback)
        ? []
        : [removed(callback, 'the callback', targetsOf(callback).flatMap(callsOf), pair)],
    fresh: callback => [added(callback, 'the callback', targetsOf(callback), pair)],
  })
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
  return found(unasked ? 'callback-added/known' : 'callback-added', what, `${name} is new`)
}

/** Of addresses that only one document has, the first of each are one that moved. */
function compareTargets(
  base: Located<Callback>,
  next: Located<Callback>,
  pair: Pair,
  compareCall: CompareCall,
): Generator<Change> {
  const byMeaning = (callback: Located<Callback>, route: Route) =>
    new Map(targetsOf(callback).map(target => [meaningOf(target.address, route), target]))
  const [before, after] = [byMeaning(base, pair.base), byMeaning(next, pair.next)]
  const fresh = [...after].filter(([key]) => !before.has(key)).map(([, target]) => target)
  return compareParts(before, after, {
    both: (from, to) => compareTarget(from, to, pair, compareCall),
    gone(from) {
      const to = fresh.shift()
      return to
        ? [moved(from, to, pair), ...compareTarget(from, to, pair, compareCall)]
        : [removed(from.item, from.address, callsOf(from), pair)]
    },
    fresh: target => (fresh.includes(target) ? [added(target.item, target.address, [target], pair)] : []),
  })
}

/** Clients must give their address where it is looked for; of what OpenAPI does not know nobody can tell where. */
function moved(from: Target, to: Target, { base, next }: Pair): Change {
  const sources = [...sourcesOf(from.address, base), ...sourcesOf(to.address, next)]
  const rule = sources.every(isKnown) ? 'callback-moved' : 'callback-changed'
  return found(rule, to.item, `the address was ${from.address} and is ${to.address}`)
}

function compareTarget(from: Target, to: Target, pair: Pair, compareCall: CompareCall): Generator<Change> {
  const byMethod = (target: Target) => new Map(callsOf(target).map(route => [route.method, route]))
  const sender = pair.sender === 'client' ? 'service' : 'client'
  const promised = (base: Route, changes: (stability: string) => Iterable<Change>) => {
    const stability = textOf(base.operation.node, 'x-stability') ?? pair.stability
    return asPromised(stability, changes(stability))
  }
  return compareParts(byMethod(from), byMethod(to), {
    place: labelOf,
    both: (base, next) =>
      promised(base, stability => compareCall({ ...pair, base, next, stability, sender })),
    gone: base => promised(base, () => [removed(base.operation, titleOf(base), [base], pair)]),
    fresh: next => [added(next.operation, titleOf(next), [to], pair)],
  })
}
