import type { Model } from '../model.ts'
import { isObject } from '../pointer.ts'
import type { MediaType } from '../types.ts'
import { bodyKind, bytesIn } from '../values/media-types.ts'
import { shapeOf } from '../values/values.ts'
import { sequenceOf } from './sequences.ts'

/** Returns the files in a body: the whole, or parts of a form. */
export function filesIn(model: Model, bodyType: string, media: MediaType) {
  const kind = bodyKind(model, [bodyType, media])
  const isText = /[/+](xml|yaml)\b/.test(bodyType) || sequenceOf(bodyType)
  if (kind === 'bytes' && !isText) return [{ name: '', schema: media.schema ?? {}, type: bodyType }]
  const parts = kind === 'parts' ? [...shapeOf(model, media.schema ?? {}).properties] : []
  return parts.flatMap(([name, part]) =>
    [part, shapeOf(model, part).items].flatMap(schema => {
      const found = schema && bytesIn(model, schema)
      const type = media.encoding?.[name]?.contentType ?? found
      return schema && found ? [{ name, schema, type: type?.includes('*') ? undefined : type }] : []
    }),
  )
}

/** Returns a body with its files as bytes. A whole body keeps its type. */
export function decoded(body: unknown, files: ReadonlySet<string>, name = ''): unknown {
  if (files.has(name)) {
    if (Array.isArray(body)) return body.map(item => decoded(item, files, name))
    return typeof body === 'string' ? new File([Buffer.from(body, 'base64')], name || 'body') : body
  }
  if (name !== '' || files.size === 0 || !isObject(body)) return body
  return Object.fromEntries(Object.entries(body).map(([part, value]) => [part, decoded(value, files, part)]))
}

/** Whether a value is no text, or one in base64 (RFC 4648, section 4). */
export const isBase64 = (text: unknown) =>
  typeof text !== 'string' || (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text))
