import type { Encoding, MediaType } from '../../../src/document/types.ts'
import { type Change, compareParts, found, lost } from '../change.ts'
import { canonical, child, entries, keyIn, type Located } from '../located.ts'
import { compareSchemas } from '../schemas/compare.ts'
import type { Context } from '../schemas/difference.ts'

type Content = Located<Record<string, MediaType>> | undefined

/**
 * Judges what changes in the media types of a body, and in each.
 * @param asked whether who reads it asks for a type (`Accept`)
 */
export function compareContent(
  base: Content,
  next: Content,
  context: Context,
  asked = false,
): Generator<Change> {
  const { reader } = context
  const [before, after] = [byType(base), byType(next)]
  return compareParts(before, after, {
    find: coverOf,
    both: (old, now, type) => compareMedia(type, old, now, context),
    gone: (media, type) => {
      const part = [...after.keys()].find(other => isWithin(other, type))
      return [
        part === undefined || reader === 'request'
          ? lost('media-type-removed', media, `${type} is gone`, { reader })
          : lost('media-type-narrowed', media, `${type} is only ${part} now`),
      ]
    },
    fresh: (media, type) => {
      const isWider = [...before.keys()].some(other => isWithin(other, type) && !after.has(other))
      const rule = asked && !isWider ? 'media-type-added/asked' : 'media-type-added'
      return [found(rule, media, `${type} is new`, { reader })]
    },
  })
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
  const usual = canonical(formOf({}))
  return canonical(
    Object.entries(encoding)
      .map(([name, part]) => [name, formOf(part)] as const)
      .filter(([, form]) => canonical(form) !== usual)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function formOf({ contentType, headers = {}, style = 'form', explode, allowReserved = false }: Encoding) {
  return {
    contentType,
    headers: Object.keys(headers).sort(),
    style,
    explode: explode ?? style === 'form',
    allowReserved,
  }
}

/** The media type itself, or the narrowest range or type without parameters that it falls under. */
function coverOf<T>(types: ReadonlyMap<string, T>, type: string): T | undefined {
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
