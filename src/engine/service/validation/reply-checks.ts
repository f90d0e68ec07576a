import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { itemsIn, sequenceFor } from 'spec-served-document/formats/sequences'
import { type Model, responseFor } from 'spec-served-document/model'
import type { Fault } from 'spec-served-document/values/faults'
import { createSchemas } from 'spec-served-document/values/schemas'
import { shapeOf } from 'spec-served-document/values/values'
import { createReplyChecker } from './replies.ts'

/**
 * Checks each reply of an operation against the document before it is serialised. A reply that does not fit becomes a
 * 500 that names the difference in the log.
 */
export function registerReplyCheck(app: FastifyInstance, model: Model): void {
  const check = createReplyChecker(model)
  const schemas = createSchemas(model)
  app.addHook('preSerialization', async (request, reply, payload) => {
    const operationId = request.destination.operationId
    if (operationId === undefined) return payload
    // Headers are complete only on the wire; here, before serialisation hides anything, the body counts.
    const faults = check(operationId, { status: reply.statusCode, headers: 'incomplete', body: payload })
    if (faults.length > 0)
      throw new Error(`The reply is not what the document declares: ${faults.join('; ')}`)
    return payload
  })
  // Each item of a sequence is judged when it is sent. An item that does not fit ends the sequence.
  app.addHook('onSend', async (request, reply, payload) => {
    const operation = model.operation(request.destination.operationId ?? '')
    const type = String(reply.getHeader('content-type'))
    const media = operation && responseFor(operation, reply.statusCode)?.content?.[type]
    const sequence = media && sequenceFor(model, type, media)
    if (!(payload instanceof Readable) || !sequence) return payload
    const { items } = shapeOf(model, media.schema ?? {})
    const faultsOf = (text: string) =>
      itemsIn(sequence, text, model.hasBigints).flatMap(item => schemas.check(items, item, 'response'))
    return Readable.from(held(payload, faultsOf))
  })
}

async function* held(chunks: AsyncIterable<unknown>, faultsOf: (text: string) => readonly Fault[]) {
  for await (const chunk of chunks) {
    const faults = faultsOf(String(chunk)).map(({ path, message }) => `${path} ${message}`)
    if (faults.length > 0) throw new Error(`An item is not what the document declares: ${faults.join('; ')}`)
    yield chunk
  }
}
