import { Busboy } from '@fastify/busboy'
import { partsOf } from '../../document/model.ts'
import type { MediaType } from '../../document/types.ts'
import { within } from './faults.ts'
import { badTexts, type Found, fault, found, noValues, readJson, type Values } from './fields.ts'
import { isJson, matchMediaType, parseMediaType } from './media-types.ts'
import { Bytes } from './schemas.ts'
import type { ParseJson } from './strict-json.ts'
import type { Node, Texts } from './texts.ts'

/** What a body of several parts may consist of, beside what all bodies may. */
export interface PartLimits {
  parts: number
  /** longest name of a part, in characters */
  name: number
  /** all header fields of a part, in bytes */
  headers: number
}

export const usualPartLimits: PartLimits = { parts: 1_000, name: 200, headers: 8_192 }

/** A part of a form. */
export interface Part {
  name: string
  filename: string | undefined
  /** media type, in lower case; text/plain where the part has none (RFC 7578, section 4.4) */
  type: string
  data: Buffer
}

/**
 * Takes a form apart (RFC 7578).
 * @param contentType of the body, with its boundary
 * @returns a sentence without its subject where it is none that is taken
 */
export function splitParts(body: Buffer, contentType: string, limits: PartLimits): Promise<Part[] | string> {
  return new Promise(resolve => {
    const parts: { name: string; filename: string | undefined; type: string; chunks: Buffer[] }[] = []
    const finish = () =>
      resolve(parts.map(({ chunks, ...part }) => ({ ...part, data: Buffer.concat(chunks) })))
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        isPartAFile: () => true, // each part as bytes: what they mean is for the schema to say
        limits: { parts: limits.parts, headerSize: limits.headers, headerPairs: 20 },
      })
      parser.on('file', (name: string | undefined, stream, filename: string | undefined, _, type) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
        if (name === undefined) resolve('has a part without a name')
        else if (name.length > limits.name)
          resolve(`has a part whose name is longer than ${limits.name} characters`)
        else parts.push({ name, filename, type, chunks })
      })
      parser.on('partsLimit', () => resolve(`has more than ${limits.parts} parts`))
      parser.on('error', () =>
        resolve('is no multipart/form-data: it breaks off, or its boundaries do not match'),
      )
      parser.on('finish', finish)
      parser.end(body)
    } catch {
      resolve('is no multipart/form-data: its Content-Type names no boundary')
    }
  })
}

/** The value that the parts of a form make: each property by its schema and encoding (OpenAPI 3.0.3, 4.7.14.4). */
export function formOf(texts: Texts, media: MediaType, parts: readonly Part[], parseJson: ParseJson): Values {
  const { properties, others = {} } = texts.shapeOf(media.schema ?? {})
  const into = noValues()
  const byName = Map.groupBy(parts, ({ name }) => name)
  for (const [name, sent] of byName) {
    const schema = properties.get(name) ?? others
    const declared = media.encoding && Object.hasOwn(media.encoding, name) ? media.encoding[name] : undefined
    const value = read(name, sent, schema, declared?.contentType)
    into.faults.push(...value.faults)
    into.values[name] = value.value
  }
  return into

  function read(name: string, sent: readonly Part[], schema: Node, type: string | undefined): Found {
    const where = within('', name)
    const [first, second] = sent
    if (!first) return found(undefined, where)
    const { types, items } = texts.shapeOf(schema)
    const isList = types.has('array') && (second !== undefined || !isJsonType(first.type))
    const isUnknown = !properties.has(name) && second !== undefined
    if (!isList && !isUnknown)
      return second ? fault(where, 'is given more than once') : one(first, schema, where, type)
    const list = sent.map((part, i) => one(part, isList ? items : schema, `${where}/${i}`, type))
    return {
      value: list.map(({ value }) => value),
      faults: list.flatMap(({ faults }) => faults),
      path: where,
    }
  }

  function one(part: Part, schema: Node, where: string, type: string | undefined): Found {
    const sent = parseMediaType(part.type)
    // Many clients leave the media type of a text out.
    const isPlain = part.type === 'text/plain' && part.filename === undefined
    const isDeclared = type === undefined || (sent && matchMediaType(type.split(','), sent) !== undefined)
    if (!isPlain && !isDeclared) return fault(where, `must be sent as ${type}`)
    const kinds = texts.shapeOf(schema).kinds
    const isUntyped = texts.shapeOf(schema).types.size === 0
    if (isBinary(schema) || (isUntyped && part.filename !== undefined))
      return found(new Bytes(part.data, part.type, part.filename), where)
    const text = utf8(part.data)
    if (text === undefined) return fault(where, 'is not UTF-8')
    if (isJsonType(isPlain && type !== undefined ? type : part.type) || !kinds.includes('scalar'))
      return readJson(parseJson, text, where)
    return { value: texts.valueOf(schema, text), faults: badTexts(text, where), path: where }
  }

  function isBinary(schema: Node): boolean {
    return partsOf(texts.schemas.model, schema).some(({ format }) => format === 'binary')
  }
}

function isJsonType(type: string): boolean {
  const parsed = parseMediaType(type)
  return parsed !== undefined && isJson(parsed)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @returns undefined for bytes that are no UTF-8 */
export function utf8(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
