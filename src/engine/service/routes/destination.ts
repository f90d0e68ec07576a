import type { OperationFacts } from 'spec-served-document/contract/contract'

/** The place to which the router leads a request. Each stage adds what it knows of an operation at the start. */
export interface Destination {
  /** absent for the docs and for unknown paths */
  operationId?: string
  facts?: OperationFacts
  /** whether no path matches the request, or none with its method */
  isUnknown?: boolean
  /** whether the route needs no credential, but refuses a wrong one; absent: it takes no notice, as the docs do */
  takesKeys?: boolean
  /** the URL that says who issues tokens for the route (RFC 9728, section 5.1); absent: none does */
  resourceMetadata?: string
  /** whether an orchestrator asks the route for the state of the process: nobody is refused there */
  isProbe?: boolean
  /** whether the route only refuses */
  isRefused?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig extends Destination {
    /** Whether the router took this route wrongly. Absent if that is impossible. */
    isMisrouted?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Fastify builds `routeOptions` again at each access. */
    destination: Destination
  }
}
