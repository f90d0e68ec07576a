/** What went wrong, for people: a line for each fault, without stacks. */
export function failureText(error: unknown): string {
  return error instanceof AggregateError
    ? [error.message, ...error.errors.map(textOf)].join('\n  ')
    : textOf(error)
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
