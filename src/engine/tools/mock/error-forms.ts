import type { FastifyInstance } from 'fastify'
import { createReplyChecker } from 'spec-served/internal/validation/replies'
import { type Model, responseFor } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { typeWithin } from 'spec-served-document/values/media-types'
import { mockField } from '../records/conventions.ts'
import { parseJson } from '../records/messages.ts'
import { bodyOf, type Contents } from './mock.ts'

/**
 * Gives the engine's refusals the form that the document declares, where the engine knows no way to write an error in it:
 * the example, or a value of the schema, and the header fields that are required.
 */
export function addErrorForms(app: FastifyInstance, model: Model, { contentOf, headersOf }: Contents): void {
  const check = createReplyChecker(model, { codes: false })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { statusCode: status } = reply
    const operation = status >= 400 ? model.operation(request.destination.operationId ?? '') : undefined
    const response = operation && responseFor(operation, status)
    const isWhole = typeof payload !== 'string' || reply.hasHeader(mockField)
    if (!operation || !response || isWhole) return done(null, payload)
    for (const [name, value] of Object.entries(headersOf(response, false, true)))
      if (!reply.hasHeader(name)) reply.header(name, value)
    const [[name, media] = []] = Object.entries(response.content ?? {})
    const headers = { 'content-type': reply.getHeader('content-type') }
    const faults = check(operation.id, { status, headers, body: parseJson(payload) ?? payload })
    if (name === undefined || !media || !faults.some(fault => !fault.includes(': the header')))
      return done(null, payload)
    const type = typeWithin(name)
    reply.header('content-type', type)
    const content = contentOf(name, media, { dynamic: false })
    // The example may be of another refusal.
    const body = isObject(content) && typeof content.status === 'number' ? { ...content, status } : content
    done(null, bodyOf(type, body))
  })
}
