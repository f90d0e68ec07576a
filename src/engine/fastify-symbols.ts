import { createRequire } from 'node:module'

/**
 * The names under which Fastify keeps what its own methods take long to tell. It has no types for what is not for
 * everybody; where it has moved, this fails at once.
 */
export const symbols = createRequire(import.meta.url)('fastify/lib/symbols.js') as {
  /** of a reply: its header fields, by their names in lower case */
  readonly kReplyHeaders: unique symbol
  /** of a request: its route */
  readonly kRouteContext: unique symbol
}
