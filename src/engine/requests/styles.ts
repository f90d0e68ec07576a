import type { Field, Pair, Source } from './fields.ts'
import type { Kind } from './shapes.ts'

/** What separates the items of a list whose name was repeated. */
export const separators: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '|' }
const delimiters: Record<string, RegExp> = { spaceDelimited: /%20|\+/, pipeDelimited: /%7c|\|/i }

/**
 * Takes a text apart as its style tells, before anything in it is decoded: an escaped delimiter is none
 * (RFC 6570, sections 3.2.2 to 3.2.8).
 * @returns undefined for a text that is not written so
 */
export function split(text: string, kind: Kind, { name, style, explode }: Field): string[] | undefined {
  const rest = text.slice(1)
  const pieces = (all: string, delimiter: string | RegExp) => {
    if (kind === 'scalar') return [all]
    return kind === 'object' && all === '' ? [] : all.split(delimiter)
  }
  if (style === 'label') {
    // OpenAPI 3.0 shows dots also where RFC 6570 has commas.
    return text.startsWith('.') ? pieces(rest, !explode && rest.includes(',') ? ',' : '.') : undefined
  }
  if (style === 'deepObject' && kind === 'object') return undefined
  if (style !== 'matrix') return pieces(text, delimiters[style] ?? ',')
  if (!text.startsWith(';')) return undefined
  if (explode && kind === 'object') return pieces(rest, ';')
  const pairs = (explode && kind === 'array' ? rest.split(';') : [rest]).map(pair)
  if (pairs.some(([key]) => decodeOr(key) !== name)) return undefined
  const values = pairs.map(([, value]) => value)
  return explode ? values : pieces(values[0] ?? '', ',')
}

/** A name and what follows its equals sign. */
export function pair(text: string): Pair {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Names and texts by turns. */
export const twos = (pieces: readonly string[]): Pair[] =>
  pieces.flatMap((name, i) => (i % 2 === 0 ? [[name, pieces[i + 1] ?? ''] as const] : []))

/** Undoes the escapes of a part of a request; header fields have none. */
export const decoders: Record<Source, (text: string) => string> = {
  path: decodeURIComponent,
  query: text => decodeURIComponent(text.replaceAll('+', ' ')),
  header: text => text.trim(),
  cookie: text => decodeOr(text.replace(/^"(.*)"$/, '$1')),
}

/** Decoded, or as it is when it was not encoded: cookies are opaque (RFC 6265, section 4.1.1). */
export function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The pairs of a query, or of a form's body (OpenAPI 3.0.3, 4.7.14.3; RFC 1866, section 8.2.1).
 * @returns undefined when its percent-encoding is broken
 */
export function pairsOf(text: string): Pair[] | undefined {
  try {
    const pairs = text.split('&').filter(Boolean).map(pair)
    decodeURIComponent(text)
    return pairs.map(([name, value]) => [decoders.query(name), value])
  } catch {
    return undefined
  }
}

/** The pairs of a Cookie field (RFC 6265, section 4.2.1). */
export function cookiesOf(header: string): Pair[] {
  return header.split(';').flatMap(part => (part.trim() === '' ? [] : [pair(part.trim())]))
}
