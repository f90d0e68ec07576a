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
    const same = coverOf(after, type)
    if (same) yield* compareMedia(type, media, same, context)
    else yield removedType(type, media, [...after.keys()], request)
  }
  for (const [type, media] of after) {
    if (before.has(type)) continue
    const old = coverOf(before, type)
    if (old) yield* compareMedia(type, old, media, context)
    else {
      const replaced = [...before.keys()].find(other => isWithin(other, type) && !after.has(other))
      yield addedType(type, media, request, asked && replaced === undefined)
    }
  }
}

function* compareMedia(
  type: string,
  base: Located<MediaType>,
  next: Located<MediaType>,
  context: Context,
): Generator<Change> {
  yield* compareSchemas(child(base, 'schema'), child(next, 'schema'), context)
  if (writtenBy(base) !== writtenBy(next))
    yield change(
      'breaking',
      'encoding-changed',
      keyIn(next, 'encoding'),
      `the encoding of ${type} changed`,
      'parts are read otherwise than they are written',
    )
}

/** How the parts of a body are written, without its texts; unsaid, as OpenAPI 3.0.3 section 4.7.15 says. */
function writtenBy({ node: { encoding = {} } }: Located<MediaType>): string {
  const parts = Object.entries(encoding).map(([name, part]) => {
    const {
      contentType,
      headers = {},
      style = 'form',
      explode = style === 'form',
      allowReserved = false,
    } = part
    const parts = { contentType, headers: Object.keys(headers).sort(), style, explode, allowReserved }
    return [name, parts]
  })
  const usual = JSON.stringify({ headers: [], style: 'form', explode: true, allowReserved: false })
  return canonical(Object.fromEntries(parts.filter(([, part]) => JSON.stringify(part) !== usual)))
}

/** A range that is gone may have left some of its types. */
function removedType(
  type: string,
  media: Located<object>,
  left: readonly string[],
  request: boolean,
): Change {
  const part = left.find(other => isWithin(other, type))
  if (part !== undefined && !request)
    return gone(
      'info',
      'media-type-narrowed',
      media,
      `${type} is only ${part} now`,
      'clients get along with it',
    )
  const why = request ? 'clients that send it are refused' : 'clients that read it get something else'
  return gone('breaking', 'media-type-removed', media, `${type} is gone`, why)
}

function addedType(type: string, media: Located<object>, request: boolean, asked: boolean): Change {
  const report = (severity: Severity, why: string) =>
    change(severity, 'media-type-added', media, `${type} is new`, why)
  if (request) return report('info', 'clients may send it')
  return asked
    ? report('warning', 'clients that ask for no type may get it')
    : report('breaking', 'clients may get it without having asked for it')
}

/** The media type itself, or the narrowest range or type without parameters that it falls under. */
function coverOf(
  types: ReadonlyMap<string, Located<MediaType>>,
  type: string,
): Located<MediaType> | undefined {
  const name = nameOf(type)
  for (const range of [type, name, `${name.split('/')[0]}/*`, '*/*']) {
    const media = types.get(range)
    if (media) return media
  }
  return undefined
}

/** A type without its parameters, but for the charset: who decodes another gets other texts. */
function nameOf(type: string): string {
  return type
    .split(';')
    .filter((part, index) => index === 0 || part.startsWith('charset='))
    .join(';')
}

function isWithin(type: string, range: string): boolean {
  const name = nameOf(type)
  return range === '*/*' || range === `${name.split('/')[0]}/*` || (range === name && type !== name)
}

function byType(content: Content): Map<string, Located<MediaType>> {
  return new Map(entries(content).map(([type, media]) => [normalised(type), media]))
}

/** Names have no case, parameters no order, and UTF-8 is what JSON is written in anyway (RFC 8259, section 8.1). */
function normalised(type: string): string {
  const [name = '', ...parameters] = type.toLowerCase().replace(/[\s"]/g, '').split(';')
  return [name, ...parameters.filter(one => one !== '' && one !== 'charset=utf-8').sort()].join(';')
}
