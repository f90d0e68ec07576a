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
  return /\\[pP]\{/.test(pattern) && !isValid(pattern, 'u') && isValid(pattern, '')
}

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags)
    return true
  } catch {
    return false
  }
}

/** In the unicode mode where the pattern is valid there, else in the older one, which takes escapes that mean nothing. */
export function toRegExp(pattern: string): RegExp | undefined {
  const flags = ['u', ''].find(mode => isValid(pattern, mode))
  return flags === undefined ? undefined : new RegExp(pattern, flags)
}
