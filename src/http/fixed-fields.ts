import type { FastifyInstance } from 'fastify'
import type { ContractDocument } from '../contract/document.ts'
import { responsesOf } from '../contract/responses.ts'
import { operationOf } from './operation.ts'

/** Header fields of every reply, unless it has others: those of operations stand in the document. */
export const commonFields = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
} as const

/**
 * Sends each header field that the document requires and gives just one value with the response that declares it, such
 * as Cache-Control.
 */
export function registerFixedFields(app: FastifyInstance, document: ContractDocument): void {
  const fixed = new Map<string, Record<string, string>>()
  for (const { operationId, status, response } of responsesOf(document.value)) {
    const fields = Object.entries(response.headers ?? {}).flatMap(([name, { required, schema }]) => {
      const [value, ...others] = Array.isArray(schema?.enum) ? schema.enum : []
      return required && typeof value === 'string' && others.length === 0 ? [[name, value]] : []
    })
    if (fields.length > 0) fixed.set(`${operationId} ${status}`, Object.fromEntries(fields))
  }
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(commonFields)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const id = operationOf(request)
    const fields = id && fixed.get(`${id} ${reply.statusCode}`)
    if (fields) reply.headers(fields)
    done(null, payload)
  })
}
