import type { MediaType } from '../../../src/document/types.ts'
import { type Change, found, lost } from '../change.ts'
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
  const { reader } = context
  const [before, after] = [byType(base), byType(next)]
  for (const [type, media] of before) {
    const same = coverOf(after, type)
    if (same) yield* compareMedia(type, media, same, context)
    else {
      const part = reader === 'request' ? undefined : [...after.keys()].find(other => isWithin(other, type))
      yield part === undefined
        ? lost('media-type-removed', media, `${type} is gone`, { reader })
        : lost('media-type-narrowed', media, `${type} is only ${part} now`)
    }
  }
  for (const [type, media] of after) {
    if (before.has(type)) continue
    const old = coverOf(before, type)
    if (old) yield* compareMedia(type, old, media, context)
    else {
      const replaced = [...before.keys()].find(other => isWithin(other, type) && !after.has(other))
      const added = found('media-type-added', media, `${type} is new`, { reader })
      yield asked && !replaced && reader !== 'request'
        ? { ...added, severity: 'warning', why: 'clients that ask for no type may get it' }
        : added
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
    yield found('encoding-changed', keyIn(next, 'encoding'), `the encoding of ${type} changed`)
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
