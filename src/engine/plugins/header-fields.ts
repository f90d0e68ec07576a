import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import type { Response } from '../../document/types.ts'
import { operationOf } from '../routes/paths.ts'

/** Header fields of every reply, unless it has others: those of operations stand in the document. */
export const commonFields = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
}

/** The fields that every reply begins with. */
export const firstFields = (requestId: string) => ({ ...commonFields, 'x-request-id': requestId })

/**
 * Adds the header fields that every reply has, and those that the document requires of a response and gives just one
 * value, such as Cache-Control.
 */
export const headerFields = fp<{ model: Model }>(async (app, { model }) => {
  const fixed = fixedFieldsOf(model)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(firstFields(request.id))
  })
  app.addHook('onSend', async (request, reply) => {
    const fields = fixed.get(operationOf(request) ?? '')?.get(reply.statusCode)
    if (fields) reply.headers(fields)
    if (reply.getHeader('connection') === 'close') reply.raw.shouldKeepAlive = false
  })
})

/** By operationId and status. */
function fixedFieldsOf({ operations, resolve }: Model): Map<string, Map<number, Record<string, string>>> {
  const fieldsOf = (headers: NonNullable<Response['headers']>) =>
    Object.entries(headers).flatMap(([name, reference]) => {
      const { required, schema } = resolve(reference)
      const [value, ...others] = (schema && resolve(schema).enum) ?? []
      return required && typeof value === 'string' && others.length === 0 ? [[name.toLowerCase(), value]] : []
    })
  return new Map(
    operations.map(({ id, responses }) => {
      const own = [...responses].map(([status, { headers = {} }]) => {
        const fields: Record<string, string> = Object.fromEntries(fieldsOf(headers))
        return [Number(status), fields] as const
      })
      return [id, new Map(own.filter(([, fields]) => Object.keys(fields).length > 0))]
    }),
  )
}
