import { lookUp, pathOf } from 'spec-served-document/pointer'
import type { Link } from 'spec-served-document/reading/nodes'
import type { Reference } from 'spec-served-document/types'
import { type Change, compareParts, found, lost } from '../change.ts'
import { isOver } from '../deprecations.ts'
import { canonical, entries, keyIn, type Located } from '../located.ts'
import { parametersOf } from './parts.ts'
import { meaningOf, type Pair, type Route, routeKey, routesOf } from './routes.ts'

type Links = Located<Record<string, Link | Reference>> | undefined

/**
 * Judges what changes in where a reply leads. A link is only shown, never sent: each request that worked still works, or
 * is judged at its own operation. So nothing here breaks, but clients that follow links by the document go astray.
 */
export function compareLinks(base: Links, next: Links, pair: Pair): Generator<Change> {
  const isPast = (link: Located<Link>) => isOver(targetOf(link)?.operation.node ?? {}, pair.day)
  return compareParts(new Map(entries(base)), new Map(entries(next)), {
    part: (_link, name) => `link ${name}`,
    both(old, now) {
      if (isSameTarget(old, now)) return compareLink(old, now, pair)
      const where = keyIn(now, 'operationId' in now.node ? 'operationId' : 'operationRef')
      const what = `it led to ${nameOf(old)} and leads to ${nameOf(now)}`
      return [found('link-target-changed', where, what, { isOver: isPast(old) })] // the rest is for another operation
    },
    gone: link => [lost('link-removed', link, 'the link is gone', { isOver: isPast(link) })],
    fresh: link => [found('link-added', link, 'the link is new')],
  })
}

function* compareLink(base: Located<Link>, next: Located<Link>, pair: Pair): Generator<Change> {
  yield* compareParts(valuesOf(base, pair.base), valuesOf(next, pair.next), {
    both(old, { value, meaning, way }) {
      if (old.meaning === meaning) return []
      const what = `${old.name} was ${old.value} and is ${value}`
      return [found('link-value-changed', { place: [...next.place, ...way] }, what)]
    },
    gone: ({ name }) => [found('link-value-removed', next, `${name} is no longer handed over`)],
    fresh: ({ name, way }) => [
      found('link-value-added', { place: [...next.place, ...way] }, `${name} is handed over`),
    ],
  })
  if (serverOf(base) !== serverOf(next))
    yield found('link-server-changed', keyIn(next, 'server'), 'it leads to another server')
}

interface Value {
  name: string
  /** as it is written */
  value: string
  /** in a form that is the same whenever it means the same */
  meaning: string
  /** the way from the link */
  way: string[]
}

/** Returns the values that a link hands over: the body and each parameter, by its name or its place (`path.id`). */
function valuesOf(link: Located<Link>, from: Route): Map<string, Value> {
  const { parameters = {}, requestBody } = link.node
  const target = targetOf(link)
  const targetParameters = target ? [...parametersOf(target)] : []
  const handedOver = (name: string, node: unknown, way: string[]): Value => {
    const value = typeof node === 'string' ? node : canonical(node)
    return { name, value, meaning: meaningOf(value, from), way }
  }
  const values = Object.entries(parameters).map(([name, node]): [string, Value] => {
    const meant = targetParameters.find(
      ([, { node: parameter }]) => name === parameter.name || name === `${parameter.in}.${parameter.name}`,
    )
    return [meant?.[0] ?? name, handedOver(`the parameter ${name}`, node, ['parameters', name])]
  })
  if (requestBody !== undefined) values.push(['body', handedOver('the body', requestBody, ['requestBody'])])
  return new Map(values)
}

/** The operation that a link leads to, if it is one of the document. */
function targetOf({ from, node }: Located<Link>): Route | undefined {
  const { operationId, operationRef } = node
  const routes = [...routesOf(from).values()]
  if (operationId !== undefined) return routes.find(({ id }) => id === operationId)
  const way = operationRef?.startsWith('#') ? pathOf(operationRef.slice(1)) : undefined
  const meant = way && lookUp(from.document, way)
  return routes.find(({ operation }) => operation.node === meant)
}

/** An operation that only moved, or was only renamed, is the same. */
function isSameTarget(base: Located<Link>, next: Located<Link>): boolean {
  const [before, after] = [targetOf(base), targetOf(next)]
  if (!before || !after) return before === after && nameOf(base) === nameOf(next)
  return routeKey(before) === routeKey(after) || (before.id !== undefined && before.id === after.id)
}

function serverOf({ node: { server } }: Located<Link>): string {
  const variables = Object.entries(server?.variables ?? {}).map(([name, { default: due }]) => [name, due])
  return canonical([server?.url.replace(/\/+$/, ''), Object.fromEntries(variables)])
}

function nameOf({ node }: Located<Link>): string {
  return node.operationId ?? node.operationRef ?? 'nowhere'
}
