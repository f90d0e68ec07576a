import { partsOf } from '../../src/document/model.ts'
import type { Schema } from '../../src/document/types.ts'
import { type Breach, leaveOut, type ProjectRule } from './breach.ts'
import { schemasIn } from './walk.ts'

/** Who meets a code of error can read what it means and what to do: `x-enum-descriptions` tells that of each. */
export const codeDescriptionRules: Record<string, ProjectRule> = {
  *'code-descriptions'(model) {
    const listed = new Map<Schema, true>()
    for (const { responses } of model.operations)
      for (const { content = {}, ...response } of responses.values())
        for (const { schema } of 'x-codes' in response ? Object.values(content) : [])
          for (const { properties = {} } of schema ? partsOf(model, schema) : [])
            for (const part of properties.code ? partsOf(model, properties.code) : [])
              if (part.enum) listed.set(part, true)
    for (const { schema, path } of schemasIn(model.document)) {
      if ('x-enum-descriptions' in schema || listed.has(schema)) yield* faultsOf(schema, path)
    }
  },
}

function* faultsOf(schema: Schema, path: readonly string[]): Generator<Breach> {
  const at = [...path, 'x-enum-descriptions']
  const written: unknown = 'x-enum-descriptions' in schema ? schema['x-enum-descriptions'] : undefined
  const described = new Map(typeof written === 'object' && written !== null ? Object.entries(written) : [])
  const values = (schema.enum ?? []).map(String)
  for (const value of values) {
    const text: unknown = described.get(value)
    const [why = '', what = ''] = typeof text === 'string' ? text.split(/\n\s*\n/) : []
    if (!why.trim() || !what.trim())
      yield {
        at: described.has(value) ? [...at, value] : path,
        message: `x-enum-descriptions tells of ${value} when and why it comes, and in a second paragraph what to do.`,
        decide: `the words, as ${value}: |- with two paragraphs below it.`,
      }
  }
  for (const name of described.keys())
    if (!values.includes(name))
      yield {
        at: [...at, name],
        message: `${name} is no value of the enumeration.`,
        ...leaveOut([...at, name]),
      }
}
