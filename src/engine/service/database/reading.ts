import type { RootOperationNode } from 'kysely'

/** Whether Kysely's builder made a statement that changes nothing and locks nothing, so that it may run twice. */
export function isReading(query: RootOperationNode): boolean {
  if (query.kind !== 'SelectQueryNode' || query.endModifiers) return false
  // PostgreSQL allows a statement that writes only in the first `with`, no further inside.
  return query.with?.expressions.every(({ expression }) => expression.kind === 'SelectQueryNode') ?? true
}
