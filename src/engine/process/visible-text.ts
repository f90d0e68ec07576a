/**
 * Characters that a terminal obeys, or that a reader does not see: control characters, line separators, those that turn the
 * direction of text, and those without a width.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escaped = (character: string) =>
  character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/**
 * One line for people: each character that would change how the line looks, or make several of it, is written as \uXXXX.
 * So it can hold what somebody else has written.
 */
export function visibleLine(text: string): string {
  return text.replaceAll(unseen, escaped)
}

/** The same for a text of several lines. JSON stays JSON of the same value. */
export function visibleText(text: string): string {
  return text.split('\n').map(visibleLine).join('\n')
}

/** What went wrong, for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  return error instanceof AggregateError
    ? [error.message, ...error.errors.map(textOf)].join('\n  ')
    : textOf(error)
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
