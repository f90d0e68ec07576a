/** Returns the fault in a line of the service's log. */
export function causeOf(line: string): string {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string; stack?: string } } // pino's form
  const place = /\((?:file:\/\/)?[^)]*\/(src\/[^)]*)\)/.exec(err?.stack ?? '')?.[1]
  return `${err?.message ?? msg}${place ? ` (${place})` : ''}`
}
