import { matcherOf, toRegExp } from '../pattern.ts'

/**
 * Returns a `pattern` in the form of ECMA-262. `(?i)` at its beginning, which other languages know, becomes a group
 * with that modifier. Source: OpenAPI 3.0.3, 4.7.24.1.
 * @returns undefined for what is no regular expression
 */
export function readPattern(pattern: string): string | undefined {
  const [, modifiers, rest] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? []
  const text = modifiers === undefined ? pattern : `(?${modifiers}:${rest})`
  return toRegExp(text) && text
}

/** Returns the fault of a text that is no regular expression, and why it is none; undefined for another value. */
export function patternFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    new RegExp(value, 'u')
    return undefined
  } catch (error) {
    const { message } = error as Error // RegExp throws SyntaxErrors
    const reason = message.slice(message.lastIndexOf(': ') + 2)
    return `${JSON.stringify(value)} is no regular expression of ECMA-262 (${reason}): complete it, or write a backslash before each character that stands for itself.`
  }
}

/** Whether a pattern names a class of characters that only other languages know, as `\p{IsAlphabetic}`. */
export function isOfOtherLanguage(pattern: string): boolean {
  return /\\[pP]\{/.test(pattern) && toRegExp(pattern)?.unicode === false
}

/** A pattern as it is read. Requests are checked against it: there must be a way that takes no longer than the text is long. */
export function matchable(value: string, fault: (message: string) => void): string | undefined {
  const pattern = readPattern(value)
  try {
    matcherOf(pattern ?? '')
  } catch (error) {
    const { message } = error as Error // matcherOf throws Errors
    fault(
      `The pattern ${message}, and no way is known to match that in a time that grows no faster than the text: write it without, or leave it out and have the handler check the text.`,
    )
  }
  return pattern
}
