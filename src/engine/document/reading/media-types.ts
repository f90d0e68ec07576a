import { sequenceOf } from '../formats/sequences.ts'
import { follow } from '../model.ts'
import type { MediaType, Schema } from '../types.ts'
import { isJson, parseMediaType } from '../values/media-types.ts'
import { type Draft, isFrom32 } from './draft.ts'
import { walk } from './walk.ts'

/** Gives what 3.2 says of media types and their examples the form that all versions have. */
export function completeMedia(draft: Draft): void {
  const visited = [...walk(draft.document)].filter(({ isReference }) => !isReference)
  for (const { kind, node, path } of visited)
    if (kind === 'mediaType') {
      completeItems(draft, node, path.at(-1) ?? '')
      completeExamples(draft, node, path.at(-1) ?? '')
    }
  // Those of parameters, and those that are components, besides.
  for (const { kind, node } of visited)
    if (kind === 'example') {
      Object.assign(node, valueIn(node))
      for (const name of ['dataValue', 'serializedValue']) Reflect.deleteProperty(node, name)
    }
}

/** A sequence is a list of its items (OpenAPI 3.2.0, 4.14.4.1): `itemSchema` says of each what `items` would. */
function completeItems({ document, note }: Draft, media: MediaType & object, name: string): void {
  const { itemSchema, schema } = media
  for (const field of ['prefixEncoding', 'itemEncoding'])
    if (field in media)
      note(media, [field], 'Parts differ by their names alone: handlers get and give all of it as bytes.')
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

/** Gives the examples of a media type their values. A component that several types show may have one for each. */
function completeExamples({ document }: Draft, { examples = {} }: MediaType & object, name: string): void {
  const type = parseMediaType(name)
  const isData =
    type && (isJson(type) || sequenceOf(name) !== undefined || /^(multipart\/|.*form-)/.test(type.essence))
  for (const [key, declared] of Object.entries(examples)) {
    const example = follow<object>(document, declared)
    if (!example || (!('dataValue' in example) && !('serializedValue' in example))) continue
    const value = valueIn(example, isData ? 'data' : 'text')
    if (example === declared) Object.assign(example, value)
    else {
      const { dataValue: _, serializedValue: __, ...others }: Record<string, unknown> = { ...example }
      examples[key] = { ...others, ...value }
    }
  }
}

/**
 * Returns the value of an example: its data, or how it is written (OpenAPI 3.2.0, 4.19).
 * @param kind the one that a media type sends
 */
function valueIn(example: object, kind?: 'data' | 'text'): { value?: unknown } {
  const { value, dataValue, serializedValue }: Record<string, unknown> = { ...example }
  if (value !== undefined) return {}
  const data = dataValue ?? (kind === 'data' ? parsed(serializedValue) : undefined)
  const chosen = kind === 'text' ? (serializedValue ?? data) : (data ?? serializedValue)
  return chosen === undefined ? {} : { value: chosen }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
