import { MIMEType } from 'node:util'
import { type Model, partsOf } from '../model.ts'
import type { MediaType, Reference, Schema } from '../types.ts'

/** Longest media type that is parsed, in characters. Node's parser takes time by the square of the length. */
const longest = 256

/** @returns undefined for a malformed media type (RFC 9110, section 8.3.1), or an unusually long one */
export function parseMediaType(text: string): MIMEType | undefined {
  if (text === '' || text.length > longest) return undefined
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

/** Returns a media type by its name in a document. A list, which is not allowed there, means its first type. */
const typeNamed = (name: string) => parseMediaType(name) ?? parseMediaType(name.split(/[,;]/, 1)[0] ?? '')

/** JSON, or a format that is written in it (RFC 6839, section 3.1). */
export function isJson(type: MIMEType | undefined): boolean {
  return type !== undefined && /[/+]json$/.test(type.essence)
}

/** Returns the first media type of JSON, or else the first one. */
export function preferredType(
  content: Readonly<Record<string, MediaType>> = {},
): readonly [name?: string, media?: MediaType] {
  const all = Object.entries(content)
  return all.find(([name]) => isJson(parseMediaType(name))) ?? all[0] ?? []
}

/** The way to read a body of a media type. */
export type BodyKind = 'json' | 'items' | 'form' | 'parts' | 'text' | 'bytes'

function kindOf(type: MIMEType | undefined): BodyKind {
  if (isJson(type)) return 'json'
  if (type?.essence === 'application/x-www-form-urlencoded') return 'form'
  if (type?.essence === 'multipart/form-data') return 'parts'
  return type?.type === 'text' ? 'text' : 'bytes'
}

/** Returns the way to read a body, by the declared and the sent type. A body declared as bytes is always bytes. */
export function bodyKind(
  model: Model,
  [declared, { schema }]: readonly [declared: string, MediaType],
  sent = typeNamed(declared),
): BodyKind {
  const declaredKind = kindOf(typeNamed(declared))
  const isOpen = declaredKind === 'text' || declaredKind === 'bytes'
  if (isOpen && (schema ? bytesIn(model, schema) !== undefined : declaredKind === 'bytes')) return 'bytes'
  return kindOf(sent)
}

/** Returns the media types of the bytes in a schema, any for `binary` and `application/octet-stream`; undefined if it has no bytes. */
export function bytesIn(model: Model, schema: Schema | Reference): string | undefined {
  for (const { format, contentMediaType: held, contentEncoding } of partsOf(model, schema)) {
    if (format === 'binary') return '*/*'
    if (typeof held !== 'string' || contentEncoding !== undefined) continue
    const type = parseMediaType(held)
    // It is the type of bytes of which no more is known (RFC 2046, section 4.5.1).
    if (type?.essence === 'application/octet-stream') return '*/*'
    if (kindOf(type) === 'bytes' && !type?.essence.endsWith('xml')) return held
  }
  return undefined
}

/** Returns the most specific declared type or range that matches the sent type (OpenAPI 3.0.3, 4.7.13.1). */
export function matchMediaType(declared: readonly string[], sent: MIMEType): string | undefined {
  const ranked = declared.map(name => ({ name, rank: rankOf(name, sent) })).filter(({ rank }) => rank > 0)
  return ranked.sort((a, b) => b.rank - a.rank)[0]?.name
}

function rankOf(name: string, sent: MIMEType): number {
  const namedType = typeNamed(name)
  if (!namedType) return 0
  if (namedType.essence === '*/*') return 1
  if (namedType.type !== sent.type) return 0
  if (namedType.subtype === '*') return 2
  // A range of one syntax (RFC 6839): `application/*+json`.
  if (namedType.subtype.startsWith('*+')) return sent.subtype.endsWith(namedType.subtype.slice(1)) ? 3 : 0
  if (namedType.essence !== sent.essence) return 0
  return rankOfParameters(namedType, sent)
}

/**
 * A type with parameters is more specific, if all of them were sent. A body that lacks them is of that type only if nothing
 * else matches, and one with other values is of another type: of another version.
 */
function rankOfParameters(accepted: MIMEType, sent: MIMEType): number {
  // The weight of a range in Accept, and the characters, which decide nothing about a schema, are none of them.
  const parameters = [...accepted.params].filter(([key]) => key !== 'q' && key !== 'charset')
  if (parameters.every(([key, value]) => sent.params.get(key) === value)) return 4 + parameters.length
  const isOther = parameters.some(([key, value]) => (sent.params.get(key) ?? value) !== value)
  return isOther ? 0 : 0.5
}

/** Returns a media type that falls under a declared range, JSON where that may be; any other type is returned as it is. */
export function typeWithin(name: string): string {
  const usual: Readonly<Record<string, string>> = {
    'text/*': 'text/plain',
    'image/*': 'image/png',
    'audio/*': 'audio/mpeg',
    'video/*': 'video/mp4',
  }
  if (!name.includes('*')) return name
  return name.includes('*+') ? name.replace('*', 'vnd.any') : (usual[name] ?? 'application/json')
}

/**
 * Names the charset of a text, which is sent in UTF-8: a browser that may not guess takes another one (RFC 6657, section 3).
 * Events are in UTF-8 anyway.
 */
export const inUtf8 = (mediaType: string): string =>
  /^text\/(?!event-stream)/i.test(mediaType) && !/;\s*charset=/i.test(mediaType)
    ? `${mediaType}; charset=utf-8`
    : mediaType
