/** Characters that a terminal obeys, or that a reader does not see. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escaped = (character: string) =>
  character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns a safe line for people, whoever wrote it. A character that would change its look is written as \uXXXX. */
export const visibleLine = (text: string): string => text.replaceAll(unseen, escaped)

/** The same for a text of several lines. JSON keeps its value. */
export const visibleText = (text: string): string => text.split('\n').map(visibleLine).join('\n')

const moreFiles =
  'This process may open no more files: raise its limit to 1024 or more (ulimit -n, or LimitNOFILE of systemd)'

/** The text of a failure for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  const text =
    error instanceof AggregateError
      ? [error.message, ...error.errors.map(textOf)].join('\n  ')
      : textOf(error)
  return lacksFiles(error) ? `${text}. ${moreFiles}` : text
}

/** Whether a failure comes from the limit of open files. */
function lacksFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(lacksFiles)) return true
  return ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) || lacksFiles(error.cause)
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
