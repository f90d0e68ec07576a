import { MIMEType } from 'node:util'
import { type Model, partsOf } from '../../document/model.ts'
import type { MediaType, Reference, Schema } from '../../document/types.ts'

/** Longest media type that is read, in characters: Node's parser takes a time that grows with the square of its length. */
const longest = 256

/** @returns undefined for what is no media type (RFC 9110, section 8.3.1), or a longer one than anybody sends */
export function parseMediaType(text: string): MIMEType | undefined {
  if (text.length > longest) return undefined
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

/** A media type as a document names it; of a list of them, which is none, that which is meant: the first. */
const typeNamed = (name: string) => parseMediaType(name) ?? parseMediaType(name.split(/[,;]/, 1)[0] ?? '')

/** JSON, or a format that is written in it (RFC 6839, section 3.1). */
export function isJson(type: MIMEType | undefined): boolean {
  return type !== undefined && /[/+]json$/.test(type.essence)
}

/** How a body of a media type is read. */
export type BodyKind = 'json' | 'items' | 'form' | 'parts' | 'text' | 'bytes'

function kindOf(type: MIMEType | undefined): BodyKind {
  if (isJson(type)) return 'json'
  if (type?.essence === 'application/x-www-form-urlencoded') return 'form'
  if (type?.essence === 'multipart/form-data') return 'parts'
  return type?.type === 'text' ? 'text' : 'bytes'
}

/** How a body is read, by the media type declared and the one sent: what is described as bytes is, whatever is sent. */
export function bodyKind(
  model: Model,
  [declared, { schema }]: readonly [declared: string, MediaType],
  sent = typeNamed(declared),
): BodyKind {
  const own = kindOf(typeNamed(declared))
  const isOpen = own === 'text' || own === 'bytes'
  if (isOpen && (schema ? bytesIn(model, schema) !== undefined : own === 'bytes')) return 'bytes'
  return kindOf(sent)
}

/** The media types of the bytes that a schema stands for, any for the format `binary`; undefined for no bytes. */
export function bytesIn(model: Model, schema: Schema | Reference): string | undefined {
  for (const { format, contentMediaType: held, contentEncoding } of partsOf(model, schema)) {
    if (format === 'binary') return '*/*'
    if (typeof held !== 'string' || contentEncoding !== undefined) continue
    const type = parseMediaType(held)
    if (kindOf(type) === 'bytes' && !type?.essence.endsWith('xml')) return held
  }
  return undefined
}

/** The declared media type or range that one sent falls under: the most specific (OpenAPI 3.0.3, 4.7.13.1). */
export function matchMediaType(declared: readonly string[], sent: MIMEType): string | undefined {
  const ranked = declared.map(name => ({ name, rank: rankOf(name, sent) })).filter(({ rank }) => rank > 0)
  return ranked.sort((a, b) => b.rank - a.rank)[0]?.name
}

function rankOf(name: string, sent: MIMEType): number {
  const own = typeNamed(name)
  if (!own) return 0
  if (own.essence === '*/*') return 1
  if (own.subtype === '*') return own.type === sent.type ? 2 : 0
  if (own.essence !== sent.essence) return 0
  // Of two that differ in parameters only, such as a version, the one that has those sent is meant.
  const parameters = [...own.params]
  return parameters.length > 0 && parameters.every(([key, value]) => sent.params.get(key) === value) ? 4 : 3
}
