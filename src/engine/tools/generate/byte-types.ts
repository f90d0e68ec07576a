import { sequenceFor } from 'spec-served-document/formats/sequences'
import { type Model, modelOf, partsOf } from 'spec-served-document/model'
import type { MediaType, OpenApi, Reference, Schema } from 'spec-served-document/types'
import { bodyKind, bytesIn, parseMediaType } from 'spec-served-document/values/media-types'
import { shapeOf } from 'spec-served-document/values/values'

type Node = Schema | Reference

/** The user of the types: the handlers of a service, or its clients. */
export type Side = 'handlers' | 'clients'

/** A body, or a part of one, that is no JSON value. A schema describes a document and does not read it. */
type Matter =
  | 'sent bytes'
  | 'sent document'
  | 'sent text'
  | 'sent part'
  | 'answered bytes'
  | 'answered document'
  | 'answered text'

const written = 'string | Uint8Array | import("node:stream").Readable'

/** The types that the engine hands to handlers and takes from them, and those that `fetch` sends and reads. */
export const matterTypes: Record<Side, Record<Matter, string>> = {
  handlers: {
    'sent bytes': 'Buffer',
    'sent document': 'Buffer',
    'sent text': 'string',
    'sent part': '{ data: Buffer; filename: string | undefined; type: string }',
    'answered bytes': 'Uint8Array | import("node:stream").Readable',
    'answered document': written,
    'answered text': written,
  },
  clients: {
    'sent bytes': 'Blob | ArrayBuffer | Uint8Array',
    'sent document': 'string | Blob | ArrayBuffer | Uint8Array',
    'sent text': 'string',
    'sent part': 'Blob',
    'answered bytes': 'Blob',
    'answered document': 'Blob',
    'answered text': 'string',
  },
}

/** Stands for a type in the place of a schema. */
const standFor = (matter: Matter): Schema => ({ type: 'string', 'x-matter': matter })

/** The type that a schema stands for by `markBytes`. */
export function matterOf(schema: object): Matter | undefined {
  return 'x-matter' in schema ? (schema['x-matter'] as Matter) : undefined // as it was put there
}

/** Gives bodies and replies that are no JSON values the types of bytes and texts in place of their schemas. */
export function markBytes(document: OpenApi): void {
  const model = modelOf(document)
  for (const { body, responses } of model.operations) {
    for (const [name, media] of Object.entries(body?.content ?? {})) markSent(model, name, media)
    for (const { content = {} } of responses.values())
      for (const [name, media] of Object.entries(content)) {
        const matter = answeredAs(model, name, media)
        if (matter) media.schema = standFor(matter)
      }
  }
}

/** Whether a range holds JSON too, for which its schema is. */
const isAny = (name: string, { schema }: MediaType) => schema !== undefined && name.includes('*')

function isText(model: Model, { schema }: MediaType): boolean {
  return schema !== undefined && shapeOf(model, schema).kinds.includes('scalar')
}

function markSent(model: Model, name: string, media: MediaType): void {
  if (sequenceFor(model, name, media)) return
  const kind = bodyKind(model, [name, media])
  const isBytes = media.schema === undefined || bytesIn(model, media.schema) !== undefined
  if (kind === 'parts' && media.schema) media.schema = withParts(model, media.schema)
  else if (kind === 'text' && !isText(model, media)) media.schema = standFor('sent text')
  else if (kind === 'bytes' && isBytes) media.schema = standFor('sent bytes')
  else if (kind === 'bytes' && !isAny(name, media)) media.schema = standFor('sent document')
}

function answeredAs(model: Model, name: string, media: MediaType): Matter | undefined {
  if (sequenceFor(model, name, media)) return undefined
  const kind = bodyKind(model, [name, media])
  const isStream = parseMediaType(name)?.essence === 'text/event-stream'
  if (kind === 'text')
    return isStream || (media.schema && !isText(model, media)) ? 'answered text' : undefined
  if (kind !== 'bytes') return undefined
  if (media.schema && bytesIn(model, media.schema) !== undefined) return 'answered bytes'
  const isJsonToo = /^(\*|application)\/\*$/.test(name) || isAny(name, media)
  if (isJsonToo) return undefined
  return media.schema ? 'answered document' : 'answered bytes'
}

/** Returns the schema of a form of parts, itself without parts of bytes. JSON may use the same schema elsewhere. */
function withParts(model: Model, node: Node): Node {
  const part = (partSchema: Node): Node => {
    if (bytesIn(model, partSchema) !== undefined) return standFor('sent part')
    const { items } = partsOf(model, partSchema).find(candidate => candidate.items) ?? {}
    return items && bytesIn(model, items) !== undefined
      ? { type: 'array', items: standFor('sent part') }
      : partSchema
  }
  const schema = model.resolve<Schema>(node)
  const { properties = {}, additionalProperties: others } = schema
  const made: Schema = {
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, part(property)]),
      ),
    }),
    ...(typeof others === 'object' && { additionalProperties: part(others) }),
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
    if (schema[keyword]) made[keyword] = schema[keyword].map(item => withParts(model, item))
  return JSON.stringify(made) === JSON.stringify(schema) ? node : made
}
