import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Model } from '../../document/model.ts'
import { type AcceptBody, type AcceptedBody, bodyAcceptor, createBodyParser } from '../requests/bodies.ts'
import { readBody } from '../requests/read-body.ts'
import type { Texts } from '../requests/texts.ts'
import { operationOf } from '../routes/operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** how the body is to be read; undefined: there is none */
    acceptedBody: AcceptedBody | undefined
  }
}

export interface BodyOptions {
  model: Model
  texts: Texts
  /** longest body, in bytes */
  limit: number
}

/**
 * Reads the bodies of operations by their media types: JSON, forms and texts as what they mean, all else as a Buffer. A
 * body that the operation does not take is refused before a byte of it is read.
 */
export const bodies = fp<BodyOptions>(async (app, { model, texts, limit }) => {
  const acceptors = new Map<string, AcceptBody>(model.operations.map(one => [one.id, bodyAcceptor(one)]))
  const parser = createBodyParser(texts)

  app.decorateRequest('acceptedBody')
  app.addHook('onRequest', async request => {
    const accept = acceptors.get(operationOf(request) ?? '')
    request.acceptedBody = accept?.(request.headers)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { acceptedBody: accepted, headers } = request
    if (!accepted) return undefined
    const bytes = await readBody(payload, headers['content-length'], limit)
    if (bytes.length > 0) return parser.parse(accepted, bytes)
    const isRequired = model.operation(operationOf(request) ?? '')?.body?.required === true
    return isRequired ? parser.parse(accepted, bytes) : undefined
  })
})
