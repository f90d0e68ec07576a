import { createRequire } from 'node:module'

/**
 * The names under which Fastify keeps what its own methods take long to tell. It has no types for what is not for
 * everybody.
 */
export const symbols = createRequire(import.meta.url)('fastify/lib/symbols.js') as {
  /** of a reply: its header fields, by their names in lower case */
  readonly kReplyHeaders: unique symbol
  /** of a request: its route */
  readonly kRouteContext: unique symbol
}

// Without one of them replies would lack their header fields, and nobody would be told.
for (const name of ['kReplyHeaders', 'kRouteContext'] as const)
  if (typeof symbols[name] !== 'symbol')
    throw new Error(
      `The installed Fastify has no symbol ${name} in lib/symbols.js: install the version that package-lock.json names.`,
    )
