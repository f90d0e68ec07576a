import type { OperationFacts } from 'spec-served-document/contract/contract'

const stabilities: Readonly<Record<string, string>> = {
  experimental: 'Experimental: it may change or end at any time.',
  beta: 'Beta: it may still change.',
}

/** Returns in words how far clients may rely on an operation, and when it ends; nothing for a stable one. */
export function noticesOf({ stability, deprecation }: OperationFacts): string[] {
  const { at, sunset, successor } = deprecation ?? {}
  const parts = [
    at && `since ${at}`,
    sunset && `ends on ${sunset}`,
    successor && `use ${successor.operationId}`,
  ]
  const end = `Deprecated: ${parts.filter(Boolean).join('; ') || 'do not start to use it'}.`
  return [stabilities[stability ?? ''] ?? '', deprecation ? end : ''].filter(Boolean)
}
