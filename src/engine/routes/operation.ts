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
    isMisrouted?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Found out once, as Fastify collects `routeOptions` anew each time; null before. */
    destination: Destination | null
  }
}

function destinationOf(request: FastifyRequest): Destination {
  if (request.destination) return request.destination
  const { config } = request.routeOptions
  const isUnknown = request.is404 || config.isMisrouted?.(request) === true
  request.destination = isUnknown ? { isUnknown } : config
  return request.destination
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
