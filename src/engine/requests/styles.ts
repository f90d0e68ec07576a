import type { Kind } from './texts.ts'

/** The part of a request that a text was taken from: it says how characters are escaped in it. */
export type Source = 'path' | 'query' | 'header' | 'cookie'

/** How a value is written as one text (OpenAPI 3.0.3, 4.7.12.2.4 and 4.7.12.3). */
export interface Style {
  name: string
  style: string
  explode: boolean
}

/** Texts, still escaped. */
export type Pieces = string | readonly string[] | readonly (readonly [name: string, text: string])[]

/**
 * Takes a text apart as its style tells, before anything in it is decoded: an escaped delimiter is none
 * (RFC 6570, sections 3.2.2 to 3.2.8).
 * @returns undefined for a text that is not written so
 */
export function split(text: string, kind: Kind, style: Style): Pieces | undefined {
  const written = withoutPrefix(text, kind, style)
  if (!written) return undefined
  const { rest, delimiter } = written
  if (kind === 'scalar') return rest
  const pieces = rest.split(delimiter)
  if (kind === 'array') return pieces
  if (rest === '') return []
  if (style.explode) return pieces.map(pair)
  if (pieces.length % 2 === 1) return undefined
  return pieces.flatMap((name, i) => (i % 2 === 0 ? [[name, pieces[i + 1] ?? ''] as const] : []))
}

function withoutPrefix(
  text: string,
  kind: Kind,
  { name, style, explode }: Style,
): { rest: string; delimiter: string | RegExp } | undefined {
  switch (style) {
    case 'label': {
      if (!text.startsWith('.')) return undefined
      const rest = text.slice(1)
      // OpenAPI 3.0 shows dots also where RFC 6570 has commas.
      return { rest, delimiter: !explode && rest.includes(',') ? ',' : '.' }
    }
    case 'matrix': {
      if (!text.startsWith(';')) return undefined
      if (explode && kind === 'object') return { rest: text.slice(1), delimiter: ';' }
      const items = explode && kind === 'array' ? text.slice(1).split(';') : [text.slice(1)]
      const pairs = items.map(pair)
      if (pairs.some(([key]) => decodeOr(key) !== name)) return undefined
      const delimiter = explode && kind === 'array' ? ';' : ','
      return { rest: pairs.map(([, value]) => value).join(delimiter), delimiter }
    }
    case 'spaceDelimited':
      return { rest: text, delimiter: /%20|\+/ }
    case 'pipeDelimited':
      return { rest: text, delimiter: /%7c|\|/i }
    default:
      return { rest: text, delimiter: ',' }
  }
}

/** A name and what follows its equals sign. */
export function pair(text: string): readonly [name: string, text: string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Undoes the escapes of a part of a request; header fields have none. */
export const decoders: Record<Source, (text: string) => string> = {
  path: decoded,
  query: text => decoded(text.includes('+') ? text.replaceAll('+', ' ') : text),
  header: text => text.trim(),
  cookie: text => decodeOr(text.replace(/^"(.*)"$/, '$1')),
}

/** Mostly there is nothing to decode, which is seen sooner than done. */
function decoded(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text
}

/** Decoded, or as it is when it was not encoded: cookies are opaque (RFC 6265, section 4.1.1). */
function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
