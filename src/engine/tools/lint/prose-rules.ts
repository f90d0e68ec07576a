import { walk } from 'spec-served-document/reading/walk'
import type { OpenApi } from 'spec-served-document/types'
import type { ProjectRule } from './breach.ts'

/** A bound in prose: words that announce one, its number, and perhaps the unit of a size. */
const bound =
  /\b(?:at most|at least|no more than|up to|more than|less than|larger than|longer than|within) (\d[\d,]*)( [KMG]iB)?/gi
const sizes: Readonly<Record<string, number>> = { ' KiB': 2 ** 10, ' MiB': 2 ** 20, ' GiB': 2 ** 30 }

/** The rule that no bound stands in prose alone, where nothing reads it and nothing holds the service to it. */
export const proseRules: Record<string, ProjectRule> = {
  *'numbers-of-prose'({ document }) {
    const held = numbersIn(document)
    for (const { node, path, isReference } of walk(document))
      for (const [field, text] of isReference ? [] : Object.entries(node)) {
        if (typeof text !== 'string' || !/^(description|summary)$/.test(field)) continue
        for (const [, digits = '', unit = ''] of text.matchAll(bound)) {
          const number = Number(digits.replaceAll(',', '')) * (sizes[unit] ?? 1)
          if (held.has(number)) continue
          const [message, decide] = [
            `The text says ${number}, which no part of the document holds.`,
            'which keyword or extension holds it (x-request-bounds, x-lifetimes, x-rate-limits), and write it there.',
          ]
          yield { at: [...path, field], message, decide }
        }
      }
  },
}

/** The numbers that a document holds for programs, such as bounds and durations. Examples are none. */
function numbersIn(document: OpenApi): ReadonlySet<number> {
  const found = new Set<number>()
  const look = (value: unknown): void => {
    if (typeof value === 'number') found.add(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) if (!/^examples?$/.test(name)) look(part)
  }
  look(document)
  return found
}
