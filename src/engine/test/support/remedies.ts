import { expect } from 'vitest'
import { type Model, modelOf } from '../../document/model.ts'
import { isObject, lookUp, type Path } from '../../document/pointer.ts'
import type { OpenApi } from '../../document/types.ts'
import type { Breach, ProjectRule } from '../../tools/lint/breach.ts'
import { told } from '../../tools/lint/breach.ts'

/** Returns the breaches of rules in a document. It tries each remedy, and expects that the breach is mended. */
export function breachesOf(
  model: Model,
  rules: Readonly<Record<string, ProjectRule>>,
): { rule: string; breach: Breach; text: string }[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    [...rule(model)].map(breach => {
      const text = told(breach)
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
    for (const { at, value } of breach.mend) writeAt(document, at, structuredClone(value))
  const place = breach.at.join('/')
  return [...rule(modelOf(document))]
    .filter(other => other.message === breach.message && other.at.join('/') === place)
    .map(({ message }) => message)
}

/** Writes a value at a place, or leaves out what stands there. */
export function writeAt(document: OpenApi, at: Path, value: unknown): void {
  const last = at.at(-1) ?? ''
  let holder: unknown = document
  for (const [index, name] of at.slice(0, -1).entries()) {
    if (isObject(holder)) holder[name] ??= {}
    holder = lookUp(document, at.slice(0, index + 1))
    expect(isObject(holder) && '$ref' in holder, `${at.join('/')} is written beside a reference`).toBe(false)
  }
  if (Array.isArray(holder)) holder.splice(Number(last), 1, ...(value === undefined ? [] : [value]))
  else if (!isObject(holder)) expect.fail(`${at.join('/')} is no place`)
  else if (value === undefined) delete holder[last]
  else holder[last] = value
}
