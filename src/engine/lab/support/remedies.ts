import type { Breach, ProjectRule } from 'spec-served-cli/internal/lint/breach'
import { mended, textOf } from 'spec-served-cli/internal/lint/breach'
import { type Model, modelOf } from 'spec-served-document/model'
import { expect } from 'vitest'

/** Returns the breaches of rules in a document. It tries each remedy, and expects that the breach is mended. */
export function breachesOf(
  model: Model,
  rules: Readonly<Record<string, ProjectRule>>,
): { rule: string; breach: Breach; text: string }[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    [...rule(model)].map(breach => {
      const text = textOf(breach)
      if ('decide' in breach) expect(breach.decide, name).toMatch(/^[^A-Z].*\.$/)
      else expect(leftOf(model, rule, breach), `${name}: ${text}`).toEqual([])
      return { rule: name, breach, text }
    }),
  )
}

/** The same breach once more, where its mend does not mend it. */
function leftOf(model: Model, rule: ProjectRule, breach: Breach & { mend?: unknown }): string[] {
  const document = structuredClone(model.document)
  if ('mend' in breach && Array.isArray(breach.mend))
    for (const { at: path, value } of breach.mend)
      mended(document, { at: path, value: structuredClone(value) })
  const place = breach.at.join('/')
  return [...rule(modelOf(document))]
    .filter(other => other.message === breach.message && other.at.join('/') === place)
    .map(({ message }) => message)
}
