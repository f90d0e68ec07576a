import type { OperationFacts } from '../../facts.ts'

/** What a caller should know of an operation before using it: its scope, how stable it is, when it ends. */
export function lifecycleOf(facts: OperationFacts | undefined): string[] {
  if (!facts) return []
  const { scope, secured, stability, deprecation, quotaFree } = facts
  const { at, sunset, successor } = deprecation ?? {}
  return [
    scope ? `scope ${scope}` : !secured && 'no credential needed',
    stability,
    deprecation &&
      [
        'deprecated',
        at && ` since ${at}`,
        sunset && `, ends ${sunset}`,
        successor && `, use ${successor.operationId}`,
      ]
        .filter(Boolean)
        .join(''),
    quotaFree && 'costs no quota',
  ].filter(fact => typeof fact === 'string')
}
