import type { Contract } from '../contract.ts'
import { operationOf } from '../routes/operation.ts'
import { type AddFields, fieldsOf } from './fields.ts'

/**
 * Header fields of every reply, unless it has others: those of operations stand in the document. In lower case, as Fastify
 * would make them each time.
 */
export const commonFields = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
} as const

/** The fields that a reply begins with. */
export const firstFields = (requestId: string) => ({ ...commonFields, 'x-request-id': requestId })

/**
 * Adds each header field that the document requires and gives just one value to the response that declares it, such as
 * Cache-Control.
 */
export function createFixedFields({ model }: Contract): AddFields {
  const fixed = new Map<string, Map<number, Record<string, string>>>()
  const ownOf = (id: string) => {
    const own = fixed.get(id) ?? new Map<number, Record<string, string>>()
    fixed.set(id, own)
    return own
  }
  for (const { id, responses } of model.operations)
    for (const [status, response] of responses) {
      const fields = Object.entries(response.headers ?? {}).flatMap(([name, reference]) => {
        const { required, schema } = model.resolve(reference)
        const [value, ...others] = (schema && model.resolve(schema).enum) ?? []
        return required && typeof value === 'string' && others.length === 0
          ? [[name.toLowerCase(), value]]
          : []
      })
      if (fields.length > 0) ownOf(id).set(Number(status), Object.fromEntries(fields))
    }
  return (request, reply) => {
    const fields = fixed.get(operationOf(request) ?? '')?.get(reply.statusCode)
    if (fields) Object.assign(fieldsOf(reply), fields)
  }
}
