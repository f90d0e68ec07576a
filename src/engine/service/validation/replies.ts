import type { MIMEType } from 'node:util'
import { FieldsDecoder } from 'spec-served-document/formats/fields'
import { itemsIn, sequenceFor } from 'spec-served-document/formats/sequences'
import { codesOf, type Model, responseFor } from 'spec-served-document/model'
import type { Header, MediaType, Reference, Response, Schema } from 'spec-served-document/types'
import type { Fault } from 'spec-served-document/values/faults'
import { attempt } from 'spec-served-document/values/faults'
import { bodyKind, isJson, matchMediaType, parseMediaType } from 'spec-served-document/values/media-types'
import { createSchemas, type Schemas } from 'spec-served-document/values/schemas'
import { fromText, shapeOf } from 'spec-served-document/values/values'

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

/** A difference of a reply from its declaration. */
export interface Difference {
  /** as a sentence that begins with the operation and the status */
  text: string
  /** where: `the body/name`, `the header ETag` */
  place: string
  /** the rule that is broken, without a value of the reply */
  rule: string
  /** whether a schema shows it, about a value that was read */
  isOfSchema: boolean
}

/** A difference whose text begins behind the status. */
const differs = (text: string, place: string, rule: string, isOfSchema = false): Difference => ({
  text,
  place,
  rule,
  isOfSchema,
})

export interface JudgeOptions<Written> {
  /** whether an error's code must be one of those that the response names */
  codes?: boolean
  /** Finds what no schema refuses in a value, by how its numbers were written. */
  unseen?(
    schemas: Schemas,
    schema: Schema | Reference,
    value: unknown,
    written: Written,
    isSuccess: boolean,
  ): Iterable<string>
}

/**
 * Prepares the check of replies against the document. Schemas are compiled when first needed.
 * @param codes whether an error's code must be one of those that the response names
 */
export function createReplyChecker(model: Model, options?: { codes?: boolean }): ReplyChecker {
  const judge = createReplyJudge(model, options)
  return (operationId, reply) => judge(operationId, reply).map(({ text }) => text)
}

/** The same, with the parts of each difference. */
export function createReplyJudge<Written = never>(
  model: Model,
  { codes = true, unseen = () => [] }: JudgeOptions<Written> = {},
) {
  const schemas = createSchemas(model)
  return (operationId: string, reply: CheckedReply & { written?: Written | undefined }): Difference[] => {
    const { status, headers, body, written } = reply
    const operation = model.operation(operationId)
    const response = operation && responseFor(operation, status)
    if (!response) {
      const text = `${operationId} does not declare the status ${status}`
      return [differs(text, 'the status', 'is not declared')]
    }
    const unseenIn = (schema: Schema | Reference, value: unknown): Iterable<string> =>
      written === undefined ? [] : unseen(schemas, schema, value, written, status < 300)
    const found = [
      ...(codes ? codeDifferences(response, body) : []),
      ...bodyDifferences(schemas, response, reply, unseenIn),
      ...(headers === 'incomplete' ? [] : headerDifferences(schemas, response, headers)),
    ]
    return found.map(fault => ({ ...fault, text: `${operationId} ${status}${fault.text}` }))
  }
}

/** An error's code is one of those that the response names. */
function codeDifferences(response: Response, body: unknown): Difference[] {
  const codes = codesOf(response)
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
  if (codes.length === 0 || code === undefined || codes.some(declaredCode => declaredCode === code)) return []
  const text = `: the code ${code} is none of those of this response: ${codes.join(', ')}`
  return [differs(text, 'the body/code', `is none of ${codes.join(', ')}`)]
}

