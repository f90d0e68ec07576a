import type { FastifyRequest } from 'fastify'

/** What the binding says of a route in its config. */
export interface RouteConfig {
  operationId?: string
  /** Whether the document has a concrete path at a URL that the route's template takes too; absent where there is no template. */
  isElsewhere?: ((url: string) => boolean) | undefined
}

/** The operation that a request was routed to; undefined for the docs and for what `isUnknown`. */
export function operationOf(request: FastifyRequest): string | undefined {
  return isElsewhere(request) ? undefined : configOf(request).operationId
}

/** Whether there is nothing at a request's path, or not with its method. */
export function isUnknown(request: FastifyRequest): boolean {
  return request.is404 || isElsewhere(request)
}

const configOf = (request: FastifyRequest) => request.routeOptions.config as RouteConfig

/**
 * Whether the router, which goes by the method first, took a concrete path of the document for a template's
 * (OpenAPI 3.0.3, Paths Object: concrete paths come first).
 */
function isElsewhere(request: FastifyRequest): boolean {
  return configOf(request).isElsewhere?.(request.url) === true
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
