import { Readable } from 'node:stream'
import type { MIMEType } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { type Model, responseFor } from '../../document/model.ts'
import type { Header, MediaType, Reference, Response } from '../../document/types.ts'
import type { Fault } from '../../service/errors/api-error.ts'
import { attempt } from '../../service/errors/faults.ts'
import { FieldsDecoder } from '../../service/formats/fields.ts'
import { itemsIn, sequenceFor } from '../../service/formats/sequences.ts'
import { bodyKind, isJson, matchMediaType, parseMediaType } from '../../service/values/media-types.ts'
import { createSchemas, type Schemas } from '../../service/values/schemas.ts'
import { fromText, shapeOf } from '../../service/values/values.ts'
import { codesOf } from '../reading/nodes.ts'
import { unseenFaults, type Written } from './reading.ts'

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

/** A reply, and how its numbers were written, if it came over the wire. */
type JudgedReply = CheckedReply & { written?: Written | undefined }

/** The differences of a reply from its declaration. */
export interface Judgement {
  faults: string[]
  /** those of them that a schema tells, about a value that was read */
  ofSchemas: string[]
}

/**
 * Prepares the check of replies against the document. Schemas are compiled when first needed.
 * @param codes whether an error's code must be one of those that the response names
 */
export function createReplyChecker(model: Model, options?: { codes?: boolean }): ReplyChecker {
  const judge = createReplyJudge(model, options)
  return (operationId, reply) => judge(operationId, reply).faults
}

/** The same, with the faults of schemas told apart from others. */
export function createReplyJudge(model: Model, { codes = true } = {}) {
  const schemas = createSchemas(model)
  return (operationId: string, { status, headers, body, written }: JudgedReply): Judgement => {
    const operation = model.operation(operationId)
    const response = operation && responseFor(operation, status)
    if (!response) return { faults: [`${operationId} does not declare the status ${status}`], ofSchemas: [] }
    const ofSchemas: string[] = []
    const faults = [
      ...(codes ? codeFaults(response, body) : []),
      ...bodyFaults(schemas, response, { status, headers, body, written }, ofSchemas),
      ...(headers === 'incomplete' ? [] : headerFaults(schemas, response, headers, ofSchemas)),
    ]
    const name = `${operationId} ${status}`
    return { faults: faults.map(fault => name + fault), ofSchemas: ofSchemas.map(fault => name + fault) }
  }
}

/** An error's code is one of those that the response names. */
function codeFaults(response: Response, body: unknown): string[] {
  const codes = codesOf(response)
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
  return codes.length === 0 || code === undefined || codes.some(known => known === code)
    ? []
    : [`: the code ${code} is none of those of this response: ${codes.join(', ')}`]
}

/** Replies of these statuses have no body, whatever the document says (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const bodiless = new Set([204, 205, 304])

function bodyFaults(
  schemas: Schemas,
  { content = {} }: Response,
  { status, headers, body, written }: JudgedReply,
  ofSchemas: string[],
): string[] {
  const declared = Object.keys(content)
  if (declared.length === 0) return body === undefined ? [] : [' declares no body, and there is one']
  if (body === undefined) return bodiless.has(status) ? [] : [' declares a body, and there is none']
  const own = headers === 'incomplete' ? 'application/json' : headers['content-type']
  if (own === undefined || own === null)
    return [` has a body without Content-Type, and declares ${declared.join(', ')}`]
  const type = parseMediaType(String(own))
  if (!type) return [`: the Content-Type "${own}" is no media type (RFC 9110, section 8.3.1)`]
  const name = matchMediaType(declared, type)
  const media = content[name ?? '']
  if (name === undefined || !media) return [` has ${type.essence}, but declares ${declared.join(', ')}`]
  const faults: Fault[] = []
  const value = readAs(schemas, [name, media], type, body, faults)
  const isRead = faults.length === 0
  if (isRead && value !== undefined) faults.push(...schemas.check(media.schema ?? {}, value, 'response'))
  const told = faults.map(({ path, message }) => `: the body${path} ${message}`)
  if (isRead) ofSchemas.push(...told)
  const unseen =
    isRead && written ? unseenFaults(schemas, media.schema ?? {}, value, written, status < 300) : []
  return [...told, ...[...unseen].map(fault => `: the body${fault}`)]
}

/** The value of a body that a schema describes; undefined where none does: of bytes, of XML, of a form. */
function readAs(
  { model, ...schemas }: Schemas,
  [name, media]: readonly [string, MediaType],
  type: MIMEType,
  body: unknown,
  faults: Fault[],
): unknown {
  if (typeof body !== 'string') return body
  const { schema = {} } = media
  const sequence = sequenceFor(model, type.essence, media)
  if (sequence) return attempt(() => itemsIn(sequence, body), '', faults)
  if (type.essence.endsWith('xml')) return undefined
  const kind = bodyKind(model, [name, media], type)
  if (kind === 'json' || kind === 'items') return body
  return kind === 'text' && shapeOf(model, schema).kinds.includes('scalar')
    ? fromText({ model, ...schemas }, schema, body)
    : undefined
}

function headerFaults(
  schemas: Schemas,
  response: Response,
  headers: Readonly<Record<string, unknown>>,
  ofSchemas: string[],
): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([header, reference]) => {
    const { required } = schemas.model.resolve(reference)
    const values = headerValues(schemas, header, reference, headers)
    if (values.length === 0) return required ? [`: the header ${header} is missing`] : []
    const told = values.flatMap(({ schema, value, faults }) =>
      (faults.length > 0 ? faults : schemas.check(schema, value, 'response')).map(
        ({ path, message }) => `: the header ${header}${path} ${message}`,
      ),
    )
    ofSchemas.push(...told)
    return told
  })
}

/**
 * Reads a header field of a reply by style and schema, as the parameters of requests are read (OpenAPI 3.0.3, 4.7.21).
 * Each cookie is a value of its own. A declared Content-Type is ignored there.
 */
export function headerValues(
  schemas: Schemas,
  header: string,
  reference: Header | Reference,
  headers: Readonly<Record<string, unknown>>,
) {
  const name = header.toLowerCase()
  const sent = headers[name]
  if (sent === undefined || sent === null || name === 'content-type') return []
  const { explode = false, content = {}, ...own } = schemas.model.resolve(reference)
  const [[type, media] = []] = Object.entries(content)
  const schema = own.schema ?? media?.schema ?? {}
  const form = isJson(parseMediaType(type ?? '')) ? 'json' : 'text'
  const field = {
    name,
    schema,
    style: 'simple',
    explode,
    content: type === undefined ? undefined : form,
  } as const
  const decoder = new FieldsDecoder({ schemas, source: 'header', fields: [field], others: 'ignored' })
  const all = [sent].flat().map(String)
  const texts = name === 'set-cookie' ? all.flatMap(one => one.split('\n')) : [all.join(', ')]
  return texts.map(text => {
    const { values, faults } = decoder.decode([[name, text]])
    const read = faults.map(({ path, message }) => ({ path: path.replace(/^\/[^/]*/, ''), message }))
    return { schema, value: values[name], faults: read }
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
