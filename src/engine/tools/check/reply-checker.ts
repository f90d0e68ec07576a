import { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { type Model, responseFor } from '../../document/model.ts'
import type { Response } from '../../document/types.ts'
import { operationOf } from '../../service/contract/destination.ts'
import type { Fault } from '../../service/errors/api-error.ts'
import { attempt } from '../../service/errors/faults.ts'
import { itemsIn, sequenceFor } from '../../service/validation/sequences.ts'
import { matchMediaType } from '../../service/values/media-types.ts'
import { createSchemas, type Schemas } from '../../service/values/schemas.ts'
import { shapeOf } from '../../service/values/values.ts'
import { codesOf } from '../reading/nodes.ts'

/** A reply, before it is serialised or as read from the wire. */
export interface CheckedReply {
  status: number
  /** by lower-case name; `incomplete` while others are still to come: then only the body is checked */
  headers: Readonly<Record<string, unknown>> | 'incomplete'
  /** undefined for none */
  body: unknown
}

/** Lists every way in which a reply is not what the document declares for the operation. */
export type ReplyChecker = (operationId: string, reply: CheckedReply) => string[]

/**
 * Prepares the check of replies against the document. Schemas are compiled when first needed.
 * @param codes whether an error's code must be one of those that the response names
 */
export function createReplyChecker(model: Model, { codes = true } = {}): ReplyChecker {
  const schemas = createSchemas(model)
  return (operationId, { status, headers, body }) => {
    const operation = model.operation(operationId)
    const response = operation && responseFor(operation, status)
    if (!response) return [`${operationId} does not declare the status ${status}`]
    const name = `${operationId} ${status}`
    return [
      ...(codes ? checkCode(name, response, body) : []),
      ...checkBody(schemas, name, response, headers, body),
      ...(headers === 'incomplete' ? [] : checkHeaders(schemas, name, response, headers)),
    ]
  }
}

/** An error's code is one of those that the response names. */
function checkCode(name: string, response: Response, body: unknown): string[] {
  const codes = codesOf(response)
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
  return codes.length === 0 || code === undefined || codes.some(known => known === code)
    ? []
    : [`${name}: the code ${code} is none of those of this response: ${codes.join(', ')}`]
}

function checkBody(
  schemas: Schemas,
  name: string,
  { content = {} }: Response,
  headers: CheckedReply['headers'],
  body: unknown,
): string[] {
  const declared = Object.keys(content)
  if (declared.length === 0) return body === undefined ? [] : [`${name} declares no body, and there is one`]
  if (body === undefined) return [`${name} declares a body, and there is none`]
  const own = headers === 'incomplete' ? undefined : headers['content-type']
  const type = new MIMEType(String(own ?? 'application/json'))
  const media = matchMediaType(declared, type)
  if (media === undefined) return [`${name} has ${type.essence}, but declares ${declared.join(', ')}`]
  const { schema = {} } = content[media] ?? {}
  const sequence = typeof body === 'string' ? sequenceFor(schemas.model, type.essence, { schema }) : undefined
  const faults: Fault[] = []
  const value = sequence ? attempt(() => itemsIn(sequence, String(body)), '', faults) : body
  if (faults.length === 0) faults.push(...schemas.check(schema, value, 'response'))
  return faults.map(({ path, message }) => `${name}: the body${path} ${message}`)
}

function checkHeaders(
  schemas: Schemas,
  name: string,
  { headers: declared = {} }: Response,
  headers: Readonly<Record<string, unknown>>,
): string[] {
  const { resolve } = schemas.model
  return Object.entries(declared).flatMap(([header, reference]) => {
    const { required, schema = {} } = resolve(reference)
    const value = headers[header.toLowerCase()]
    if (value === undefined) return required ? [`${name}: the header ${header} is missing`] : []
    const isNumber = resolve(schema).type === 'integer' && /^\d+$/.test(String(value))
    return schemas
      .check(schema, isNumber ? Number(value) : value, 'response')
      .map(({ path, message }) => `${name}: the header ${header}${path} ${message}`)
  })
}

/**
 * Holds each reply of an operation against the document before it is serialised. A reply that does not fit becomes a
 * 500 that names the difference in the log.
 */
export function registerReplyCheck(app: FastifyInstance, model: Model): void {
  const check = createReplyChecker(model)
  const schemas = createSchemas(model)
  app.addHook('preSerialization', async (request, reply, payload) => {
    const operationId = operationOf(request)
    if (operationId === undefined) return payload
    // Headers are complete only on the wire; here, before serialisation hides anything, the body counts.
    const faults = check(operationId, { status: reply.statusCode, headers: 'incomplete', body: payload })
    if (faults.length > 0)
      throw new Error(`The reply is not what the document declares: ${faults.join('; ')}`)
    return payload
  })
  // Each item of a sequence is judged when it is sent. An item that does not fit ends the sequence.
  app.addHook('onSend', async (request, reply, payload) => {
    const operation = model.operation(operationOf(request) ?? '')
    const type = String(reply.getHeader('content-type'))
    const media = operation && responseFor(operation, reply.statusCode)?.content?.[type]
    const sequence = media && sequenceFor(model, type, media)
    if (!(payload instanceof Readable) || !sequence) return payload
    const { items } = shapeOf(model, media.schema ?? {})
    const faultsOf = (text: string) =>
      itemsIn(sequence, text).flatMap(item => schemas.check(items, item, 'response'))
    return Readable.from(held(payload, faultsOf))
  })
}

async function* held(chunks: AsyncIterable<unknown>, faultsOf: (text: string) => readonly Fault[]) {
  for await (const chunk of chunks) {
    const told = faultsOf(String(chunk)).map(({ path, message }) => `${path} ${message}`)
    if (told.length > 0) throw new Error(`An item is not what the document declares: ${told.join('; ')}`)
    yield chunk
  }
}
