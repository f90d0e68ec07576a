import type { FastifyInstance } from 'fastify'
import type { Model } from '../../document/model.ts'
import { operationOf } from '../routes/paths.ts'
import { createReplyChecker } from './reply-checker.ts'

/**
 * Holds each reply of an operation against the document before it is serialised; what does not fit becomes a 500
 * that names the difference in the log.
 */
export function registerReplyCheck(app: FastifyInstance, model: Model): void {
  const check = createReplyChecker(model)
  app.addHook('preSerialization', async (request, reply, payload) => {
    const operationId = operationOf(request)
    if (operationId === undefined) return payload
    // Headers are complete only on the wire; here, before serialisation hides anything, the body counts.
    const faults = check(operationId, { status: reply.statusCode, headers: 'incomplete', body: payload })
    if (faults.length > 0)
      throw new Error(`The reply is not what the document declares: ${faults.join('; ')}`)
    return payload
  })
}
