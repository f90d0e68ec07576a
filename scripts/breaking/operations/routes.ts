import { methods, type OpenApi } from '../../../src/document/types.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { child, entries, follow, type Located, rootOf } from '../located.ts'
import type { Schema } from '../schemas/shape.ts'
import type { Server } from '../servers.ts'
import type { Requirement } from './security.ts'

export interface PathItem {
  parameters?: Parameter[]
  servers?: Server[]
}

export interface Operation extends Lifecycle, PathItem {
  operationId?: string
  security?: Requirement[]
  requestBody?: RequestBody
  responses?: Record<string, Response>
  callbacks?: Record<string, Callback>
  'x-required-scope'?: string
  'x-quota-free'?: boolean
  'x-successor'?: string
}

/** Path items by their addresses, in which runtime expressions may stand. */
export type Callback = Record<string, object>

export interface Parameter extends Header {
  name: string
  in: string
}

export interface Header extends Lifecycle {
  required?: boolean
  style?: string
  explode?: boolean
  allowReserved?: boolean
  allowEmptyValue?: boolean
  schema?: Schema
  content?: Content
}

export interface RequestBody {
  required?: boolean
  content?: Content
}

export interface Response {
  headers?: Record<string, Header>
  content?: Content
  links?: Record<string, Link>
}

export interface Link {
  operationId?: string
  operationRef?: string
  parameters?: Record<string, unknown>
  requestBody?: unknown
  server?: Server
}

/** By media type. */
export type Content = Record<string, { schema?: Schema; encoding?: Record<string, object> }>

/** An operation with the way to it. */
export interface Route {
  path: string
  method: string
  item: Located<PathItem>
  operation: Located<Operation>
}

/** The operations of a document, by their keys. */
export function routesOf(document: OpenApi): Map<string, Route> {
  const paths = child(rootOf(document), 'paths')
  const routes = entries(paths).flatMap(([path, item]) => operationsOf(path, follow(item)))
  return new Map(routes.map(route => [keyOf(route), route]))
}

/** The operations of a path, or of a callback's address. */
export function operationsOf(path: string, declared: Located<unknown>): Route[] {
  const item = declared as Located<PathItem & Record<string, Operation>> // what stands under a method is an operation
  return methods.flatMap(method => {
    const operation = child(item, method)
    return operation ? [{ path, method, item, operation }] : []
  })
}

/** The same for paths that differ only in the names of their parameters. */
export function keyOf({ method, path }: Route): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
}

/** An operation as it is called. */
export function titleOf({ method, path }: Route): string {
  return `${method.toUpperCase()} ${path}`
}

/** What places begin with. */
export function labelOf(route: Route): string {
  return route.operation.node.operationId ?? titleOf(route)
}

/** The parameters in a path, by name, with their order. */
export function orderOf({ path }: Route): Map<string, number> {
  return new Map([...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ''], index) => [name, index]))
}

/** An operation in both documents. */
export interface Pair {
  base: Route
  next: Route
  /** today, YYYY-MM-DD in UTC */
  day: string
  /** what the base promises */
  stability: string
  /** who sends the request: in a callback that is the service */
  sender: 'client' | 'service'
  /** the callbacks of the base on the way here: one may lead back to itself */
  passed: readonly object[]
}

/** Who reads the requests; what a callback holds is read as a reply is. */
export function requestReaderOf({ sender }: Pair): 'request' | 'response' {
  return sender === 'client' ? 'request' : 'response'
}
