import type { OperationId } from './handler.ts'

/**
 * Stands in for an operation that is still to be written: it answers 500, and the log names it. `npm run check` fails
 * while there is one.
 * @throws Error always
 */
export function notWritten(operation: OperationId): never {
  throw new Error(`The handler of ${operation} is not written yet`)
}
