import { type Callback, type CallbackItem, textOf } from 'spec-served-document/reading/nodes'
import { type Change, compareParts, found, inPart, lost } from '../change.ts'
import { asPromised, compareDeprecation, compareStability, isOver } from '../deprecations.ts'
import { child, entries, keyIn, type Located } from '../located.ts'
import { compareContent } from './content.ts'
import { addedPart, compareParameters, compareRequired } from './parts.ts'
import { compareResponses } from './responses.ts'
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
import { compareCredentials, compareRequirements } from './security.ts'

/** Judges what changes in a call, whoever sends it: its names and promises, what is sent, answered and called back. */
export function* compareCall(pair: Pair): Generator<Change> {
  const { base, next } = pair
  yield* compareNames(pair)
  yield* compareStability(base.operation, next.operation)
  yield* compareDeprecation(base.operation, next.operation, { ...pair, mayBeEndless: false })
  if (pair.reader === 'request') yield* compareAccess(pair)
  else yield* compareCredentials(base.operation, next.operation)
  yield* compareParameters(pair)
  yield* inPart('request body', compareBody(pair))
  yield* compareResponses(pair)
  yield* compareCallbacks(pair)
}

function* compareNames({ base, next }: Pair): Generator<Change> {
  const sentenceOf = (name: string, former = 'none', current = 'none') =>
    `the ${name} was ${former} and is ${current}`
  const [was, is] = [base.id, next.id]
  const rule = was === undefined ? 'operation-id-changed/first' : 'operation-id-changed'
  if (was !== is) yield found(rule, keyIn(next.operation, 'operationId'), sentenceOf('operationId', was, is))
  const [before, after] = [base, next].map(({ operation }) => textOf(operation.node, 'x-successor'))
  if (before !== after)
    yield found(
      'successor-changed',
      keyIn(next.operation, 'x-successor'),
      sentenceOf('successor', before, after),
    )
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
  const { reader } = pair
  const [before, after] = [
    child(pair.base.operation, 'requestBody'),
    child(pair.next.operation, 'requestBody'),
  ]
  if (!before && after) yield addedPart('request-body', after, reader)
  if (before && !after) yield lost('request-body-removed', before, 'the body is gone', { reader })
  if (!before || !after) return
  yield* compareRequired('request-body', before, after, reader)
  yield* compareContent(child(before, 'content'), child(after, 'content'), pair)
}

/** An address, and the item that describes the calls to it. */
interface Target {
  /** the address, with runtime expressions */
  address: string
  item: Located<CallbackItem>
}

/**
 * Judges what changes in the calls that come back for a request. The service sends them and clients read them, so
 * their content is judged as a reply is. Their replies are judged as requests are.
 */
function compareCallbacks(pair: Pair): Generator<Change> {
  const isPassed = ({ node }: Located<Callback>) => pair.passed.includes(node)
  return compareParts(callbacksOf(pair.base), callbacksOf(pair.next), {
    part: (_callback, name) => `callback ${name}`,
    both: (base, next) =>
      isPassed(base) ? [] : compareTargets(base, next, { ...pair, passed: [...pair.passed, base.node] }),
    gone: callback =>
      isPassed(callback)
        ? []
        : [removed(callback, 'the callback', targetsOf(callback).flatMap(callsOf), pair)],
    fresh: callback => [added(callback, 'the callback', targetsOf(callback), pair)],
  })
}

function callbacksOf({ operation }: Route): Map<string, Located<Callback>> {
  return new Map(entries(child(operation, 'callbacks')) as [string, Located<Callback>][]) // by the grammar
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

/** A client that gives an address for the first time knows its calls. One that gave it before gets a new call. */
function added(
  what: Located<object>,
  name: string,
  targets: readonly Target[],
  { base, next }: Pair,
): Change {
  const earlier = [...callbacksOf(base).values()].flatMap(targetsOf)
  const earlierSources = earlier.flatMap(({ address }) => sourcesOf(address, base))
  const unasked = targets.some(({ address }) => {
    const sources = sourcesOf(address, next)
    return sources.length > 0 && sources.every(source => earlierSources.includes(source))
  })
  return found(unasked ? 'callback-added/known' : 'callback-added', what, `${name} is new`)
}

/** Compares addresses. The first one that is gone and the first new one count as one that moved. */
function compareTargets(base: Located<Callback>, next: Located<Callback>, pair: Pair): Generator<Change> {
  const byMeaning = (callback: Located<Callback>, route: Route) =>
    new Map(targetsOf(callback).map(target => [meaningOf(target.address, route), target]))
  const [before, after] = [byMeaning(base, pair.base), byMeaning(next, pair.next)]
  const fresh = [...after].filter(([key]) => !before.has(key)).map(([, target]) => target)
  return compareParts(before, after, {
    both: (from, to) => compareTarget(from, to, pair),
    gone(from) {
      const to = fresh.shift()
      return to
        ? [moved(from, to, pair), ...compareTarget(from, to, pair)]
        : [removed(from.item, from.address, callsOf(from), pair)]
    },
    fresh: target => (fresh.includes(target) ? [added(target.item, target.address, [target], pair)] : []),
  })
}

/** Clients must give their address where it is looked for; for what OpenAPI does not know that place is unknown. */
function moved(from: Target, to: Target, { base, next }: Pair): Change {
  const sources = [...sourcesOf(from.address, base), ...sourcesOf(to.address, next)]
  const rule = sources.every(isKnown) ? 'callback-moved' : 'callback-changed'
  return found(rule, to.item, `the address was ${from.address} and is ${to.address}`)
}

function compareTarget(from: Target, to: Target, pair: Pair): Generator<Change> {
  const byMethod = (target: Target) => new Map(callsOf(target).map(route => [route.method, route]))
  const reader = pair.reader === 'request' ? 'response' : 'request'
  const promised = (base: Route, changes: (stability: string) => Iterable<Change>) => {
    const stability = textOf(base.operation.node, 'x-stability') ?? pair.stability
    return asPromised(stability, changes(stability))
  }
  return compareParts(byMethod(from), byMethod(to), {
    part: labelOf,
    both: (base, next) =>
      promised(base, stability => compareCall({ ...pair, base, next, stability, reader })),
    gone: base => promised(base, () => [removed(base.operation, titleOf(base), [base], pair)]),
    fresh: next => [added(next.operation, titleOf(next), [to], pair)],
  })
}
