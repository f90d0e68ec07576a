import type { Readable } from 'node:stream'
import type { MIMEType } from 'node:util'
import type { OperationModel } from '../../document/model.ts'
import type { MediaType } from '../../document/types.ts'
import type { Fault } from './faults.ts'
import { badTexts, type Values } from './fields.ts'
import { isJson, matchMediaType, parseMediaType } from './media-types.ts'
import { formOf, type PartLimits, splitParts, usualPartLimits, utf8 } from './multipart.ts'
import { type PairField, pairsOf, pairsReader } from './pairs.ts'
import { type ReadRefusal, readBody } from './read-body.ts'
import type { ParseJson } from './strict-json.ts'
import type { Texts } from './texts.ts'

/** Why a body is not taken. */
export type BodyRefusal =
  | ReadRefusal
  /** the operation needs one */
  | { kind: 'missing' }
  /** its media type or character set is not the document's, which `accepted` lists; or it is compressed */
  | { kind: 'unsupported'; part: 'type' | 'charset' | 'coding'; accepted: readonly string[] }
  /** it is not what its media type says; the reason is a sentence without its subject */
  | { kind: 'malformed'; reason: string }
  /** its schema has something against it */
  | { kind: 'invalid'; faults: readonly Fault[] }

/** A body that may be read. */
export interface AcceptedBody {
  kind: 'accepted'
  /** as it stands in the document */
  declared: string
  sent: MIMEType
}

/** `mediaType` as it stands in the document: it says which schema the value has. */
export type BodyResult = { kind: 'none' } | { kind: 'read'; mediaType: string; value: unknown } | BodyRefusal

/** By lower-case name. */
export type BodyHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface BodyOptions {
  parseJson: ParseJson
  /** longest body, in bytes */
  limit: number
  parts?: PartLimits
}

export interface BodyReader {
  /** Judges a body by its header fields, before a byte of it is read. */
  accept(headers: BodyHeaders): AcceptedBody | { kind: 'none' } | BodyRefusal
  /**
   * Reads it and checks it against its schema: JSON and forms as what they mean, `text/*` as a text, all else as a Buffer,
   * whose schema says nothing of bytes. Parts of forms that are files are `Bytes`.
   */
  read(headers: BodyHeaders, stream: Readable): Promise<BodyResult>
}

/** How many fields a form may hold, as each costs time and memory. */
const fieldsLimit = 10_000

/** How many media types of bodies are remembered as they were sent, and how long ones, in characters. */
const typesKept = 16
const longestKept = 100

