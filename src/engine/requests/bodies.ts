import type { IncomingHttpHeaders } from 'node:http'
import type { MIMEType } from 'node:util'
import type { OperationModel } from '../../document/model.ts'
import type { MediaType } from '../../document/types.ts'
import { ApiError } from '../replies/api-error.ts'
import { Undecodable } from './decoding.ts'
import type { Fault } from './faults.ts'
import { badTexts, type Values } from './fields.ts'
import { isJson, matchMediaType, parseMediaType } from './media-types.ts'
import { formOf, splitParts, usualPartLimits, utf8 } from './multipart.ts'
import { type PairField, pairsOf, pairsReader } from './pairs.ts'
import { parseStrictJson } from './strict-json.ts'
import type { Texts } from './texts.ts'

/** A body that an operation takes. */
export interface AcceptedBody {
  /** its media type as it stands in the document */
  declared: string
  sent: MIMEType
  media: MediaType
}

/** How many fields a form may hold, as each costs time and memory. */
const fieldsLimit = 10_000

/** How many media types are remembered as they were sent, and how long ones, in characters. */
const typesKept = 16
const longestKept = 100

/** Judges the bodies of an operation by their header fields, before a byte of them is read. */
export type AcceptBody = (headers: IncomingHttpHeaders) => AcceptedBody | undefined

/**
 * Prepares the judging of an operation's bodies (OpenAPI 3.0.3, 4.7.13).
 * @returns undefined for none; throws ApiError for one that is missing or of another media type, charset or coding than
 *   the document has
 */
