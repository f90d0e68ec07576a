import type { FastifyRequest } from 'fastify'
import type { OperationFacts } from './contract.ts'

/** The place to which the router leads a request. Each stage adds what it knows of an operation at the start. */
export interface Destination {
  /** absent for the docs and for unknown paths */
  operationId?: string
  facts?: OperationFacts
  isUnknown?: boolean
  /** whether the route refuses a wrong credential; absent: it takes no notice, as the docs do */
  takesKeys?: boolean
  /** the URL that tells who issues tokens for the route (RFC 9728, section 5.1); absent: none does */
  resourceMetadata?: string
  /** whether the route only refuses */
  isRefused?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Destination {
    /** Whether the router took this route wrongly. Absent if that is impossible. */
    isMisrouted?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Cached, because Fastify builds `routeOptions` again at each access; null at first. */
    destination: Destination | null
  }
}

const unknown: Destination = { isUnknown: true }

/** Returns the destination of a request. */
export function destinationOf(request: FastifyRequest): Destination {
  if (request.destination) return request.destination
  const { config } = request.routeOptions
  const isUnknown = request.is404 || config.isMisrouted?.(request) === true
  request.destination = isUnknown ? unknown : config
  return request.destination
}

/** Returns the operation of a request's route; undefined for the docs and for an `isUnknown` request. */
export const operationOf = (request: FastifyRequest): string | undefined => destinationOf(request).operationId

/** Returns the facts about the operation of a request's route. */
export const factsFor = (request: FastifyRequest): OperationFacts | undefined => destinationOf(request).facts

/** Whether a request's route needs no credential, but refuses a wrong one. */
export const takesKeys = (request: FastifyRequest): boolean => destinationOf(request).takesKeys === true

/** Whether no path matches a request, or none with its method. */
export const isUnknown = (request: FastifyRequest): boolean => destinationOf(request).isUnknown === true
