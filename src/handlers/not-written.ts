import type { Handler, OperationId } from './handler.ts'

/** A handler that is still to be written. */
export type Stub<Id extends OperationId> = Handler<Id> & { isNotWritten: true }

/**
 * Stands in for the handler of an operation until it is written. `npm run dev` answers such an operation from the document,
 * `npm start` does not start, and `npm run check` fails while there is one.
 */
export function stub<Id extends OperationId>(operation: Id): Stub<Id> {
  return Object.assign(async () => notWritten(operation), { isNotWritten: true as const })
}

/**
 * Stands in for what is still to be written; `npm run check` names it.
 * @throws Error always
 */
export function notWritten(operation: OperationId): never {
  throw new Error(`${operation} is not written yet`)
}
