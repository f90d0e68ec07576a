import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type MIMEType, promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Bounds, boundsOf } from 'spec-served-document/contract/extensions'
import { type Field, FieldsDecoder } from 'spec-served-document/formats/fields'
import { itemsIn, sequenceFor } from 'spec-served-document/formats/sequences'
import type { OperationModel } from 'spec-served-document/model'
import type { MediaType } from 'spec-served-document/types'
import type { Fault } from 'spec-served-document/values/faults'
import { badTexts, Unreadable } from 'spec-served-document/values/faults'
import {
  type BodyKind,
  bodyKind,
  isJson,
  matchMediaType,
  parseMediaType,
} from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { parseStrictJson, SyntaxFault } from 'spec-served-document/values/strict-json'
import { fromText, pairsOf, shapeOf } from 'spec-served-document/values/values'
import { ApiError } from '../errors/api-error.ts'
import { invalidRequest, malformed } from '../errors/invalid-request.ts'
import { formOf, splitParts, textOf } from './multipart.ts'

interface AcceptedBody {
  /** its media type as the document writes it */
  declared: string
  sent: MIMEType
  kind: BodyKind
  media: MediaType
  /** the coding in which it was sent, if the operation has a parameter for it */
  coding?: string | undefined
}

/** A parsed body that is not validated yet. */
export class ParsedBody {
  readonly accepted: AcceptedBody
  readonly value: unknown

  constructor(accepted: AcceptedBody, value: unknown) {
    this.accepted = accepted
    this.value = value
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** the way to read the body; undefined: there is none */
    acceptedBody: AcceptedBody | undefined
  }
}

/** The most fields in a form, as each costs time and memory. */
const fieldsLimit = 10_000

/** Reads bodies by media type: JSON, sequences of it, forms and texts become values, all others a Buffer. */
export const bodies = fp<{ schemas: Schemas }>(async (app, { schemas }) => {
  const operationFor = (request: FastifyRequest) =>
    schemas.model.operation(request.destination.operationId ?? '')

  const bounds = boundsOf(schemas.model.document)

  app.decorateRequest('acceptedBody')
  app.addHook('onRoute', route => {
    const operation = schemas.model.operation(route.config?.operationId ?? '')
    if (!operation?.body) {
      if (route.method !== 'GET' && route.method !== 'HEAD')
        route.preParsing = ({ raw }, _reply, payload, done) => done(null, emptyIfEnded(raw, payload))
      return
    }
    const accept = bodyAcceptor(schemas, operation)
    route.preParsing = (request, _reply, payload, done) => {
      request.acceptedBody = accept(request.headers)
      done(null, emptyIfEnded(request.raw, payload))
    }
  })

  app.removeAllContentTypeParsers()
  // Fastify finds the parser of a type that it knows at once.
  app.addContentTypeParser(
    [...essencesIn(schemas), '*'],
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done) => {
      const { acceptedBody: accepted } = request
      const isNone = bytes.length === 0 && operationFor(request)?.body?.required !== true
      if (!accepted || isNone) return done(null, undefined)
      const fail = (error: unknown) => done(refusalOf(error))
      const parsed = (parsedValue: unknown) => done(null, new ParsedBody(accepted, parsedValue))
      let value: unknown
      try {
        value =
          accepted.coding === undefined || accepted.kind === 'bytes'
            ? parseBody(schemas, bounds, accepted, bytes)
            : decodeBody(bytes, accepted.coding, bounds).then(text =>
                parseBody(schemas, bounds, accepted, text),
              )
      } catch (error) {
        return fail(error)
      }
      if (value instanceof Promise) value.then(parsed, fail)
      else parsed(value)
    },
  )
})

/** Node ends the stream of a body that is not announced before a hook sees it. Fastify reads a body that has a type. */
const emptyIfEnded = (raw: IncomingMessage, payload: Readable) =>
  raw.readableEnded && raw.headers['content-type'] !== undefined ? Readable.from([]) : payload

/** Returns the media types of the document, without their parameters: the glue warns of those that have no parser. */
function essencesIn({ model }: Schemas): Set<string> {
  const names = model.operations.flatMap(({ body, responses }) =>
    [body, ...responses.values()].flatMap(declared => Object.keys(declared?.content ?? {})),
  )
  const essences = names.map(name => parseMediaType(name)?.essence ?? '')
  return new Set(essences.filter(essence => /^[\w.+-]+\/[\w.+-]+$/.test(essence)))
}

function refusalOf(error: unknown): Error {
  if (error instanceof SyntaxFault) return malformed(error.message)
  return error instanceof Unreadable ? invalidRequest('The body is', error.faults) : (error as Error) // nothing else is thrown
}

/** The most texts of media types that are remembered for an operation. */
const mostTypes = 20

/** Returns a function that checks bodies by their header fields. It knows the media types of earlier bodies by their texts. */
function bodyAcceptor(schemas: Schemas, operation: OperationModel) {
  const acceptedByType = new Map<string, AcceptedBody>()
  return (headers: IncomingHttpHeaders) => {
    const { 'content-type': type = '', 'content-length': length, 'content-encoding': coding } = headers
    const isUsual = length !== undefined && length !== '0' && coding === undefined
    const before = isUsual ? acceptedByType.get(type) : undefined
    if (before) return before
    const accepted = acceptBody(schemas, operation, headers)
    if (isUsual && accepted && acceptedByType.size < mostTypes) acceptedByType.set(type, accepted)
    return accepted
  }
}

