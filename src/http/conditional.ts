import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isNamedIn } from '../contract/etag.ts'
import { operationOf } from './operation.ts'

/**
 * Answers 304 to a reader who has the content already (RFC 9110, section 13.1.2), for each operation that declares it.
 * A record brings its own strong ETag; other content gets a weak one of its text.
 */
export function registerConditionalReads(
  app: FastifyInstance,
  operations: Readonly<Record<string, { statuses: readonly number[] }>>,
): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const facts = operations[operationOf(request) ?? '']
    if (reply.statusCode !== 200 || typeof payload !== 'string' || !facts?.statuses.includes(304))
      return payload
    const own = reply.getHeader('etag')
    const tag =
      typeof own === 'string'
        ? own
        : `W/"${createHash('sha256').update(payload).digest('base64url').slice(0, 16)}"`
    reply.header('etag', tag)
    const known = request.headers['if-none-match']
    if (known === undefined || !isNamedIn(known, tag)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return '' // and not null, which Fastify's HEAD can't take
  })
}
