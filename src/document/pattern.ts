import { linearMatcher, type Matcher, NotLinear } from './linear-pattern.ts'

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

/**
 * What tells whether a text holds what a pattern tells, in a time that grows no faster than the text; or why there is no
 * such thing, as the rest of the sentence "The pattern …".
 */
export function matcherOf(pattern: string): Matcher | { fault: string } {
  const flags = flagsOf(pattern)
  if (flags === undefined) return { fault: 'is no regular expression of ECMA-262' }
  try {
    return linearMatcher(pattern, flags)
  } catch (error) {
    if (error instanceof NotLinear) return { fault: error.message }
    throw error
  }
}

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags)
    return true
  } catch {
    return false
  }
}

function flagsOf(pattern: string): 'u' | '' | undefined {
  return (['u', ''] as const).find(mode => isValid(pattern, mode))
}

/** In the unicode mode where the pattern is valid there, else in the older one, which takes escapes that mean nothing. */
export function toRegExp(pattern: string): RegExp | undefined {
  const flags = flagsOf(pattern)
  return flags === undefined ? undefined : new RegExp(pattern, flags)
}
