import type { MIMEType } from 'node:util'
import type { MediaType } from '../../document/types.ts'
import { badTexts, type Fault, invalidRequest, malformed } from './faults.ts'
import { type Field, FieldsDecoder } from './fields.ts'
import { isJson, parseMediaType } from './media-types.ts'
import { formOf, splitParts, textOf } from './multipart.ts'
import type { Schemas } from './schemas.ts'
import { JsonError, parseStrictJson } from './strict-json.ts'
import { fromText, pairsOf, shapeOf } from './values.ts'

/** A body that an operation takes. */
export interface AcceptedBody {
  /** its media type as it stands in the document */
  declared: string
  sent: MIMEType
  media: MediaType
}

/** How many fields a form may hold, as each costs time and memory. */
const fieldsLimit = 10_000

/** How the body of a media type is parsed. */
function kindOf(sent: MIMEType): 'json' | 'form' | 'parts' | 'text' | 'bytes' {
  if (isJson(sent)) return 'json'
  if (sent.essence === 'application/x-www-form-urlencoded') return 'form'
  if (sent.essence === 'multipart/form-data') return 'parts'
  return sent.type === 'text' ? 'text' : 'bytes'
}

/** Whether a schema says something of the parsed body: bytes, and texts of another language, are taken as they are. */
export function isValidated({ model }: Schemas, { sent, media }: Omit<AcceptedBody, 'declared'>): boolean {
  const kind = kindOf(sent)
  if (!media.schema || kind === 'bytes') return false
  return kind !== 'text' || shapeOf(model, media.schema).kinds.includes('scalar')
}

/**
 * Parses a body; values of forms are decoded by the schemas of their fields (OpenAPI 3.0.3, 4.7.14).
 * @throws ApiError for what is not of its media type
 */
export async function parseBody(schemas: Schemas, body: AcceptedBody, bytes: Buffer): Promise<unknown> {
  const { media, sent } = body
  const kind = kindOf(sent)
  if (kind === 'bytes') return bytes
  if (kind === 'parts') {
    return whole(formOf(schemas, media, await splitParts(bytes, String(sent))))
  }
  const text = textOf(bytes, kind === 'text' ? (sent.params.get('charset') ?? 'utf-8') : 'utf-8')
  if (text === undefined)
    throw malformed(kind === 'text' ? 'is not written in its character set' : 'is not UTF-8')
  if (kind === 'json') return parseJson(schemas, media, text)
  if (kind === 'form') return parseForm(schemas, media, text)
  if (!isValidated(schemas, body)) return text
  return whole({ values: fromText(schemas, media.schema ?? {}, text), faults: badTexts(text, '') })
}

/** @throws ApiError where something of a body could not be read */
function whole<Values>({ values, faults }: { values: Values; faults: readonly Fault[] }): Values {
  if (faults.length > 0) throw invalidRequest('The body is', faults)
  return values
}

function parseJson(schemas: Schemas, { schema = {} }: MediaType, text: string): unknown {
  if (text.trim() === '') throw malformed('is empty; send a JSON value')
  try {
    const value = parseStrictJson(text)
    // Fastify validates no body as if it were null.
    const faults = value === null ? schemas.check(schema, null) : []
    if (faults.length > 0) throw new JsonError(faults)
    return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw error.isSyntax ? malformed(error.message) : invalidRequest('The body is', error.faults)
  }
}

/** Reads a form's fields, each by the style of its property (OpenAPI 3.0.3, 4.7.14.3 and 4.7.15). */
function parseForm(schemas: Schemas, { schema = {}, encoding = {} }: MediaType, text: string): unknown {
  const pairs = pairsOf(text)
  if (!pairs) throw malformed('holds a broken percent-encoding')
  if (pairs.length > fieldsLimit) throw malformed(`holds more than ${fieldsLimit} fields`)
  const { properties, others = {} } = shapeOf(schemas.model, schema)
  const fields = [...properties].map(([name, property]): Field => {
    const { style, explode, contentType = '' } = (Object.hasOwn(encoding, name) && encoding[name]) || {}
    const type = parseMediaType(contentType)
    return {
      name,
      schema: property,
      style: style ?? 'form',
      explode: explode ?? (style ?? 'form') === 'form',
      content: type && isJson(type) ? 'json' : undefined,
      orJson: style === undefined,
    }
  })
  return whole(new FieldsDecoder({ schemas, source: 'query', fields, others }).decode(pairs))
}
