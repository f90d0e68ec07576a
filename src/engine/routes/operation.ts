import type { FastifyRequest } from 'fastify'
import type { OperationFacts } from '../facts.ts'
import { symbols } from '../fastify-symbols.ts'

/** What the binding says of a route in its config. */
export interface RouteConfig {
  operationId?: string
  facts?: OperationFacts
  /** Whether the router was wrong to take this route; absent where that can't be. */
  isMisrouted?: ((request: FastifyRequest) => boolean) | undefined
}

/** Where a request has come to. */
interface Destination {
  /** absent for the docs, and for what `isUnknown` */
  operationId?: string
  facts?: OperationFacts
  isUnknown?: boolean
}

const nowhere: Destination = { isUnknown: true }

const route: typeof symbols.kRouteContext = symbols.kRouteContext

/** What the binding has said of a request's route. `request.routeOptions` puts all that there is together, each time. */
export const configOf = (request: FastifyRequest): RouteConfig =>
  (request as unknown as Record<typeof route, { config: RouteConfig }>)[route].config // which its type does not tell

declare module 'fastify' {
  interface FastifyRequest {
    /** found out once; null before */
    destination: Destination | null
  }
}

function destinationOf(request: FastifyRequest): Destination {
  request.destination ??= findDestination(request)
  return request.destination
}

function findDestination(request: FastifyRequest): Destination {
  const config = configOf(request)
  return request.is404 || config.isMisrouted?.(request) ? nowhere : config
}

/** The operation that a request was routed to; undefined for the docs and for what `isUnknown`. */
export function operationOf(request: FastifyRequest): string | undefined {
  return destinationOf(request).operationId
}

/** What is known of the operation that a request was routed to. */
export function factsFor(request: FastifyRequest): OperationFacts | undefined {
  return destinationOf(request).facts
}

/** Whether there is nothing at a request's path, or not with its method. */
export function isUnknown(request: FastifyRequest): boolean {
  return destinationOf(request).isUnknown === true
}

/** The path of a URL, decoded as far as it can be. */
export function pathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
