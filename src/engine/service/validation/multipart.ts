import { Busboy } from '@fastify/busboy'
import { type Decoded, itemsOf, nothingDecoded } from 'spec-served-document/formats/fields'
import { isObject } from 'spec-served-document/pointer'
import type { MediaType } from 'spec-served-document/types'
import { attempt, badText, Unreadable, within } from 'spec-served-document/values/faults'
import { bytesIn, isJson, matchMediaType, parseMediaType } from 'spec-served-document/values/media-types'
import { Bytes, type Schemas } from 'spec-served-document/values/schemas'
import { parseStrictJson } from 'spec-served-document/values/strict-json'
import { fromText, type Node, shapeOf } from 'spec-served-document/values/values'
import { malformed } from '../errors/invalid-request.ts'

const partsLimit = 1_000
/** Longest name of a part, in characters. */
const nameLimit = 200

interface Part {
  name: string
  filename: string | undefined
  /** media type, in lower case; text/plain where the part has none (RFC 7578, section 4.4) */
  type: string
  chunks: Buffer[]
}

/** Splits a form into its parts (RFC 7578). @param contentType of the body, with its boundary @throws ApiError */
export function splitParts(body: Buffer, contentType: string): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Part[]>()
  const refuse = (message: string) => reject(malformed(message))
  const parts: Part[] = []
  try {
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true, // each part as bytes: the schema defines their meaning
      limits: { parts: partsLimit, headerSize: 8_192, headerPairs: 20 },
    })
    parser.on('file', (name: string | undefined, stream, filename: string | undefined, _, type) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
      if (name === undefined) refuse('has a part without a name')
      else if (name.length > nameLimit) refuse(`has a part whose name is longer than ${nameLimit} characters`)
      else parts.push({ name, filename, type, chunks })
    })
    const broken = 'is no multipart/form-data: it breaks off, or its boundaries do not match'
    parser.on('partsLimit', () => refuse(`has more than ${partsLimit} parts`))
    parser.on('error', () => refuse(broken))
    parser.on('finish', () => resolve(parts))
    parser.end(body)
  } catch {
    refuse('is no multipart/form-data: its Content-Type names no boundary')
  }
  return promise
}

/** Returns the values in a form's parts, each by its property's schema and encoding (OpenAPI 3.0.3, 4.7.14.4). */
export function formOf(schemas: Schemas, media: MediaType, parts: readonly Part[]): Decoded {
  const { schema = {}, encoding = {} } = media
  const { properties, others = {} } = shapeOf(schemas.model, schema)
  const { values, faults, spread } = nothingDecoded()
  for (const [name, sent] of Map.groupBy(parts, part => part.name)) {
    const property = properties.get(name) ?? others
    const { contentType } = (Object.hasOwn(encoding, name) && encoding[name]) || {}
    const read = (part: Part, of: Node, place: string) =>
      attempt(() => valueOfPart(schemas, part, of, contentType), place, faults)
    const where = within('', name)
    const [first, second] = sent
    const { types, items } = shapeOf(schemas.model, property)
    const isList =
      types.has('array') && (second !== undefined || (first && !isJson(parseMediaType(first.type))))
    if (isList || (second && !properties.has(name))) {
      const each = sent.map((part, i) => read(part, isList ? items : property, `${where}/${i}`))
      values[name] = isList ? itemsOf(each, shapeOf(schemas.model, items).kinds) : each
    } else if (second) faults.push({ path: where, message: 'is given more than once' })
    else if (first) {
      const value = read(first, property, where)
      // A part with JSON is the only item of a list.
      values[name] = types.size === 1 && types.has('array') && isObject(value) ? [value] : value
    }
  }
  return { values, faults, spread }
}

/** @param declared the property's media types in the document @throws Unreadable */
function valueOfPart(schemas: Schemas, part: Part, schema: Node, declared: string | undefined): unknown {
  const { type, filename, chunks } = part
  const sent = parseMediaType(type)
  const data = Buffer.concat(chunks)
  const { kinds, types } = shapeOf(schemas.model, schema)
  const bytes = bytesIn(schemas.model, schema)
  // Many clients omit the media type of a text.
  const isPlain = type === 'text/plain' && filename === undefined && bytes === undefined
  const usual = kinds.includes('scalar') ? 'text/*, application/json' : 'application/json, text/plain'
  const allowed = declared ?? bytes ?? (types.size === 0 ? '*/*' : usual)
  const isAllowed = isPlain || (sent && matchMediaType(allowed.split(','), sent) !== undefined)
  if (!isAllowed) throw new Unreadable({ path: '', message: `must be sent as ${allowed}` })
  if (bytes !== undefined || (types.size === 0 && filename !== undefined))
    return new Bytes(data, type, filename)
  const text = textOf(data)
  if (text === undefined) throw new Unreadable({ path: '', message: 'is not UTF-8' })
  const written = parseMediaType(isPlain && declared !== undefined ? declared : type)
  if (isJson(written) || !kinds.includes('scalar'))
    return parseStrictJson(text, undefined, schemas.hasBigints(schema))
  const bad = badText(text)
  if (bad) throw new Unreadable({ path: '', message: bad })
  return fromText(schemas, schema, text)
}

/** @returns undefined for bytes that are invalid in the charset */
export function textOf(bytes: Buffer, charset?: string | null): string | undefined {
  try {
    return new TextDecoder(charset ?? 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
