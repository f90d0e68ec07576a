import type { Encoding, MediaType } from 'spec-served-document/types'
import { type Change, compareParts, found, inPart, lost } from '../change.ts'
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
  const inside = { ...context, isXml: /[/+]xml(;|$)/.test(type) }
  yield* compareSchemas(child(base, 'schema'), child(next, 'schema'), inside)
  yield* inPart('item', compareSchemas(child(base, 'itemSchema'), child(next, 'itemSchema'), inside))
  if (writtenBy(base) !== writtenBy(next))
    yield found('encoding-changed', keyIn(next, 'encoding'), `the encoding of ${type} changed`)
}

/** How the items of a list are written, the first ones and the others (from OpenAPI 3.2 on). */
interface ItemEncodings {
  prefixEncoding?: Encoding[]
  itemEncoding?: Encoding
}

/** How the parts of a body are written, without its texts; unsaid, as OpenAPI 3.0.3 section 4.7.15 says. */
function writtenBy({ node }: Located<MediaType & ItemEncodings>): string {
  const { encoding = {}, prefixEncoding = [], itemEncoding = {} } = node
  const usual = canonical(formOf({}))
  const parts = [...Object.entries(encoding), ...prefixEncoding.entries(), ['[]', itemEncoding] as const]
    .map(([name, part]) => [name, canonical(formOf(part))] as const)
    .filter(([, form]) => form !== usual)
  return canonical(Object.fromEntries(parts))
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
  const cover = [type, ...rangesOf(type)].find(range => types.has(range))
  return cover === undefined ? undefined : types.get(cover)
}

/** A type without its parameters, but for the charset, as who decodes another gets other texts; and wider ranges. */
function rangesOf(type: string): string[] {
  const [essence = '', ...parameters] = type.split(';')
  const name = [essence, ...parameters.filter(part => part.startsWith('charset='))].join(';')
  return [name, `${essence.split('/')[0]}/*`, '*/*']
}

function isWithin(type: string, range: string): boolean {
  return type !== range && rangesOf(type).includes(range)
}

function byType(content: Content): Map<string, Located<MediaType>> {
  return new Map(entries(content).map(([type, media]) => [normalised(type), media]))
}

/** Names have no case, parameters no order, and UTF-8 is what JSON is written in anyway (RFC 8259, section 8.1). */
function normalised(type: string): string {
  const [name = '', ...parameters] = type.toLowerCase().replace(/[\s"]/g, '').split(';')
  return [
    name,
    ...parameters.filter(parameter => parameter !== '' && parameter !== 'charset=utf-8').sort(),
  ].join(';')
}
