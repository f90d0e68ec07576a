import { stdSerializers } from 'pino'

/** The properties of an error in a line, besides type, message and stack: names of the system, of PostgreSQL and of Fastify. */
const shown = [
  ...['code', 'errno', 'syscall', 'address', 'port', 'statusCode'],
  ...['severity', 'schema', 'table', 'column', 'constraint', 'routine', 'query'],
] as const

/**
 * Returns an error as log lines show it: what failed and where, without the values that it happened with. PostgreSQL's errors
 * have them in `detail` and `where`, PGlite's in `params`, and other libraries' where they like.
 */
export function errorInLog(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: causeOf(error) }
  try {
    // pino writes to the error meanwhile, which throws for a frozen one.
    const { type, message, stack, ...others } = stdSerializers.err(error)
    const fields = shown.flatMap(name =>
      /string|number/.test(typeof others[name]) ? [[name, others[name]]] : [],
    )
    const inner = error instanceof AggregateError && { aggregateErrors: error.errors.map(errorInLog) }
    return { type, message, ...Object.fromEntries(fields), ...inner, stack }
  } catch {
    return { type: 'Error', message: String(error.message), stack: String(error.stack) }
  }
}

/** Returns what was thrown as a sentence for a log line. An object that is no error may be a caller's. */
export function causeOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return typeof thrown === 'object' ? 'What was thrown is no Error.' : String(thrown)
}
