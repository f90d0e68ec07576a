import { operationsIn } from 'spec-served-document/model'
import type { CallbackItem } from 'spec-served-document/reading/nodes'
import type { ReadDocument } from 'spec-served-document/reading/read'
import type { Operation } from 'spec-served-document/types'
import { child, entries, type Located, remembered, rootOf } from '../located.ts'
import type { Context } from '../schemas/difference.ts'

/** An operation with the way to it. */
export interface Route {
  path: string
  /** as it is sent */
  method: string
  /** the name that its author gave it */
  id: string | undefined
  item: Located<CallbackItem>
  operation: Located<Partial<Operation>>
}

const routesByDocument = new WeakMap<ReadDocument, Map<string, Route>>()

/** The operations of a document, by their keys. */
export function routesOf(document: ReadDocument): ReadonlyMap<string, Route> {
  return remembered(routesByDocument, document, () => {
    const all = entries(child(rootOf(document), 'paths')).flatMap(([path, item]) => operationsOf(path, item))
    return new Map(all.map(route => [routeKey(route), route]))
  })
}

/** The same with the paths below a prefix. */
export function routesBelow(document: ReadDocument, prefix: string): ReadonlyMap<string, Route> {
  const routes = routesOf(document)
  if (prefix === '') return routes
  const below = [...routes.values()].map(route => ({ ...route, path: `${prefix}${route.path}` }))
  return new Map(below.map(route => [routeKey(route), route]))
}

/** Returns, by keys, the requests that the service sends by itself as its document says. */
export function webhooksOf(document: ReadDocument): ReadonlyMap<string, Route> {
  const all = entries(child(rootOf(document), 'webhooks')).flatMap(([name, item]) => operationsOf(name, item))
  return new Map(all.map(route => [routeKey(route), route]))
}

/** The operations of a path, or of a callback's address. */
export function operationsOf(path: string, item: Located<CallbackItem>): Route[] {
  const { from, node, place: itemPlace } = item
  return operationsIn(node).map(({ method, operation, place: below }) => {
    const place = [...itemPlace, ...below]
    // A derived one changes with the path.
    const id = from.isWritten([...place, 'operationId']) ? operation.operationId : undefined
    return { path, method, id, item, operation: { from, node: operation, place } }
  })
}

/** The same for paths that differ only in the names of their parameters. */
export function routeKey({ method, path }: Route): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
}

/** An operation as it is called. */
export function titleOf({ method, path }: Route): string {
  return `${method} ${path}`
}

/** Returns the beginning of the places in a route. */
export function labelOf(route: Route): string {
  return route.id === undefined ? titleOf(route) : `${titleOf(route)} (${route.id})`
}

/** The parameters in a path, by name, with their order. */
export function parameterOrder({ path }: Route): Map<string, number> {
  return new Map([...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ''], index) => [name, index]))
}

/** An operation in both documents. */
export interface Pair extends Context {
  base: Route
  next: Route
  /** of the requests: where clients are called back, they read these as they read replies */
  reader: 'request' | 'response'
  /** the callbacks of the base on the way here: one may lead back to itself */
  passed: readonly object[]
}

/** The runtime expressions of OpenAPI 3.0.3 (section 4.7.20). */
const source = /^\$(url|method|statusCode|(request|response)\.(header\.|query\.|path\.|body).*)$/

/**
 * Returns a text with runtime expressions in a form that is the same for equal meanings. Path parameters go by their
 * order, as their names are only ours. Header names have no case.
 * @param route whose request and reply the expressions speak of
 */
export function meaningOf(text: string, route: Route): string {
  const embedded = text.startsWith('$') ? `{${text}}` : text
  return embedded.replace(/\{(\$[^}]*)\}/g, (_braces, expression: string) => {
    const [, owner, name = ''] =
      /^(\$request\.path\.|\$(?:request|response)\.header\.)(.*)$/.exec(expression) ?? []
    if (!owner) return `{${expression}}`
    return `{${owner}${owner.endsWith('path.') ? (parameterOrder(route).get(name) ?? name) : name.toLowerCase()}}`
  })
}

/** The runtime expressions of a text, each in the form of `meaningOf`. */
export function sourcesOf(text: string, route: Route): string[] {
  return [...meaningOf(text, route).matchAll(/\{(\$[^}]*)\}/g)].map(([, expression = '']) => expression)
}

/** Whether a runtime expression is one that OpenAPI knows. */
export function isKnown(expression: string): boolean {
  return source.test(expression)
}
