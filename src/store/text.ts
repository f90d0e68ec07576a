import { caseFold } from 'unicode-case-folding'

/**
 * The form in which names are compared and sorted: two names have the same one exactly if they are a canonical
 * caseless match, with the full case folding of CaseFolding.txt (status C and F), whatever language they are in.
 * Decomposed, so that the form of a text's beginning is the beginning of its form.
 * Computed here and not by the database, whose `lower()` depends on the locale it was created with.
 * Source: The Unicode Standard, section 3.13, definition D145.
 */
export const foldName = (name: string): string => caseFold(name.normalize('NFD')).normalize('NFD')

/** The least text that is greater, in the order of code points, than all that begin with the one given, if any is. */
export function endOfPrefix(text: string): string | undefined {
  const points = Array.from(text, character => character.codePointAt(0) ?? 0)
  const last = points.findLastIndex(point => point < 0x10ffff)
  if (last < 0) return undefined
  const next = (points[last] ?? 0) + 1
  return String.fromCodePoint(...points.slice(0, last), next === 0xd800 ? 0xe000 : next) // no surrogates
}

/** A text that is greater than the form of any name, which has 100 characters at most. */
export const greatestText = '\u{10ffff}'.repeat(101)