export function bodyAcceptor({ body, method }: OperationModel): AcceptBody {
  const content = body?.content ?? {}
  const accepted = Object.keys(content)
  /** Those that were accepted lately: most requests send the same. */
  const known = new Map<string, AcceptedBody>()

  function acceptType(type: string): AcceptedBody {
    const before = known.get(type)
    if (before) return before
    const sent = parseMediaType(type)
    const declared = sent && matchMediaType(accepted, sent)
    if (!sent || declared === undefined || !isKnownCharset(sent)) throw unsupported()
    const one = { declared, sent, media: content[declared] ?? {} }
    if (known.size >= typesKept) known.clear()
    if (type.length <= longestKept) known.set(type, one)
    return one
  }

  const unsupported = () =>
    new ApiError('unsupported_media_type', `Send the body as ${accepted.join(' or ')} in UTF-8.`, {
      headers: method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {}, // RFC 5789, section 2.2
    })

  return headers => {
    if (accepted.length === 0) return undefined
    const { 'content-type': type, 'content-length': length, 'content-encoding': coding } = headers
    const isEmpty = headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
    if (isEmpty && (type === undefined || !body?.required)) {
      if (body?.required) throw missing()
      return undefined
    }
    // What has no type may be of any (RFC 9110, section 8.3).
    const one = acceptType(type ?? 'application/octet-stream')
    if (coding === undefined || isIdentity(coding)) return one
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
}

const missing = () => new ApiError('invalid_request', 'This operation needs a body.')
const malformed = (reason: string) => new ApiError('invalid_request', `The body ${reason}.`)

/** Whether content has no coding but the one that changes nothing (RFC 9110, section 12.5.3). */
const isIdentity = (coding: string) =>
  coding.split(',').every(one => ['', 'identity'].includes(one.trim().toLowerCase()))

function isKnownCharset({ type, params }: MIMEType): boolean {
  const charset = params.get('charset')?.toLowerCase()
  if (charset === undefined || charset === 'utf-8') return true
  if (type !== 'text') return false
  try {
    return Boolean(new TextDecoder(charset))
  } catch {
    return false
  }
}

/** How the body of a media type is parsed. */
type Kind = 'json' | 'form' | 'parts' | 'text' | 'bytes'

function kindOf({ essence, type }: Pick<MIMEType, 'essence' | 'type'>): Kind {
  if (essence.endsWith('/json') || essence.endsWith('+json')) return 'json'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  if (essence === 'multipart/form-data') return 'parts'
  return type === 'text' ? 'text' : 'bytes'
}

/** Whether a schema says something of the parsed body: bytes, and texts of another language, are taken as they are. */
export function isValidated(texts: Texts, { sent, media }: AcceptedBody): boolean {
  const kind = kindOf(sent)
  if (!media.schema || kind === 'bytes') return false
  return kind !== 'text' || texts.shapeOf(media.schema).kinds.includes('scalar')
}

/**
 * The schemas of an operation's bodies by their media types, for Fastify's validation: of ranges, and of types that only
 * their parameters tell apart, there are none here.
 */
export function contentOf(texts: Texts, { body }: OperationModel): Record<string, MediaType> {
  const content: Record<string, MediaType> = {}
  for (const [name, media] of Object.entries(body?.content ?? {})) {
    const sent = parseMediaType(name)
    if (sent?.essence === name && isValidated(texts, { declared: name, sent, media })) content[name] = media
  }
  return content
}

/** Parses bodies; values of forms are decoded by the schemas of their fields (OpenAPI 3.0.3, 4.7.14). */
export interface BodyParser {
  /** @throws ApiError for what is not of its media type */
  parse(body: AcceptedBody, bytes: Buffer): Promise<unknown>
}

export function createBodyParser(texts: Texts): BodyParser {
  const formReaders = new WeakMap<MediaType, ReturnType<typeof formReader>>()
  const formReaderOf = (media: MediaType) => {
    const reader = formReaders.get(media) ?? formReader(texts, media)
    formReaders.set(media, reader)
    return reader
  }
  const parsers: Record<Kind, (body: AcceptedBody, bytes: Buffer) => unknown> = {
    json: (body, bytes) => parseJson(texts, body, bytes),
    form: ({ media }, bytes) => parseForm(formReaderOf(media), bytes),
    parts: async ({ media, sent }, bytes) => {
      const parts = await splitParts(bytes, String(sent), usualPartLimits)
      if (typeof parts === 'string') throw malformed(parts)
      return decoded(formOf(texts, media, parts, parseStrictJson))
    },
    text: (body, bytes) => parseText(texts, body, bytes),
    bytes: (_, bytes) => bytes,
  }
  return { parse: async (body, bytes) => parsers[kindOf(body.sent)](body, bytes) }
}

const decoded = ({ values, faults }: Values) => decodable(values, faults)
const decodable = <Value>(value: Value, faults: readonly Fault[]) =>
  faults.length > 0 ? new Undecodable(faults) : value

function parseJson(texts: Texts, { media: { schema = {} } }: AcceptedBody, bytes: Buffer): unknown {
  const text = utf8(bytes)
  if (text === undefined) throw malformed('is not UTF-8')
  if (text.trim() === '') throw malformed('is empty; send a JSON value')
  const parsed = parseStrictJson(text)
  if ('syntax' in parsed) throw malformed(`is no JSON: ${parsed.syntax}`)
  if ('faults' in parsed) return new Undecodable(parsed.faults)
  // Fastify validates no body as if it were null.
  return parsed.value === null ? decodable(null, texts.schemas.check(schema, null)) : parsed.value
}

function parseForm(read: ReturnType<typeof formReader>, bytes: Buffer): unknown {
  const text = utf8(bytes)
  if (text === undefined) throw malformed('is not UTF-8')
  const pairs = pairsOf(text)
  if (!pairs) throw malformed('holds a broken percent-encoding')
  if (pairs.length > fieldsLimit) throw malformed(`holds more than ${fieldsLimit} fields`)
  return decoded(read(pairs))
}

function parseText(texts: Texts, body: AcceptedBody, bytes: Buffer): unknown {
  const text = decodeText(bytes, body.sent.params.get('charset') ?? 'utf-8')
  if (text === undefined) throw malformed('is not written in its character set')
  if (!isValidated(texts, body)) return text
  return decodable(texts.valueOf(body.media.schema ?? {}, text), badTexts(text, ''))
}

function decodeText(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads a form's fields, each by the style of its property (OpenAPI 3.0.3, 4.7.14.3 and 4.7.15). */
function formReader(texts: Texts, media: MediaType): ReturnType<typeof pairsReader> {
  const { properties, others = {} } = texts.shapeOf(media.schema ?? {})
  const fields = [...properties].map(([name, schema]): PairField => {
    const encoding = media.encoding && Object.hasOwn(media.encoding, name) ? media.encoding[name] : undefined
    const { style, explode, contentType = '' } = encoding ?? {}
    const type = parseMediaType(contentType)
    return {
      name,
      schema,
      style: style ?? 'form',
      explode: explode ?? (style ?? 'form') === 'form',
      isPart: true,
      parse: type && isJson(type) ? parseStrictJson : undefined,
      orJson: style === undefined ? parseStrictJson : undefined,
    }
  })
  const onUnknown = (name: string, [first = '', ...more]: readonly string[], { values }: Values) => {
    const value = texts.valueOf(others, first)
    values[name] = more.length === 0 ? value : [value, ...more.map(text => texts.valueOf(others, text))]
  }
  return pairsReader({ texts, source: 'query', path: '', fields, onUnknown })
}
