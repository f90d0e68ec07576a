import type { FastifyRequest } from 'fastify'
import type { OperationFacts } from '../facts.ts'

/** Where a request has come to. */
interface Destination {
  /** absent for the docs, and where there is nothing */
  operationId?: string
  facts?: OperationFacts
  isUnknown?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Destination {
    /** Whether the router was wrong to take this route; absent where that can't be. */
    isMisrouted?: ((request: FastifyRequest) => boolean) | undefined
  }
  interface FastifyRequest {
    /** Found out once, as Fastify collects `routeOptions` anew each time; null before. */
    destination: Destination | null
  }
}

const nowhere: Destination = { isUnknown: true }

function destinationOf(request: FastifyRequest): Destination {
  request.destination ??= findDestination(request)
  return request.destination
}

function findDestination(request: FastifyRequest): Destination {
  if (request.is404) return nowhere
  const { config } = request.routeOptions
  return config.isMisrouted?.(request) ? nowhere : config
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
