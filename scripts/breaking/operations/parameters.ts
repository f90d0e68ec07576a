import type { Parameter } from '../../../src/document/types.ts'
import { type Change, change, gone, placed } from '../change.ts'
import { isOver } from '../lifecycle.ts'
import { child, elements, type Located } from '../located.ts'
import { addedPart, compareRequired } from './required.ts'
import { orderOf, type Pair, type Route, requestReaderOf } from './routes.ts'
import { compareWritten } from './written.ts'

/** Judges what changes in the parameters of an operation, those of its path included. */
export function* compareParameters(pair: Pair): Generator<Change> {
  const [before, after] = [parametersOf(pair.base), parametersOf(pair.next)]
  const fresh = new Map([...after].filter(([key]) => !before.has(key)))
  for (const [key, old] of before) {
    const same = after.get(key)
    if (same) {
      yield* placed(placeOf(same), compareParameter(old, same, pair))
      continue
    }
    const elsewhere = [...fresh].find(([, { node }]) => isNamed(node.name, old.node.name))
    if (elsewhere) fresh.delete(elsewhere[0])
    yield* placed(placeOf(old), [
      elsewhere ? movedParameter(old, elsewhere[1], pair) : removedParameter(old, pair),
    ])
  }
  for (const parameter of fresh.values())
    yield* placed(placeOf(parameter), [addedPart('parameter', parameter, requestReaderOf(pair))])
}

/** The parameters of a path and of its operation; path parameters go by their order, as their names are only ours. */
export function parametersOf(route: Route): Map<string, Located<Parameter>> {
  const { item, operation } = route
  const order = orderOf(route)
  const all = [...elements(child(item, 'parameters')), ...elements(child(operation, 'parameters'))]
  return new Map(
    all
      .filter(({ node }) => node.in !== 'header' || !/^(accept|content-type|authorization)$/i.test(node.name))
      .map(parameter => {
        const { in: location, name } = parameter.node
        const id = location === 'path' ? order.get(name) : location === 'header' ? name.toLowerCase() : name
        return [`${location} ${id ?? name}`, parameter]
      }),
  )
}

function placeOf({ node }: Located<Parameter>): string {
  return `${node.in} ${node.name}`
}

function isNamed(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function movedParameter(from: Located<Parameter>, to: Located<Parameter>, { sender }: Pair): Change {
  const what = `the parameter moved from ${from.node.in} to ${to.node.in}`
  const why =
    sender === 'client' ? 'clients send it where it is not read' : 'clients read it where it is not sent'
  return change('breaking', 'parameter-moved', to, what, why)
}

function removedParameter(parameter: Located<Parameter>, { base, day, sender }: Pair): Change {
  const over = isOver(parameter.node, day) || isOver(base.operation.node, day)
  const why =
    sender === 'client'
      ? 'requests that send it are refused or not understood'
      : 'clients that read it find nothing'
  return gone(
    over ? 'info' : 'breaking',
    'parameter-removed',
    parameter,
    'the parameter is gone',
    over ? 'its sunset has passed' : why,
  )
}

function* compareParameter(
  base: Located<Parameter>,
  next: Located<Parameter>,
  pair: Pair,
): Generator<Change> {
  const { day, stability, trials } = pair
  const reader = requestReaderOf(pair)
  yield* compareRequired('parameter', base, next, reader)
  yield* compareWritten(base, next, { reader, day, stability, trials })
}
