import fp from 'fastify-plugin'
import { digest, sendSelected } from '../replies/etag.ts'
import { factsFor } from '../routes/paths.ts'

/**
 * Sends replies of operations in the coding that the client likes best, and a 304 to a reader who has the content already,
 * for each operation that declares it. A record brings its own strong ETag; other content gets a weak one of its text.
 */
export const conditionalRequests = fp(async app => {
  app.addHook('onSend', async (request, reply, payload) => {
    const facts = factsFor(request)
    if (!facts || typeof payload !== 'string') return payload
    const isConditional = facts.statuses.includes(304)
    if (reply.statusCode === 200 && isConditional && !reply.hasHeader('etag'))
      reply.header('etag', `W/"${digest(payload).slice(0, 16)}"`)
    return sendSelected(request, reply, payload, isConditional)
  })
})
