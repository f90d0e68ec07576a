import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import { withDecoding } from '../requests/decoding.ts'
import type { Values } from '../requests/fields.ts'
import { type DecodeParameters, parameterDecoder } from '../requests/parameters.ts'
import type { Texts } from '../requests/texts.ts'
import { operationOf } from '../routes/operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the cookie parameters that the document has, decoded */
    cookieParameters: object
  }
}

/**
 * Decodes the parameters of operations by their `style`, before Fastify validates them: afterwards `request.params`,
 * `request.query`, the declared fields of `request.headers` and `request.cookieParameters` hold values of the types that
 * the document gives them.
 */
export const parameters = fp<{ model: Model; texts: Texts }>(async (app, { model, texts }) => {
  const decoders = new Map<string, DecodeParameters>()
  const decoderOf = (request: FastifyRequest): DecodeParameters | undefined => {
    const id = operationOf(request)
    const operation = id === undefined ? undefined : model.operation(id)
    if (!operation) return undefined
    const decoder = decoders.get(operation.id) ?? parameterDecoder(texts, operation)
    decoders.set(operation.id, decoder)
    return decoder
  }
  app.decorateRequest('cookieParameters')
  app.addHook('preValidation', async request => {
    const decode = decoderOf(request)
    if (!decode) return
    const { url, headers } = request
    const source = { url, headers }
    request.params = partOf(decode.path(source))
    request.query = partOf(decode.query(source))
    request.cookieParameters = partOf(decode.cookie(source))
    const fields = decode.header(source)
    if (fields.faults.length > 0 || isDecoded(fields.values))
      request.headers = partOf(fields) as typeof headers // of the document's types
  })
})

const partOf = ({ values, faults, spread }: Values) => withDecoding(values, { faults, spread })

/** Whether a value is another one than the text that was sent. */
const isDecoded = (values: object) => Object.values(values).some(value => typeof value !== 'string')
