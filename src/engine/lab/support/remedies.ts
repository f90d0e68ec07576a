import type { ProjectRule, Violation } from 'spec-served-cli/internal/lint/violation'
import { mended, textOf } from 'spec-served-cli/internal/lint/violation'
import { type Model, modelOf } from 'spec-served-document/model'
import { expect } from 'vitest'

/** Returns the violations of rules in a document. It tries each remedy, and expects that the violation is mended. */
export function violationsOf(
  model: Model,
  rules: Readonly<Record<string, ProjectRule>>,
): { rule: string; violation: Violation; text: string }[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    [...rule(model)].map(violation => {
      const text = textOf(violation)
      if ('decide' in violation) expect(violation.decide, name).toMatch(/^[^A-Z].*\.$/)
      else expect(leftOf(model, rule, violation), `${name}: ${text}`).toEqual([])
      return { rule: name, violation, text }
    }),
  )
}

/** The same violation once more, where its mend does not mend it. */
function leftOf(model: Model, rule: ProjectRule, violation: Violation & { mend?: unknown }): string[] {
  const document = structuredClone(model.document)
  if ('mend' in violation && Array.isArray(violation.mend))
    for (const { place: path, value } of violation.mend)
      mended(document, { place: path, value: structuredClone(value) })
  const place = violation.place.join('/')
  return [...rule(modelOf(document))]
    .filter(other => other.message === violation.message && other.place.join('/') === place)
    .map(({ message }) => message)
}