/** Checks a body by its header fields (OpenAPI 3.0.3, 4.7.13). @throws ApiError for one that is not accepted */
function acceptBody(
  { model }: Schemas,
  { body, method, parameters }: OperationModel,
  headers: IncomingHttpHeaders,
) {
  if (!body) return undefined
  const accepted = Object.keys(body.content)
  const { 'content-type': type, 'content-length': length = '0', 'content-encoding': coding = '' } = headers
  const isEmpty = headers['transfer-encoding'] === undefined && length === '0'
  if (isEmpty && !body.required) return undefined
  if (isEmpty && type === undefined) throw new ApiError('invalid_request', 'This operation needs a body.')
  // A body without a type may be of any type (RFC 9110, section 8.3).
  const sent = parseMediaType(type ?? 'application/octet-stream')
  const declared = sent && matchMediaType(accepted, sent)
  if (!sent || declared === undefined || !isKnownCharset(sent))
    throw new ApiError('unsupported_media_type', `Send the body as ${accepted.join(' or ')} in UTF-8.`, {
      headers: method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {}, // RFC 5789, section 2.2
    })
  // `identity` is the coding that changes nothing (RFC 9110, section 12.5.3).
  const codings = coding.split(',').map(name => name.trim().toLowerCase())
  const [sentIn, ...more] = codings.filter(name => name !== '' && name !== 'identity')
  const isDeclared = parameters.some(
    parameter => parameter.in === 'header' && /^content-encoding$/i.test(parameter.name),
  )
  const isKnown = sentIn === undefined || (isDeclared && Object.hasOwn(decoders, sentIn) && more.length === 0)
  const how = isDeclared ? `in ${Object.keys(decoders).join(' or ')}, or ` : ''
  if (!isKnown)
    throw new ApiError('unsupported_media_type', `Send the body ${how}without a Content-Encoding.`)
  const media = body.content[declared] ?? {}
  const isSequence = sequenceFor(model, sent.essence, media) !== undefined
  const kind = isSequence ? 'items' : bodyKind(model, [declared, media], sent)
  return { declared, sent, media, kind, coding: sentIn } satisfies AcceptedBody
}

function isKnownCharset({ type, params }: MIMEType): boolean {
  const charset = params.get('charset')?.toLowerCase() ?? 'utf-8'
  return charset === 'utf-8' || (type === 'text' && textOf(Buffer.of(), charset) !== undefined)
}

/** Whether a schema applies to the parsed body. Bytes, and texts in another language, are accepted as they are. */
export function isValidated({ model }: Schemas, { kind, media }: AcceptedBody): boolean {
  if (!media.schema || kind === 'bytes') return false
  return kind !== 'text' || shapeOf(model, media.schema).kinds.includes('scalar')
}

/** The codings of bodies (RFC 9110, section 8.4.1), for operations that declare them. */
const decoders = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Decodes a body, which stays within the bounds of one. @throws ApiError for another coding, or for too much */
async function decodeBody(bytes: Buffer, coding: string, { bodyBytes }: Bounds): Promise<Buffer> {
  const decode = decoders[coding as keyof typeof decoders] // it was accepted
  try {
    return await decode(bytes, { maxOutputLength: bodyBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw malformed(`is not ${coding}`)
    throw new ApiError('payload_too_large', `The body has more than ${bodyBytes} bytes once it is decoded.`)
  }
}

/** Parses a body (OpenAPI 3.0.3, 4.7.14), which may take a promise. @throws ApiError or Unreadable for one that its media type does not allow */
function parseBody(schemas: Schemas, bounds: Bounds, body: AcceptedBody, bytes: Buffer): unknown {
  const { kind, media, sent } = body
  if (kind === 'bytes') return bytes
  if (kind === 'parts')
    return splitParts(bytes, String(sent)).then(parts => whole(formOf(schemas, media, parts)))
  const text = textOf(bytes, kind === 'text' ? sent.params.get('charset') : undefined)
  if (text === undefined)
    throw malformed(kind === 'text' ? 'is not written in its character set' : 'is not UTF-8')
  if (kind === 'form') return parseForm(schemas, media, text)
  if (kind === 'json') {
    if (text.trim() === '') throw malformed('is empty; send a JSON value')
    return parseStrictJson(text, bounds, schemas.hasBigints(media.schema ?? {}))
  }
  const sequence = sequenceFor(schemas.model, sent.essence, media)
  if (sequence) return itemsIn(sequence, text, schemas.hasBigints(media.schema ?? {}))
  if (!isValidated(schemas, body)) return text
  return whole({ values: fromText(schemas, media.schema ?? {}, text), faults: badTexts(text, '') })
}

function whole<Values>({ values, faults }: { values: Values; faults: readonly Fault[] }): Values {
  if (faults.length > 0) throw new Unreadable(...faults)
  return values
}

/** Reads a form's fields, each by the style of its property (OpenAPI 3.0.3, 4.7.14.3 and 4.7.15). */
function parseForm(schemas: Schemas, { schema = {}, encoding = {} }: MediaType, text: string): unknown {
  const pairs = pairsOf(text)
  if (!pairs) throw malformed('holds a broken percent-encoding')
  if (pairs.length > fieldsLimit) throw malformed(`holds more than ${fieldsLimit} fields`)
  const { properties, others = {} } = shapeOf(schemas.model, schema)
  const fields = [...properties].map(([name, property]): Field => {
    const { style, explode, contentType = '' } = (Object.hasOwn(encoding, name) && encoding[name]) || {}
    return {
      name,
      schema: property,
      style: style ?? 'form',
      explode: explode ?? (style ?? 'form') === 'form',
      content: isJson(parseMediaType(contentType)) ? 'json' : undefined,
      orJson: style === undefined,
    }
  })
  return whole(new FieldsDecoder({ schemas, source: 'query', fields, others }).decode(pairs))
}