/** Prepares the reading of an operation's body (OpenAPI 3.0.3, 4.7.13 and 4.7.14). */
export function bodyReader(texts: Texts, { body }: OperationModel, options: BodyOptions): BodyReader {
  const content = new Map(Object.entries(body?.content ?? {}))
  const accepted = [...content.keys()]
  const refuse = (part: 'type' | 'charset' | 'coding'): BodyRefusal => ({
    kind: 'unsupported',
    part,
    accepted,
  })
  const formReaders = new Map<string, ReturnType<typeof formReader>>()
  const none = (): BodyRefusal | { kind: 'none' } => (body?.required ? { kind: 'missing' } : { kind: 'none' })

  const accept: BodyReader['accept'] = headers => {
    if (accepted.length === 0) return { kind: 'none' }
    const type = first(headers['content-type'])
    const length = first(headers['content-length'])
    const isEmpty = headers['transfer-encoding'] === undefined && (length === undefined || length === '0')
    if (isEmpty && (type === undefined || !body?.required)) return none()
    // What has no type may be of any (RFC 9110, section 8.3).
    const judged = judgeType(type ?? 'application/octet-stream')
    const coding = headers['content-encoding']
    return judged.kind === 'accepted' && coding !== undefined && !isIdentity(coding)
      ? refuse('coding')
      : judged
  }

  /** Those that were accepted lately: most requests send the same. */
  const acceptedTypes = new Map<string, AcceptedBody>()
  function judgeType(type: string): AcceptedBody | BodyRefusal {
    const known = acceptedTypes.get(type)
    if (known) return known
    const sent = parseMediaType(type)
    const declared = sent && matchMediaType(accepted, sent)
    if (!sent || declared === undefined) return refuse('type')
    const charset = sent.params.get('charset')?.toLowerCase()
    if (charset !== undefined && !(sent.type === 'text' ? isKnownCharset(charset) : charset === 'utf-8'))
      return refuse('charset')
    const judged: AcceptedBody = { kind: 'accepted', declared, sent }
    if (acceptedTypes.size >= typesKept) acceptedTypes.clear()
    if (type.length <= longestKept) acceptedTypes.set(type, judged)
    return judged
  }

  const parse = async ({ declared, sent }: AcceptedBody, bytes: Buffer): Promise<BodyResult> => {
    const media = content.get(declared) ?? {}
    const done = (value: unknown, faults: readonly Fault[] = []): BodyResult => {
      const all = faults.length > 0 ? faults : media.schema ? texts.schemas.check(media.schema, value) : []
      return all.length > 0 ? { kind: 'invalid', faults: all } : { kind: 'read', mediaType: declared, value }
    }
    const malformed = (reason: string): BodyResult => ({ kind: 'malformed', reason })
    if (sent.essence === 'multipart/form-data') {
      const parts = await splitParts(bytes, String(sent), options.parts ?? usualPartLimits)
      if (typeof parts === 'string') return malformed(parts)
      const { values, faults } = formOf(texts, media, parts, options.parseJson)
      return done(values, faults)
    }
    const isForm = sent.essence === 'application/x-www-form-urlencoded'
    if (!isForm && !isJson(sent)) {
      if (sent.type !== 'text') return { kind: 'read', mediaType: declared, value: bytes }
      const text = decode(bytes, sent.params.get('charset') ?? 'utf-8')
      if (text === undefined) return malformed('is not written in its character set')
      // What a text of another language says is not known here.
      const isPlain = texts.shapeOf(media.schema ?? {}).kinds.includes('scalar')
      if (!isPlain) return { kind: 'read', mediaType: declared, value: text }
      return done(texts.valueOf(media.schema ?? {}, text), badTexts(text, ''))
    }
    const text = utf8(bytes)
    if (text === undefined) return malformed('is not UTF-8')
    if (isForm) {
      const pairs = pairsOf(text)
      if (!pairs) return malformed('holds a broken percent-encoding')
      if (pairs.length > fieldsLimit) return malformed(`holds more than ${fieldsLimit} fields`)
      const reader = formReaders.get(declared) ?? formReader(texts, media, options.parseJson)
      formReaders.set(declared, reader)
      const { values, faults } = reader(pairs)
      return done(values, faults)
    }
    if (text.trim() === '') return malformed('is empty; send a JSON value')
    const parsed = options.parseJson(text)
    if ('syntax' in parsed) return malformed(`is no JSON: ${parsed.syntax}`)
    return 'faults' in parsed ? { kind: 'invalid', faults: parsed.faults } : done(parsed.value)
  }

  return {
    accept,
    async read(headers, stream) {
      const judged = accept(headers)
      if (judged.kind !== 'accepted') return judged
      const bytes = await readBody(stream, first(headers['content-length']), options.limit)
      if (!Buffer.isBuffer(bytes)) return bytes
      return bytes.length === 0 && !body?.required ? none() : parse(judged, bytes)
    },
  }
}

/** Reads a form's fields, each by the style of its property (OpenAPI 3.0.3, 4.7.14.3 and 4.7.15). */
function formReader(texts: Texts, media: MediaType, parseJson: ParseJson): ReturnType<typeof pairsReader> {
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
      parse: type && isJson(type) ? parseJson : undefined,
      orJson: style === undefined ? parseJson : undefined,
    }
  })
  const onUnknown = (name: string, [first = '', ...more]: readonly string[], { values }: Values) => {
    const value = texts.valueOf(others, first)
    values[name] = more.length === 0 ? value : [value, ...more.map(text => texts.valueOf(others, text))]
  }
  return pairsReader({ texts, source: 'query', path: '', fields, onUnknown })
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

/** Whether content has no coding but the one that changes nothing (RFC 9110, section 12.5.3). */
const isIdentity = (coding: string | string[]) =>
  [coding]
    .flat()
    .every(list => list.split(',').every(one => ['', 'identity'].includes(one.trim().toLowerCase())))

function isKnownCharset(label: string): boolean {
  try {
    return Boolean(new TextDecoder(label))
  } catch {
    return false
  }
}

function decode(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
