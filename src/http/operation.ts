import type { FastifyRequest } from 'fastify'

/** The operation that a request was routed to; undefined for the docs and unknown paths. */
export function operationOf(request: FastifyRequest): string | undefined {
  const { operationId } = request.routeOptions.config as { operationId?: string } // set by the binding
  return operationId
}
