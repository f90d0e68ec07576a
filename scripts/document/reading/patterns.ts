import { toRegExp } from '../../../src/document/pattern.ts'

/**
 * A `pattern` in the form that ECMA-262 has it: `(?i)` at its beginning, which other languages know, becomes a group
 * with that modifier.
 * Source: OpenAPI 3.0.3, 4.7.24.1.
 * @returns undefined for what is no regular expression
 */
export function readPattern(pattern: string): string | undefined {
  const [, modifiers, rest] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? []
  const text = modifiers === undefined ? pattern : `(?${modifiers}:${rest})`
  return toRegExp(text) && text
}

/** Whether a pattern names a class of characters that only other languages know, as `\p{IsAlphabetic}`. */
export function isOfOtherLanguage(pattern: string): boolean {
  return /\\[pP]\{/.test(pattern) && toRegExp(pattern)?.unicode === false
}
