import { caseFold } from 'unicode-case-folding'

/**
 * The form in which names are compared and sorted. Two names have the same form exactly if they are a canonical
 * caseless match in any language. The case folding is the full one of CaseFolding.txt (status C and F).
 * It is decomposed, so that the form of a text's beginning is the beginning of its form.
 * It is computed here, because the database's `lower()` depends on the locale at its creation.
 * Source: The Unicode Standard, section 3.13, definition D145.
 */
export const foldName = (name: string): string => caseFold(name.normalize('NFD')).normalize('NFD')

/** Returns the least text above all texts that begin with the given one, by code points, if there is one. */
export function endOfPrefix(text: string): string | undefined {
  const points = Array.from(text, character => character.codePointAt(0) ?? 0)
  const last = points.findLastIndex(point => point < 0x10ffff)
  if (last < 0) return undefined
  const next = (points[last] ?? 0) + 1
  return String.fromCodePoint(...points.slice(0, last), next === 0xd800 ? 0xe000 : next) // no surrogates
}

/** A text above the form of any name, which has 100 characters at most. */
export const greatestText = '\u{10ffff}'.repeat(101)
