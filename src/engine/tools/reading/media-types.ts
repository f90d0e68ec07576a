import { follow } from '../../document/model.ts'
import type { MediaType, Schema } from '../../document/types.ts'
import { sequenceOf } from '../../service/formats/sequences.ts'
import { isJson, parseMediaType } from '../../service/values/media-types.ts'
import { type Draft, isFrom32 } from './draft.ts'
import { walk } from './walk.ts'

/** Gives what 3.2 says of media types and their examples the form that all versions have. */
export function completeMedia(draft: Draft): void {
  for (const { kind, node, path, isReference } of walk(draft.document)) {
    if (isReference) continue
    if (kind === 'mediaType') completeItems(draft, node, path.at(-1) ?? '')
    if (kind === 'example') completeExample(node, path.at(-3) ?? '')
  }
}

/** A sequence is a list of its items (OpenAPI 3.2.0, 4.14.4.1): `itemSchema` says of each what `items` would. */
function completeItems({ document, note }: Draft, media: MediaType & object, name: string): void {
  const { itemSchema, schema } = media
  for (const field of ['prefixEncoding', 'itemEncoding'])
    if (field in media)
      note(
        media,
        [field],
        'Parts are told apart by their names alone: handlers get and give all of it as bytes.',
      )
  const { type = 'array' } = follow(document, schema ?? {}) ?? {}
  if (isFrom32(document) && sequenceOf(name) && !itemSchema && ![type].flat().includes('array'))
    note(
      media,
      ['schema'],
      `The schema of ${name} is of the list of its items: say with itemSchema what each is.`,
    )
  if (!itemSchema) return
  if (!sequenceOf(name)) {
    const message = `The items of ${name} are not read one by one: handlers get and give all of it as bytes. Use application/jsonl, application/json-seq or text/event-stream for items that are held against their schema.`
    note(media, ['itemSchema'], message)
    return
  }
  const items: Schema = { type: 'array', items: itemSchema }
  media.schema = schema ? { allOf: [schema, items] } : items
}

/** An example's value stands in `value`: its data, else how it is written. */
function completeExample(example: object, mediaType: string): void {
  const { dataValue, serializedValue, ...others }: Record<string, unknown> = { ...example }
  const isKnown = 'value' in others || (dataValue === undefined && serializedValue === undefined)
  if (isKnown) return
  const type = parseMediaType(mediaType)
  const value = dataValue ?? (type && isJson(type) ? parsed(serializedValue) : serializedValue)
  for (const name of ['dataValue', 'serializedValue']) Reflect.deleteProperty(example, name)
  Object.assign(example, { value })
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
