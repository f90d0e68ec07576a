import type { MediaType } from '../../../src/document/types.ts'
import { type Change, change, gone, type Severity } from '../change.ts'
import { canonical, child, entries, keyIn, type Located } from '../located.ts'
import { compareSchemas } from '../schemas/compare.ts'
import type { Context } from '../schemas/difference.ts'

type Content = Located<Record<string, MediaType>> | undefined

/**
 * Judges what changes in the media types of a body, and in each.
 * @param asked whether who reads it asks for a type (`Accept`)
 */
export function* compareContent(
  base: Content,
  next: Content,
  context: Context,
  asked = false,
): Generator<Change> {
  const request = context.reader === 'request'
  const [before, after] = [byType(base), byType(next)]
  for (const [type, media] of before) {
    const same = after.get(type)
    if (!same) {
      const why = request ? 'clients that send it are refused' : 'clients that read it get something else'
      yield gone('breaking', 'media-type-removed', media, `${type} is gone`, why)
      continue
    }
    yield* compareSchemas(child(media, 'schema'), child(same, 'schema'), context)
    if (canonical(media.node.encoding ?? {}) !== canonical(same.node.encoding ?? {}))
      yield change(
        'breaking',
        'encoding-changed',
        keyIn(same, 'encoding'),
        `the encoding of ${type} changed`,
        'parts are read otherwise than they are written',
      )
  }
  for (const [type, media] of after) if (!before.has(type)) yield addedType(type, media, request, asked)
}

function addedType(type: string, media: Located<object>, request: boolean, asked: boolean): Change {
  const report = (severity: Severity, why: string) =>
    change(severity, 'media-type-added', media, `${type} is new`, why)
  if (request) return report('info', 'clients may send it')
  return asked
    ? report('warning', 'clients that ask for no type may get it')
    : report('breaking', 'clients get it without having asked for it')
}

function byType(content: Content) {
  return new Map(entries(content).map(([type, media]) => [type.toLowerCase().replaceAll(' ', ''), media]))
}