/** Replies of these statuses have no body, whatever the document says (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const bodiless = new Set([204, 205, 304])

function bodyDifferences(
  schemas: Schemas,
  { content = {} }: Response,
  { status, headers, body }: CheckedReply,
  unseenIn: (schema: Schema | Reference, value: unknown) => Iterable<string>,
): Difference[] {
  const whole = (text: string, rule: string) => [differs(text, 'the body', rule)]
  const declared = Object.keys(content)
  if (declared.length === 0)
    return body === undefined ? [] : whole(' declares no body, and there is one', 'is not declared')
  if (body === undefined)
    return bodiless.has(status) ? [] : whole(' declares a body, and there is none', 'is missing')
  const contentType = headers === 'incomplete' ? 'application/json' : headers['content-type']
  if (contentType === undefined || contentType === null)
    return whole(
      ` has a body without Content-Type, and declares ${declared.join(', ')}`,
      'has no Content-Type',
    )
  const type = parseMediaType(String(contentType))
  if (!type)
    return whole(
      `: the Content-Type "${contentType}" is no media type (RFC 9110, section 8.3.1)`,
      'has a malformed Content-Type',
    )
  const name = matchMediaType(declared, type)
  const media = content[name ?? '']
  if (name === undefined || !media) {
    const rule = `has ${type.essence}, but declares ${declared.join(', ')}`
    return whole(` ${rule}`, rule)
  }
  const faults: Fault[] = []
  const value = readAs(schemas, [name, media], type, body, faults)
  const isRead = faults.length === 0
  if (isRead && value !== undefined) faults.push(...schemas.check(media.schema ?? {}, value, 'response'))
  const unseen = isRead ? [...unseenIn(media.schema ?? {}, value)] : []
  return [
    ...faults.map(({ path, message }) =>
      differs(`: the body${path} ${message}`, `the body${path}`, message, isRead),
    ),
    ...unseen.map(fault => differs(`: the body${fault}`, 'the body', fault)),
  ]
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
  if (sequence) return attempt(() => itemsIn(sequence, body, model.hasBigints), '', faults)
  if (type.essence.endsWith('xml')) return undefined
  const kind = bodyKind(model, [name, media], type)
  if (kind === 'json' || kind === 'items') return body
  return kind === 'text' && shapeOf(model, schema).kinds.includes('scalar')
    ? fromText({ model, ...schemas }, schema, body)
    : undefined
}

function headerDifferences(
  schemas: Schemas,
  response: Response,
  headers: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.entries(response.headers ?? {}).flatMap(([header, reference]) => {
    const { required } = schemas.model.resolve(reference)
    const values = headerValues(schemas, header, reference, headers)
    const place = `the header ${header}`
    if (values.length === 0) return required ? [differs(`: ${place} is missing`, place, 'is missing')] : []
    return values.flatMap(({ schema, value, faults }) =>
      (faults.length > 0 ? faults : schemas.check(schema, value, 'response')).map(({ path, message }) =>
        differs(`: ${place}${path} ${message}`, place + path, message, true),
      ),
    )
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
  const { schema, decoder, isWrittenByStyle } = headerReader(schemas, name, reference)
  const all = [sent].flat().map(String)
  const texts = name === 'set-cookie' ? all.flatMap(line => line.split('\n')) : [all.join(', ')]
  return texts.map(text => {
    const { values, faults } = decoder.decode([[name, text]])
    // The usual mistake of documents: such a value has as many faults as it has commas.
    if (isWrittenByStyle && isJsonObject(text)) return { schema, value: undefined, faults: [jsonByStyle] }
    const read = faults.map(({ path, message }) => ({ path: path.replace(/^\/[^/]*/, ''), message }))
    return { schema, value: values[name], faults: read }
  })
}

const jsonByStyle = {
  path: '',
  message: 'is JSON, and its schema asks for the style simple: declare it with content: application/json',
}

function isJsonObject(text: string): boolean {
  try {
    return /^[{[]/.test(text) && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

interface HeaderReader {
  schema: Schema | Reference
  decoder: FieldsDecoder
  /** whether it is an object that is no JSON */
  isWrittenByStyle: boolean
}

/** The readers of header fields, by the validator, the node of the document and the name: each is made once. */
const headerReaders = new WeakMap<Schemas, WeakMap<Header | Reference, Map<string, HeaderReader>>>()

function headerReader(schemas: Schemas, name: string, reference: Header | Reference): HeaderReader {
  const byNode = headerReaders.get(schemas) ?? new WeakMap<Header | Reference, Map<string, HeaderReader>>()
  headerReaders.set(schemas, byNode)
  const byName = byNode.get(reference) ?? new Map<string, HeaderReader>()
  byNode.set(reference, byName)
  const made = byName.get(name)
  if (made) return made
  const { explode = false, content = {}, ...written } = schemas.model.resolve(reference)
  const [[type, media] = []] = Object.entries(content)
  const schema = written.schema ?? media?.schema ?? {}
  const form = isJson(parseMediaType(type ?? '')) ? 'json' : 'text'
  const field = {
    name,
    schema,
    style: 'simple',
    explode,
    content: type === undefined ? undefined : form,
  } as const
  const decoder = new FieldsDecoder({ schemas, source: 'header', fields: [field], others: 'ignored' })
  const isObject = !shapeOf(schemas.model, schema).kinds.includes('scalar')
  const reader = { schema, decoder, isWrittenByStyle: type === undefined && isObject }
  byName.set(name, reader)
  return reader
}
