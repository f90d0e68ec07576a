/** Characters that a terminal obeys, or that a reader does not see. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escaped = (character: string) =>
  character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a safe line for people, whoever wrote it. A character that would change its look is written as \uXXXX. */
export const visibleLine = (text: string): string => text.replaceAll(unseen, escaped)

/** The same for a text of several lines. JSON keeps its value. */
export const visibleText = (text: string): string => text.split('\n').map(visibleLine).join('\n')

/** The text of a failure for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  return error instanceof AggregateError
    ? [error.message, ...error.errors.map(textOf)].join('\n  ')
    : textOf(error)
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
