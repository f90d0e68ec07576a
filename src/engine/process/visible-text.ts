/** Characters that a terminal obeys, or that a reader does not see. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escaped = (character: string) =>
  character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** One line for people, whoever has written it: a character that would change how it looks is written as \uXXXX. */
export const visibleLine = (text: string): string => text.replaceAll(unseen, escaped)

/** The same for a text of several lines. JSON stays JSON of the same value. */
export const visibleText = (text: string): string => text.split('\n').map(visibleLine).join('\n')

/** What went wrong, for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  return error instanceof AggregateError
    ? [error.message, ...error.errors.map(textOf)].join('\n  ')
    : textOf(error)
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
